import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../shared/base/canonicalJson.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
import { checkPlan } from '../checker/checkPlan.ts'
import { worldOf } from './givenWorld.ts'
import { judge } from './judge.ts'
import { nextWorld } from './nextWorld.ts'
import { NOT_YET } from './notYet.ts'
import type { Scenario } from './scenario.ts'
import { shuffled } from './shuffle.ts'
import { TABLES } from './tables.ts'

const PLACEMENTS = ['price', 'firstFit'] as const
type Placement = (typeof PLACEMENTS)[number]

const reasons = new Map<string, string>()
for (const { why, both = '', price = '', firstFit = '' } of NOT_YET) {
  for (const handle of `${both} ${price}`.split(/\s+/)) reasons.set(`price ${handle}`, why)
  for (const handle of `${both} ${firstFit}`.split(/\s+/)) reasons.set(`firstFit ${handle}`, why)
}

for (const [name, scenarios] of Object.entries(TABLES)) {
  describe(name, () => {
    for (const [sentence, scenario] of Object.entries(scenarios)) {
      for (const placement of PLACEMENTS) {
        const why = reasons.get(`${placement} ${handleOf(sentence)}`)
        it(`${sentence} (${placement}${why === undefined ? '' : `, not yet: ${why}`})`, () => {
          const problems = attempted(() => problemsOf(scenario, placement))
          if (why === undefined) expect(problems).toEqual([])
          else expect(problems, 'it holds now: take its handle off notYet.ts').not.toEqual([])
        })
      }
    }
  })
}

describe('the table of what does not hold yet', () => {
  const handles = Object.values(TABLES).flatMap((scenarios) => Object.keys(scenarios).map(handleOf))

  it('names scenarios that exist', () => {
    const named = [...reasons.keys()].map((each) => each.split(' ')[1] ?? '').filter((each) => each !== '')
    expect(named.filter((handle) => !handles.includes(handle))).toEqual([])
  })

  it('can name each scenario by a handle of its own', () =>
    expect(handles.filter((each, index) => handles.indexOf(each) !== index)).toEqual([]))
})

function handleOf(sentence: string): string {
  return sentence.split(' ')[0] ?? ''
}

/** An engine that breaks does not answer as wanted either. */
function attempted(run: () => readonly string[]): readonly string[] {
  try {
    return run()
  } catch (error) {
    return [error instanceof Error ? String(error.stack) : 'something was thrown']
  }
}

/** Everything that is not as wanted, step by step; a step that went wrong has no next. */
function problemsOf(scenario: Scenario, placement: Placement): readonly string[] {
  let world = worldOf(scenario.given)
  const [first, ...then] = [{ want: scenario.want, ...(scenario.firstFit && { firstFit: scenario.firstFit }) }, ...(scenario.then ?? [])]
  for (const [index, step] of [first, ...then].entries()) {
    if (step === undefined) return []
    const { snapshot } = world
    const before = deepFrozen({ ...snapshot, settings: { ...snapshot.settings, placement } })
    const want = placement === 'firstFit' ? { ...step.want, ...step.firstFit } : step.want
    const decision = decideProvisioning(before)
    const problems = [...judge({ ...world, snapshot: before }, decision, want), ...checkPlan(before, decision).filter(isJudged)]
    const same = canonicalJson(decideProvisioning(shuffled(before, index + 1))) === canonicalJson(decision)
    if (!same) problems.push('another order of the same objects gives another answer')
    if (problems.length > 0) return problems.map((each) => `step ${index + 1}: ${each}`)
    const following = then[index]
    if (following !== undefined) world = nextWorld({ ...world, snapshot: before }, decision, following)
  }
  return []
}

/** The checker names constraints that it has no rule for; here the wants judge them. */
function isJudged(problem: string): boolean {
  return !problem.includes('nothing checks its')
}

function deepFrozen<Thing>(thing: Thing): Thing {
  if (typeof thing !== 'object' || thing === null || Object.isFrozen(thing)) return thing
  Object.freeze(thing)
  for (const each of thing instanceof Map ? thing.values() : Object.values(thing)) deepFrozen(each)
  return thing
}
