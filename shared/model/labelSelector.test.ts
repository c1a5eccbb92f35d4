import { expect, it } from 'vitest'
import { selects } from './labelSelector.ts'
import type { LabelSelector } from './pod.ts'
import type { Operator } from './requirements.ts'

const labels = { app: 'web', tier: 'front' }
const on = (key: string, operator: Operator, ...values: string[]): LabelSelector => ({
  matchLabels: {},
  matchExpressions: [{ key, operator, values }],
})

const table: { [name: string]: { selector: LabelSelector | undefined; want: boolean } } = {
  'no selector selects nothing': { selector: undefined, want: false },
  'an empty selector selects everything': { selector: { matchLabels: {}, matchExpressions: [] }, want: true },
  'labels that match': { selector: { matchLabels: { app: 'web', tier: 'front' }, matchExpressions: [] }, want: true },
  'labels of which one does not match': { selector: { matchLabels: { app: 'web', tier: 'back' }, matchExpressions: [] }, want: false },
  'a label that is absent': { selector: { matchLabels: { zone: 'a' }, matchExpressions: [] }, want: false },
  'In with the value': { selector: on('app', 'In', 'web', 'api'), want: true },
  'In without the value': { selector: on('app', 'In', 'api'), want: false },
  'In on an absent label': { selector: on('zone', 'In', 'a'), want: false },
  'NotIn with the value': { selector: on('app', 'NotIn', 'web'), want: false },
  'NotIn on an absent label': { selector: on('zone', 'NotIn', 'a'), want: true },
  'Exists on a label that is there': { selector: on('app', 'Exists'), want: true },
  'Exists on an absent label': { selector: on('zone', 'Exists'), want: false },
  'DoesNotExist on a label that is there': { selector: on('app', 'DoesNotExist'), want: false },
  'DoesNotExist on an absent label': { selector: on('zone', 'DoesNotExist'), want: true },
  'a comparison, which selectors do not have': { selector: on('app', 'Gt', '1'), want: false },
}
for (const [name, { selector, want }] of Object.entries(table)) it(name, () => expect(selects(selector, labels)).toBe(want))
