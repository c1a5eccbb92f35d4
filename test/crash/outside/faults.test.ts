import { afterAll, describe, expect, it } from 'vitest'
import { Fault } from '../../../shared/model/problem.ts'
import { NOW } from '../../builders/clock.ts'
import { SILENT } from '../../builders/telemetry.ts'
import { STRIDE } from '../everyWrite.ts'
import { ANSWERS, type Answer, type Outside, type Stage, startOutside } from './answers.ts'
import { type CallName, callNames } from './calls.ts'
import { FAULT_STORIES, type StageOfStory } from './faultStories.ts'
import { NOT_YET } from './notYet.ts'
import { type OutsidePorts, realPorts } from './realPorts.ts'
import { type Case, callsOf, nameOf, type OutsideOf, sample, verify } from './verify.ts'

const STAGES: readonly Stage[] = ['every request', 'interface', 'machine']

const outsides = new Map<string, Outside>()
for (const answer of ANSWERS) for (const stage of STAGES) outsides.set(`${answer} ${stage}`, await startOutside(answer, stage))
afterAll(async () => {
  for (const outside of outsides.values()) await outside.close()
})

function outside(answer: Answer, stage: Stage): Outside {
  const found = outsides.get(`${answer} ${stage}`)
  if (found === undefined) throw new TypeError(`no outside answers ${answer} to ${stage}`)
  return found
}

const kept = new WeakMap<StageOfStory, Map<string, OutsidePorts>>()

/** The real adapters of one played story, one set for each answer. */
const outsideOf: OutsideOf = (played) => (answer, stage) => {
  const ports = kept.get(played) ?? new Map<string, OutsidePorts>()
  kept.set(played, ports)
  const { clock, world } = played.simulation
  const found = ports.get(`${answer} ${stage}`) ?? realPorts(outside(answer, stage), clock, world.telemetry)
  ports.set(`${answer} ${stage}`, found)
  return found
}

/** The answers that lead to different outcomes. Several statuses become the same fault: the first of them is kept. */
async function differentAnswers(call: CallName): Promise<readonly Answer[]> {
  const outcomes = new Map<string, Answer>()
  for (const answer of ANSWERS) {
    const outcome = await sample(call, realPorts(outside(answer, 'every request'), { now: () => NOW }, SILENT))
    const key = outcome instanceof Fault ? outcome.problem.code : JSON.stringify(outcome)?.replaceAll(answer, '')
    if (!outcomes.has(key)) outcomes.set(key, answer)
  }
  return [...outcomes.values()]
}

const played = await Promise.all(FAULT_STORIES.map(async (story) => ({ story, calls: await callsOf(story) })))
const answersOf = new Map<CallName, readonly Answer[]>()
for (const call of callNames('made by flows')) answersOf.set(call, await differentAnswers(call))

describe.each(played)('$story.name', ({ story, calls }) => {
  it.each([...calls])(
    'others go on, and it ends or recovers and says why: %s',
    async (call, objects) => {
      const stages: readonly (Stage | undefined)[] = call === 'cloud.launch' ? STAGES : [undefined]
      const cases = (answersOf.get(call) ?? []).flatMap((answer) =>
        stages.flatMap((stage) =>
          (['three times', 'for ever'] as const).map((mode): Case => ({ story, call, answer, mode, ...(stage && { stage }) })),
        ),
      )
      const struck = cases.filter((_, at) => Math.floor(at / 2) % STRIDE === 0)
      const wrong: { readonly [name: string]: readonly string[] }[] = []
      for (const each of struck) {
        const found = await verify(each, objects, outsideOf)
        // A case that passes must leave the list.
        const isExpected = NOT_YET.some(({ rows }) => rows.includes(nameOf(each)))
        if (found.length > 0 !== isExpected) wrong.push({ [nameOf(each)]: found })
      }
      expect(wrong).toEqual([])
    },
    300_000,
  )
})

describe('the stories', () => {
  it('make every call that flows make: a new one needs a story', () => {
    const made = new Set(played.flatMap(({ calls }) => [...calls.keys()]))
    expect(callNames('made by flows').filter((call) => !made.has(call))).toEqual([])
    expect([...made].filter((call) => !callNames('made by flows').includes(call))).toEqual([])
  })
})
