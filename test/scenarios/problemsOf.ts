import { canonicalJson } from '../../shared/base/json.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { checkPlan } from '../checker/checkPlan.ts'
import { worldOf } from './givenWorld.ts'
import { refuseUnknownWords } from './knownWords.ts'
import { nextWorld } from './nextWorld.ts'
import { NotationError } from './notation.ts'
import type { Scenario } from './scenario.ts'
import { shuffled } from './shuffle.ts'
import { verify } from './verify.ts'

export const PLACEMENTS = ['price', 'firstFit'] as const
export type Placement = (typeof PLACEMENTS)[number]

/** Every difference between the answer and the wanted result. An error of the engine is a difference, too. */
export function problemsOf(scenario: Scenario, placement: Placement): readonly string[] {
  refuseUnknownWords(scenario)
  try {
    return problemsByStep(scenario, placement)
  } catch (error) {
    if (error instanceof NotationError) throw error
    return [error instanceof Error ? String(error.stack) : 'something was thrown']
  }
}

/** Plays the steps. A failed step ends the scenario. */
function problemsByStep(scenario: Scenario, placement: Placement): readonly string[] {
  let world = worldOf(scenario.given)
  const [first, ...then] = [{ want: scenario.want, ...(scenario.firstFit && { firstFit: scenario.firstFit }) }, ...(scenario.then ?? [])]
  for (const [index, step] of [first, ...then].entries()) {
    if (step === undefined) return []
    const { snapshot } = world
    const before = deepFrozen({ ...snapshot, settings: { ...snapshot.settings, placement } })
    const want = placement === 'firstFit' ? (step.firstFit ?? step.want) : step.want
    const decision = decideProvisioning(before)
    const problems = [...verify({ ...world, snapshot: before }, decision, want), ...checkPlan(before, decision).filter(isJudged)]
    const same = canonicalJson(decideProvisioning(shuffled(before, index + 1))) === canonicalJson(decision)
    if (!same) problems.push('another order of the same objects gives another answer')
    if (problems.length > 0) return problems.map((each) => `step ${index + 1}: ${each}`)
    const following = then[index]
    if (following !== undefined) world = nextWorld({ ...world, snapshot: before }, decision, following)
  }
  return []
}

/** The checker reports constraints without a rule, and machines without pods. The `want` of the scenario judges these instead. */
function isJudged(problem: string): boolean {
  return !problem.includes('nothing checks its') && !problem.includes('it has no pods')
}

function deepFrozen<Thing>(thing: Thing): Thing {
  if (typeof thing !== 'object' || thing === null || Object.isFrozen(thing)) return thing
  Object.freeze(thing)
  for (const each of thing instanceof Map ? thing.values() : Object.values(thing)) deepFrozen(each)
  return thing
}
