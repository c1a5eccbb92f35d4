import { describe, expect, it } from 'vitest'
import { LABEL } from '../../../../model/labels.ts'
import { type RequirementSpec, requirementsFrom } from '../../../../model/requirements.ts'
import { couldMeetAmong } from './existingNode.ts'

const named: RequirementSpec = { key: 'team', operator: 'In', values: ['blue', 'green'] }
const open: RequirementSpec = { key: 'team', operator: 'Exists', values: [] }
const asksFor = (key: string, ...values: readonly string[]) => ({
  matchExpressions: [{ key, operator: 'In', values } as const],
  matchFields: [],
})
const poolsOf = (...specs: readonly RequirementSpec[]) => specs.map((spec) => ({ requirements: requirementsFrom([spec]) }))
const machine = (stage: 0 | 2, ...values: readonly string[]) => ({ stage, domainsOf: (key: string) => (key === 'team' ? values : []) })

describe('what a pod would like', () => {
  it.each([
    ['a value that a pool gives', poolsOf(named), [], asksFor('team', 'red', 'blue'), true],
    ['a value that no pool gives', poolsOf(named), [], asksFor('team', 'red'), false],
    ['a label that no pool gives', poolsOf(named), [], asksFor('squad', 'blue'), false],
    ['any value of a label that a pool leaves open', poolsOf(named, open), [], asksFor('team', 'red'), true],
    ['a value that a machine has', poolsOf(named), [machine(0, 'red')], asksFor('team', 'red'), true],
    ['anything while a claim may become anything', poolsOf(named), [machine(2)], asksFor('team', 'red'), true],
    ['a well-known label, which pools need not name', poolsOf(named), [], asksFor(LABEL.zone, 'nowhere'), true],
  ])('%s', (_sentence, templates, existingNodes, term, isPossible) => {
    expect(couldMeetAmong(templates, existingNodes)(term)).toBe(isPossible)
  })
})
