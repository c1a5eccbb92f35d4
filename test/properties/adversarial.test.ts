import { describe, expect, it } from 'vitest'
import { loadPlanning } from '../../shared/engine/scheduling/state/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { WORLDS } from '../adversarial/worlds.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { describeViolation } from '../checker/violation.ts'

const PODS = 500
/** Twice the pods may be so many times the work: a little more than twice, never four times. */
const GROWTH = 3
/** Steps for a pod. */
const PER_POD = 150

/** Worlds whose work grows with the square until a bound of the planner's own stops it, and the steps for a pod that it comes to here. */
const BOUNDED: { readonly [world: string]: number } = {
  // Every shape is looked at for every machine: `MOST_STEPS` of a layout.
  shapes: 10_000,
  amounts: 12_000,
  terms: 1_000,
  'least-values': 5_000,
  // Each of the rules counts nearly every pod: no less is to be kept up to date.
  tenants: 500,
  'spreads-over-all': 500,
  // Pods and machines are one tenth of each other's square.
  pinned: 300,
  'nearly-full': 500,
  counted: 300,
  // Whether a mixture of patterns is looked for depends on how many machines there are: its own bound is in shapes.
  repelled: 600,
}

/** Worlds whose work is linear and large. */
const LARGE: { readonly [world: string]: number } = {
  weights: 1_000,
  'limited-pools': 2_000,
  prices: 500,
  domains: 300,
  'open-label': 500,
  drivers: 400,
}

function decided({ objects, ...occasion }: ClusterSnapshot): { readonly decision: Decision; readonly steps: number } {
  const state = loadPlanning(objects)
  const decision = state.decide(occasion)
  return { decision, steps: Object.values(state.work()).reduce((sum, count) => sum + count, 0) }
}

describe.each(WORLDS)('$name: $about', ({ name, build }) => {
  it('costs no more steps than its pods are worth, and twice the pods not much more than twice', () => {
    const [few, many] = [decided(build(PODS)), decided(build(2 * PODS))]
    expect(many.steps / (2 * PODS)).toBeLessThanOrEqual(BOUNDED[name] ?? LARGE[name] ?? PER_POD)
    if (BOUNDED[name] === undefined) expect(many.steps).toBeLessThanOrEqual(GROWTH * few.steps + PODS)
  })

  it('leaves no pod out silently, and keeps every rule', () => {
    const snapshot = build(60)
    const { decision } = decided(snapshot)
    const placed = decision.actions.flatMap((action) =>
      action.kind === 'createClaim' || action.kind === 'nominate' ? action.pods.map(({ key }) => key) : [],
    )
    const refused = decision.reasons.flatMap(({ subject }) => (subject.kind === 'pod' ? [subject.name] : []))
    const told = new Set<string>([...placed, ...refused])
    const waiting = snapshot.objects.pod.filter((pod) => pod.nodeName === undefined)
    expect(waiting.filter(({ key }) => !told.has(key)).map(({ key }) => key)).toEqual([])
    expect(violationsOf(snapshot, decision).map(describeViolation)).toEqual([])
  })
})
