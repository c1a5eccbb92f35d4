import fc from 'fast-check'
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
import { decideProvisioning } from '../../planningState.ts'

/** A core with 2 GiB costs the same in every size. */
const PER_CPU = 0.1
const SIZES = Array.from({ length: 100 }, (_, index) => {
  const cpus = index + 1
  return instanceType({
    name: `size-${cpus}`,
    cpus,
    memoryGib: 2 * cpus,
    pods: 10_000,
    overhead: {},
    price: PER_CPU * cpus,
    spotPrice: null,
  })
})

/** All thirty pairs come equally often. */
const CPUS = [0.1, 0.25, 0.5, 1, 1.5]
const GIBS = [0.1, 0.25, 0.5, 1, 2, 4]

describe('machines that hold many pods', () => {
  it.each([300, 1_200])('waste neither cores nor memory, with %i pods of thirty shapes', (count) => {
    const waiting = Array.from({ length: count }, (_, index) => ({
      cpus: CPUS[index % CPUS.length] ?? 0,
      memoryGib: GIBS[index % GIBS.length] ?? 0,
    }))
    const decision = decideProvisioning(
      snapshot({ types: SIZES, objects: { pod: waiting.map((each, index) => pod({ name: `pod-${index}`, ...each })) } }),
    )
    const price = priceOf(decision) / 1e6
    const cpus = waiting.reduce((sum, each) => sum + each.cpus, 0)
    const gibs = waiting.reduce((sum, each) => sum + each.memoryGib, 0)
    const least = PER_CPU * Math.max(cpus, gibs / 2)
    expect(price / least).toBeGreaterThanOrEqual(1)
    expect(price / least).toBeLessThan(1.005)
  })
})

/** A core costs the same in every size. */
const EVEN_SIZES = [2, 4, 8, 16, 32].map((cpus) =>
  instanceType({ name: `even-${cpus}`, cpus, memoryGib: 2 * cpus, overhead: {}, price: 0.04 * cpus, spotPrice: null }),
)

describe('of machines that cost the same in sum', () => {
  it('the fewest are bought', () => {
    const waiting = Array.from({ length: 32 }, (_, index) => pod({ name: `p-${index}`, cpus: 1, memoryGib: 2 }))
    const decision = decideProvisioning(snapshot({ types: EVEN_SIZES, objects: { pod: waiting } }))
    expect(priceOf(decision)).toBe(32 * 40_000)
    expect(decision.actions.filter(({ kind }) => kind === 'createClaim')).toHaveLength(1)
  })

  it('one stands for two as far as the pool goes that has limits', () => {
    const waiting = [...podsOfZone('eastus-1', 7), ...podsOfZone('eastus-2', 7), ...podsOfZone(undefined, 2)]
    const pool = nodePool({ limits: { cpu: 16_000 } })
    const given = snapshot({ types: EVEN_SIZES, objects: { pod: waiting, nodePool: [pool] } })
    const decision = decideProvisioning(given)
    expect(violationsOf(given, decision)).toEqual([])
    expect(decision.reasons).toEqual([])
    expect(decision.actions.filter(({ kind }) => kind === 'createClaim')).toHaveLength(2)
  })
})

function podsOfZone(zone: string | undefined, count: number): Pod[] {
  const nodeSelector = zone === undefined ? {} : { [LABEL.zone]: zone }
  return Array.from({ length: count }, (_, index) => pod({ name: `${zone}-${index}`, cpus: 1, memoryGib: 2, nodeSelector }))
}

