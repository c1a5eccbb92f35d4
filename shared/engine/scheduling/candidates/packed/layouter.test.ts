import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../../../test/builders/instanceType.ts'
import { nodePool } from '../../../../../test/builders/nodePool.ts'
import { packing } from '../../../../../test/builders/packing.ts'
import { type PodShape, pod, pods } from '../../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../../test/builders/snapshot.ts'
import { violationsOf } from '../../../../../test/checker/checkPlan.ts'
import type { Decision } from '../../../../model/decision.ts'
import type { InstanceType } from '../../../../model/instanceType.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { NodePool } from '../../../../model/nodePool.ts'
import type { Pod } from '../../../../model/pod.ts'
import { decideProvisioning } from '../../decideProvisioning.ts'

/** Sizes of two makers. The second is a little dearer. */
function sizesAt(priceOf: (cpus: number) => number): readonly InstanceType[] {
  const shapes = [2, 4, 8, 16].map((cpus) => ({ cpus, memoryGib: 4 * cpus, spotPrice: null }))
  return shapes.flatMap((shape) => [
    instanceType({ ...shape, name: `a-${shape.cpus}`, price: priceOf(shape.cpus) }),
    instanceType({ ...shape, name: `b-${shape.cpus}`, price: priceOf(shape.cpus) + 0.01 }),
  ])
}

/** A core costs the same in every size. */
const EVEN = sizesAt((cpus) => cpus / 10)
/** More cores cost little. */
const LARGE_PAY = sizesAt((cpus) => 0.16 + cpus / 50)
const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']
/** With three zones more kinds of pods than exact rows can be. */
const AMOUNTS = 70
const APART = 80

/** One pod of each amount in each zone, and pods that need a machine each. */
function waiting(shapeOf: (index: number) => PodShape = () => ({})): readonly Pod[] {
  const selector = { matchLabels: { app: 'apart' }, matchExpressions: [] }
  const term = { topologyKey: LABEL.hostname, selector, namespaces: [], matchLabelKeys: [], mismatchLabelKeys: [] }
  const apart: PodShape = { name: 'apart', labels: { app: 'apart' }, podAntiAffinity: { required: [term], preferred: [] } }
  const ofAmounts = ZONES.flatMap((zone) =>
    Array.from({ length: AMOUNTS }, (_, index) =>
      pod({ name: `${zone}-${index}`, cpus: (index + 1) / 100, nodeSelector: { [LABEL.zone]: zone }, ...shapeOf(index) }),
    ),
  )
  return [...ofAmounts, ...pods(APART, apart)]
}

/** The decision about the pods, after a look that it begins with coarse columns and breaks no rule. */
function decided(pod: readonly Pod[], pools: readonly NodePool[] = [nodePool()], types = EVEN): Decision {
  const shape: SnapshotShape = { types, objects: { pod, nodePool: pools } }
  expect(packing(shape).layouter.columnGenerationFirst()?.isCoarse).toBe(true)
  const given = snapshot(shape)
  const decision = decideProvisioning(given)
  expect(violationsOf(given, decision)).toEqual([])
  return decision
}

function machinesOf({ actions }: Decision): number {
  return actions.filter(({ kind }) => kind === 'createClaim').length
}

describe('coarse columns', () => {
  it('buy no more machines than a rule asks for', () => {
    const decision = decided(waiting())
    expect(decision.reasons).toEqual([])
    expect(machinesOf(decision)).toBe(APART)
  })

  it.each([170, 190])('keep the limits of a pool that are enough for all: %d CPUs', (cpus) => {
    const decision = decided(waiting(), [nodePool({ limits: { cpu: 1_000 * cpus } })])
    expect(decision.reasons).toEqual([])
    expect(machinesOf(decision)).toBe(APART)
  })

  it('keep the limits of a pool that are not enough for all', () => {
    const { reasons } = decided(waiting(), [nodePool({ limits: { cpu: 100_000 } })])
    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(['POOL.LIMIT']))
  })

  it('keep minValues of a pool, which only the smallest sizes leave', () => {
    const requirements = [{ key: LABEL.instanceType, operator: 'Exists', values: [], minValues: LARGE_PAY.length - 1 } as const]
    expect(decided(waiting(), [nodePool({ template: { requirements } })], LARGE_PAY).reasons).toEqual([])
  })

  it('keep host ports', () => {
    const port = (index: number): PodShape => ({ hostPorts: [{ ip: '', port: 80 + (index % 3), protocol: 'TCP' }] })
    const decision = decided(waiting(port))
    expect(decision.reasons).toEqual([])
    expect(machinesOf(decision)).toBeGreaterThanOrEqual(APART)
  })

  it('keep pods to the pools that take them', () => {
    const taint = { key: 'team', value: 'x', effect: 'NoSchedule' } as const
    const tainted = nodePool({ name: 'tainted', template: { taints: [taint], requirements: [oneSize('a-4')] } })
    const plain = nodePool({ template: { requirements: [oneSize('b-8')] } })
    const tolerating = (index: number): PodShape => (index % 2 === 0 ? { tolerations: [{ key: 'team', operator: 'Exists' }] } : {})
    expect(decided(waiting(tolerating), [plain, tainted]).reasons).toEqual([])
  })
})

function oneSize(name: string) {
  return { key: LABEL.instanceType, operator: 'In', values: [name] } as const
}
