import { describe, expect, it } from 'vitest'
import type { DaemonSet } from '../client/objects.ts'
import { testNode } from '../testing/objects.ts'
import { daemonFits, daemonPodSpec } from './daemonPlacement.ts'

const daemonSet = (spec: object): DaemonSet =>
  ({
    metadata: { name: 'd', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    spec: { template: { spec: { containers: [], ...spec } } },
  }) as unknown as DaemonSet

const taint = (key: string, effect: string) => ({ spec: { taints: [{ key, effect }] } })

const CASES: {
  readonly [sentence: string]: { readonly spec: object; readonly node: object; readonly want: { run: boolean; stay: boolean } }
} = {
  'a plain node': { spec: {}, node: {}, want: { run: true, stay: true } },
  'a node that is not selected': { spec: { nodeSelector: { disk: 'ssd' } }, node: {}, want: { run: false, stay: false } },
  'a node with a taint for new pods': { spec: {}, node: taint('team', 'NoSchedule'), want: { run: false, stay: true } },
  'a node with a taint for all pods': { spec: {}, node: taint('team', 'NoExecute'), want: { run: false, stay: false } },
  'a node that is not ready yet': { spec: {}, node: taint('node.kubernetes.io/not-ready', 'NoSchedule'), want: { run: false, stay: true } },
  'a lost node': { spec: {}, node: taint('node.kubernetes.io/unreachable', 'NoExecute'), want: { run: true, stay: true } },
  'a cordoned node': { spec: {}, node: taint('node.kubernetes.io/unschedulable', 'NoSchedule'), want: { run: true, stay: true } },
}

describe('daemonFits', () => {
  for (const [sentence, { spec, node, want }] of Object.entries(CASES)) {
    it(sentence, () => expect(daemonFits(daemonSet(spec), testNode('a', node))).toEqual(want))
  }
})

describe('daemonPodSpec', () => {
  it('pins every alternative to the node', () => {
    const terms = [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { matchExpressions: [{ key: 'b', operator: 'Exists' }] }]
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } }
    const field = { key: 'metadata.name', operator: 'In', values: ['n1'] }
    expect(daemonPodSpec(daemonSet({ affinity }), 'n1').affinity?.nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [field] })) },
    })
  })
})