describe('many machines that hold few pods of few kinds', () => {
  const KINDS: readonly { readonly cpus: number; readonly memoryGib: number; readonly count: number }[] = [
    { cpus: 18, memoryGib: 29, count: 118 },
    { cpus: 35, memoryGib: 28, count: 106 },
    { cpus: 46, memoryGib: 8, count: 119 },
    { cpus: 14, memoryGib: 13, count: 119 },
  ]
  /** At least 130 machines are needed for so many cores. Machines filled one after another, however well, are 144. */
  const ENOUGH = 132

  it('are bought in the cheapest mix', () => {
    const waiting = KINDS.flatMap(({ count, ...asks }) =>
      Array.from({ length: count }, (_, index) => pod({ name: `p-${asks.cpus}-${index}`, ...asks })),
    )
    const types = [instanceType({ name: 'stock', cpus: 100, memoryGib: 100, pods: 100, overhead: {}, price: 1, spotPrice: null })]
    const given = snapshot({ types, objects: { pod: waiting } })
    const decision = decideProvisioning(given)
    expect(violationsOf(given, decision)).toEqual([])
    expect(decision.reasons).toEqual([])
    expect(decision.actions.filter(({ kind }) => kind === 'createClaim').length).toBeLessThanOrEqual(ENOUGH)
  })

  it('are not looked for where a limit leaves room for fewer', () => {
    const waiting = Array.from({ length: 60 }, (_, index) => pod({ name: `p-${index}`, cpus: index % 2 === 0 ? 35 : 28 }))
    const types = [instanceType({ name: 'stock', cpus: 100, memoryGib: 500, pods: 100, overhead: {}, price: 1, spotPrice: null })]
    const given = snapshot({ types, objects: { pod: waiting, nodePool: [nodePool({ limits: { cpu: 1_000_000 } })] } })
    const decision = decideProvisioning(given)
    expect(violationsOf(given, decision)).toEqual([])
    expect(decision.actions.filter(({ kind }) => kind === 'createClaim')).toHaveLength(10)
    expect(decision.reasons.every(({ code }) => code === 'POOL.LIMIT')).toBe(true)
  })

  it('keep every rule, and are no dearer than first fit', () => {
    fc.assert(
      fc.property(fc.uniqueArray(aDeployment, { minLength: 2, maxLength: 12, selector: ({ name }) => name }), (deployments) => {
        const given = snapshot({ types: SMALL_SIZES, objects: { pod: deployments.flatMap(podsOf) } })
        const decision = decideProvisioning(given)
        expect(violationsOf(given, decision)).toEqual([])
        expect(decision.reasons).toEqual([])
        const byFirstFit = decideProvisioning({ ...given, settings: { ...given.settings, placement: 'firstFit' } })
        expect(priceOf(decision)).toBeLessThanOrEqual(priceOf(byFirstFit))
      }),
      { numRuns: 30 },
    )
  })
})

const SMALL_SIZES = [2, 4, 8, 16].flatMap((cpus) =>
  [2, 4, 8].map((ratio) =>
    instanceType({
      name: `size-${cpus}-${ratio}`,
      cpus,
      memoryGib: cpus * ratio,
      price: 0.04 * cpus * (1 + 0.15 * ratio),
      spotPrice: null,
    }),
  ),
)

const aDeployment = fc.record({
  name: fc.stringMatching(/^[a-z]{5}$/),
  cpus: fc.integer({ min: 1, max: 40 }).map((tenths) => tenths / 10),
  memoryGib: fc.integer({ min: 1, max: 60 }).map((fifths) => fifths / 5),
  replicas: fc.integer({ min: 2, max: 14 }),
  isSpread: fc.boolean(),
  isApart: fc.boolean(),
})

type Deployment = typeof aDeployment extends fc.Arbitrary<infer Value> ? Value : never

function podsOf({ name, cpus, memoryGib, replicas, isSpread, isApart }: Deployment): Pod[] {
  const selector = { matchLabels: { app: name }, matchExpressions: [] }
  const spread = { maxSkew: 1, topologyKey: LABEL.zone, selector, whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: [] } as const
  const term = { topologyKey: LABEL.hostname, selector, namespaces: [], matchLabelKeys: [], mismatchLabelKeys: [] }
  const rules = {
    topologySpread: isSpread ? [{ ...spread, nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' } as const] : [],
    podAntiAffinity: { required: isApart ? [term] : [], preferred: [] },
  }
  return Array.from({ length: replicas }, (_, index) => pod({ name: `${name}-${index}`, cpus, memoryGib, labels: { app: name }, ...rules }))
}

function priceOf({ actions }: Decision): number {
  return actions.reduce((sum, action) => sum + (action.kind === 'createClaim' ? (action.choice.price ?? 0) : 0), 0)
}

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
