import { describe, expect, it } from 'vitest'
import { budgetFor, costOf, spentOn, type Work } from '../../shared/engine/scheduling/model/quantities/work.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { POOL_MIXES } from '../adversarial/poolFamilies.ts'
import { WORLDS } from '../adversarial/worlds.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { describeViolation } from '../checker/violation.ts'

const PODS = 500
/** The limit for twice the pods, as a multiple of the cost: a little more than 2, never 4. */
const GROWTH = 3
/** The budget for a pod, in looks at a shape. */
const PER_POD = 5_000

/** Worlds whose pods have more rules than others, and the budget for a pod in each. */
const LARGE: { readonly [world: string]: number } = {
  // Each pod has twenty preferences, or ten rules.
  preferences: 8_000,
  'preferred-apart': 15_000,
  // The engine looks for machines in each alternative of the pod.
  terms: 8_000,
  zones: 8_000,
  // The exclusions of each pod are added to the machine that it is placed on.
  'excluded-types': 9_000,
  // Each pair of pods needs a machine of a kind that cannot be bought, so the search for a better plan uses up its budget.
  'open-label-excluded': 120_000,
  // Each machine is asked about pods of hundreds of wishes.
  'tolerated-pools': 20_000,
  // The same, for each mix with these pools. Every pool is also packed with every pod that it takes.
  ...Object.fromEntries(POOL_MIXES.map(({ name }) => [name, 30_000])),
  // Each pool is packed separately.
  weights: 8_000,
  // Each pod has a kind of machine of its own.
  'open-label': 17_000,
  // Pods with spreads are left over, so all pools are packed once more together.
  counted: 6_000,
  // Pods are packed for each combination of domains, so they are few each time, and the cheapest set of machines is looked for.
  'dependent-spread': 8_000,
  'dependent-mixture': 8_000,
  // Every rule concerns nearly every pod.
  tenants: 30_000,
}

/** The least work for a pod: every pod is read, classified and named in the answer. */
const LEAST_STEPS = 1

/** Too little for a search for something better, but enough for first fit of a few pods. */
const HARDLY_ANY = 1_000_000
/** The overrun of the budget: a search checks its budget only between two machines that it fills. */
const OVERRUN = 2

function decided({ objects, ...context }: ClusterSnapshot): { readonly decision: Decision; readonly work: Readonly<Work> } {
  const state = loadPlanning(objects)
  const decision = state.decide(context)
  return { decision, work: state.work() }
}

function stepsIn(work: Readonly<Work>): number {
  return Object.values(work).reduce((sum, count) => sum + count, 0)
}

/** The broken rules, and the pods that the decision does not mention. */
function faultsOf(snapshot: ClusterSnapshot, decision: Decision): readonly string[] {
  const placed = decision.actions.flatMap((action) =>
    action.kind === 'createClaim' || action.kind === 'nominate' ? action.pods.map(({ key }) => key) : [],
  )
  const refused = decision.reasons.flatMap(({ subject }) => (subject.kind === 'pod' ? [subject.name] : []))
  const told = new Set<string>([...placed, ...refused])
  const waiting = snapshot.objects.pod.filter((pod) => pod.nodeName === undefined)
  const silent = waiting.filter(({ key }) => !told.has(key)).map(({ key }) => key)
  return [...silent, ...violationsOf(snapshot, decision).map(describeViolation)]
}

describe.each(WORLDS)('$name: $about', ({ name, build }) => {
  it('costs no more than its pods are worth, and twice the pods not much more than twice', () => {
    const [few, many] = [decided(build(PODS)), decided(build(2 * PODS))]
    expect(stepsIn(few.work)).toBeGreaterThanOrEqual(LEAST_STEPS * PODS)
    expect(costOf(many.work) / (2 * PODS)).toBeLessThanOrEqual(LARGE[name] ?? PER_POD)
    expect(costOf(many.work)).toBeLessThanOrEqual(GROWTH * costOf(few.work))
    expect(spentOn(many.work)).toBeLessThan(budgetFor(2 * PODS).most)
  })

  it('leaves no pod out silently, and keeps every rule', () => {
    const snapshot = build(60)
    expect(faultsOf(snapshot, decided(snapshot).decision)).toEqual([])
  })

  it('does so as well when there is hardly anything to spend', () => {
    const snapshot = build(60)
    const poor = { ...snapshot, settings: { ...snapshot.settings, maxSteps: HARDLY_ANY } }
    const { decision, work } = decided(poor)
    expect(faultsOf(poor, decision)).toEqual([])
    expect(spentOn(work)).toBeLessThan(OVERRUN * HARDLY_ANY)
  })
})
