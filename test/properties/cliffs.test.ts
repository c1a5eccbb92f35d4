/** Cliffs: worlds of many pools and constraints must not cost pods, money, or work beyond the budget. */
import { describe, expect, it } from 'vitest'
import type { Work } from '../../shared/engine/scheduling/model/quantities/work.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot, DecisionSettings } from '../../shared/model/clusterSnapshot.ts'
import { worldOf } from '../adversarial/families.ts'
import { HOST_PORTS, NOT_IN, POOL_MIXES, POOLS, TAINTS } from '../adversarial/poolFamilies.ts'
import { times } from '../adversarial/world.ts'
import { createRandom } from '../agreement/random.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { placedPods } from '../checker/placedPods.ts'
import { spreadsOverSizes } from '../generators/dependentSpreads.ts'

type Answer = { readonly placed: number; readonly price: number; readonly work: Readonly<Work> }

function answerTo({ objects, ...context }: ClusterSnapshot, settings: Partial<DecisionSettings>): Answer {
  const planning = loadPlanning(objects)
  const decision = planning.decide({ ...context, settings: { ...context.settings, ...settings } })
  const creates = decision.actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
  const price = creates.reduce((sum, { choice }) => sum + (choice.price ?? 0), 0)
  return { placed: placedPods(decision).length, price, work: planning.work() }
}

describe('the price, as a share of the price of first fit', () => {
  it.each([
    { world: worldOf([TAINTS]), pods: 1_000, most: 0.75 },
    { world: worldOf([NOT_IN]), pods: 600, most: 0.75 },
    { world: worldOf([HOST_PORTS]), pods: 1_000, most: 0.75 },
    { world: worldOf([TAINTS, NOT_IN]), pods: 600, most: 0.8 },
    { world: worldOf([TAINTS, HOST_PORTS]), pods: 600, most: 0.8 },
  ])('of $world.name is at most $most', ({ world, pods, most }) => {
    const given = world.build(pods)
    const [packed, firstFit] = [answerTo(given, { placement: 'price' }), answerTo(given, { placement: 'firstFit' })]
    expect(packed.placed).toBe(pods)
    expect(packed.price / firstFit.price).toBeLessThanOrEqual(most)
  })
})

describe('templates that pools are narrowed to', () => {
  it.each([NOT_IN, HOST_PORTS, POOLS])('are few, since $name narrow next to nothing', (family) => {
    const { work } = answerTo(worldOf([family]).build(400), {})
    expect(work.narrowedTemplates).toBeLessThanOrEqual(2 * family.pools(400))
  })
})

describe('spreads over hundreds of sizes', () => {
  it('are not followed through all combinations of their domains', () => {
    const { placed, work } = answerTo(spreadsOverSizes(100, 300), {})
    expect(placed).toBeGreaterThanOrEqual(100)
    // All combinations would take 28,600 for each pod.
    expect(work.domains).toBeLessThanOrEqual(22_000 * 100)
  })
})

describe('few pods for each of many pools of different weights', () => {
  it('cost no more together than one pool after another: no search uses up what the others need', { timeout: 60_000 }, () => {
    const random = createRandom(5)
    const parts = times(20, (tier) => ({
      nodePool: [nodePool({ name: `pool-${tier}`, weight: tier + 1, template: { labels: { tier: `tier-${tier}` } } })],
      pod: times(40, (index) => {
        const [cpus, memoryGib] = [(1 + random.int(60)) / 10, (1 + random.int(200)) / 10]
        return pod({ name: `pod-${tier}-${index}`, cpus, memoryGib, nodeSelector: { tier: `tier-${tier}` } })
      }),
    }))
    const all = { nodePool: parts.flatMap((part) => part.nodePool), pod: parts.flatMap((part) => part.pod) }
    const apart = parts.reduce((sum, objects) => sum + answerTo(snapshot({ types: UNEVEN_TYPES, objects }), {}).price, 0)
    expect(answerTo(snapshot({ types: UNEVEN_TYPES, objects: all }), {}).price / apart).toBeLessThanOrEqual(1.01)
  })
})

/** Sizes whose prices follow no rule. */
const UNEVEN_TYPES = [2, 4, 8, 16, 32].flatMap((cpus) =>
  [2, 4, 8].map((gib) => {
    const price = cpus * (0.02 + 0.006 * gib) * (0.9 + ((cpus * gib * 7) % 11) / 50)
    return instanceType({ name: `Standard_X${gib}m${cpus}`, cpus, memoryGib: cpus * gib, price, spotPrice: null })
  }),
)

const PODS = 120
/** From next to nothing to enough for everything, in looks at a shape. */
const BUDGETS = [1_000, 100_000, 200_000, 400_000, 800_000, 1_600_000, 3_200_000, 6_400_000, 12_800_000, 80_000_000]

describe.each(POOL_MIXES)('$name within any budget', ({ build }) => {
  const given = build(PODS)

  it('gets at least the places that first fit finds within it', () => {
    const fewer = BUDGETS.filter(
      (maxSteps) => answerTo(given, { placement: 'price', maxSteps }).placed < answerTo(given, { placement: 'firstFit', maxSteps }).placed,
    )
    expect(fewer).toEqual([])
  })
})
