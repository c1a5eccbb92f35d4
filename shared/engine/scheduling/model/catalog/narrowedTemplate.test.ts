import { describe, expect, it } from 'vitest'
import { daemonSet } from '../../../../../test/builders/daemonSet.ts'
import { nodePool } from '../../../../../test/builders/nodePool.ts'
import { emptyPlan } from '../../../../../test/builders/packing.ts'
import { pod } from '../../../../../test/builders/pod.ts'
import { snapshot } from '../../../../../test/builders/snapshot.ts'
import { type RequirementSpec, requirementsFrom } from '../../../../model/requirements.ts'
import { type ConstraintParts, createConstraints } from '../pods/constraint.ts'
import { type NarrowedTemplate, withConstraint } from './narrowedTemplate.ts'

const TIER = 'example.com/tier'
const portOf = (port: number) => ({ ip: '', port, protocol: 'TCP' })

/** A claim of a pool whose machines have one label and run a DaemonSet with port 9000. */
function start(): NarrowedTemplate {
  const objects = {
    pod: [pod()],
    nodePool: [nodePool({ template: { requirements: [{ key: TIER, operator: 'In', values: ['5', '7'] }] } })],
    daemonSet: [daemonSet({ hostPorts: [portOf(9_000)] })],
  }
  const [poolOption] = emptyPlan(snapshot({ objects })).poolOptions
  if (poolOption === undefined) throw new Error('the pool makes no machine')
  return poolOption.narrowedTemplate
}

function after(before: NarrowedTemplate, specs: readonly RequirementSpec[], more: Partial<ConstraintParts> = {}) {
  const parts = { tolerations: [], hostPorts: [], apartFrom: [], wanted: [requirementsFrom(specs)], places: [new Map()], ...more }
  return withConstraint(before, createConstraints().of(parts))
}

describe('a constraint that a claim meets already', () => {
  it.each<readonly [string, RequirementSpec]>([
    ['NotIn with values that the pool does not have', { key: TIER, operator: 'NotIn', values: ['1', '2'] }],
    ['In with all values of the pool', { key: TIER, operator: 'In', values: ['5', '7', '9'] }],
    ['Exists on a label of the pool', { key: TIER, operator: 'Exists', values: [] }],
    ['Gt below all values of the pool', { key: TIER, operator: 'Gt', values: ['4'] }],
  ])('leaves the claim as it is: %s', (_, spec) => {
    const before = start()
    expect(after(before, [spec])).toBe(before)
  })

  it('leaves the claim as it is: a host port that no DaemonSet has', () => {
    const before = start()
    expect(after(before, [], { hostPorts: [portOf(8_000)] })).toBe(before)
  })
})

describe('a constraint that a claim does not meet yet', () => {
  it.each<readonly [string, RequirementSpec]>([
    ['NotIn with a value of the pool', { key: TIER, operator: 'NotIn', values: ['5'] }],
    ['Gt between the values of the pool', { key: TIER, operator: 'Gt', values: ['5'] }],
  ])('narrows the claim: %s', (_, spec) => {
    expect(after(start(), [spec])?.requirements.get(TIER)?.values).toEqual(['7'])
  })

  it('leaves no size: a host port of a DaemonSet on each machine', () => {
    expect(after(start(), [], { hostPorts: [portOf(9_000)] })).toBeUndefined()
  })
})
