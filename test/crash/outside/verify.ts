import { Fault } from '../../../shared/model/problem.ts'
import type { Answer, Stage } from './answers.ts'
import { CALLS, type CallName } from './calls.ts'
import { createFaultInjector, type InjectedFault } from './faultInjector.ts'
import { createStage, type FaultStory, type StageOfStory } from './faultStories.ts'
import type { OutsidePorts } from './realPorts.ts'

/** The time for the rest of the story while one object has a fault. */
const WITHIN_MS = 60_000
/** The time for the whole story after the fault. Three refusals that only a person can fix cost a minute each. */
const RECOVERS_MS = 300_000
/** The length of a fault in mode "for ever". */
const FAULT_MS = 90_000
/** The tries allowed during a fault: of a call about one object, and of a call that every claim's look makes. */
const MOST_TRIES = { ofOne: 150, ofAll: 300 }

export type Mode = 'three times' | 'for ever'
export type Case = {
  readonly story: FaultStory
  readonly call: CallName
  readonly answer: Answer
  readonly stage?: Stage
  readonly mode: Mode
}

export type OutsideOf = (stage: StageOfStory) => (answer: Answer, part: Stage) => OutsidePorts

/** The name of a case, for example `scale up | api.createClaim | 403 | for ever`. */
export function nameOf({ story, call, answer, stage, mode }: Case): string {
  return [story.name, stage === undefined ? call : `${call} (${stage})`, answer, mode].join(' | ')
}

/** The calls that a story makes from its beginning on, each with the objects that it is about. */
export async function callsOf(story: FaultStory): Promise<ReadonlyMap<CallName, readonly string[]>> {
  const book = createFaultInjector(() => {
    throw new TypeError('nothing is struck in peace')
  })
  const stage = createStage(book.over)
  await story.before(stage)
  const before = new Map([...book.made].map(([call, objects]) => [call, new Map(objects)]))
  story.begin(stage)
  const took = await stage.simulation.runUntil(() => story.done(stage) === story.of, WITHIN_MS)
  if (took === undefined) throw new Error(`in peace ${story.name} comes to ${story.done(stage)} of ${story.of} only`)
  return new Map(
    [...book.made].flatMap(([call, objects]) => {
      const fresh = [...objects].filter(([object, count]) => count > (before.get(call)?.get(object) ?? 0)).map(([object]) => object)
      return fresh.length === 0 ? [] : [[call, fresh] as const]
    }),
  )
}

/**
 * Plays the case and returns what is wrong with it. Empty if nothing is. Flows believe and act on "there is no such object". So if the server says
 * this for minutes about an existing object, the case only requires that work on the other objects continues.
 */
export async function verify(played: Case, objects: readonly string[], outsideOf: OutsideOf): Promise<readonly string[]> {
  const { story, call, answer, mode } = played
  const book = createFaultInjector((given, part) => outsideOf(stage)(given, part))
  const stage = createStage(book.over)
  await story.before(stage)
  const about = objects.length > 1 ? objects[0] : undefined
  const from = stage.simulation.world.telemetry.lines.length
  const fault: InjectedFault = { call, answer, ...(played.stage && { stage: played.stage }), ...(about !== undefined && { object: about }) }
  const most = about === undefined ? MOST_TRIES.ofAll : MOST_TRIES.ofOne
  const lift = book.fault(mode === 'for ever' ? fault : { ...fault, times: 3 })
  story.begin(stage)
  const outcome = await sample(call, outsideOf(stage)(answer, played.stage ?? 'every request'))
  const isBelieved = answer === '404' && !needsReason(outcome)
  const wrong: string[] = []
  if (mode === 'for ever') {
    const wanted = about === undefined ? 0 : story.of - story.ofOne
    await stage.simulation.runUntil(() => story.done(stage) >= wanted || book.injected() > most, WITHIN_MS)
    if (story.done(stage) < wanted) wrong.push(`the others came to ${story.done(stage)} of ${wanted}`)
    const end = stage.simulation.clock.now() + FAULT_MS
    await stage.simulation.runUntil(() => stage.simulation.clock.now() >= end || book.injected() > most, FAULT_MS)
    if (book.injected() > most && !isBelieved) wrong.push(`${book.injected()} tries`)
    lift()
  }
  if (book.injected() > 0 && needsReason(outcome) && !isSaid(stage, about, from))
    wrong.push(`nobody says why${about === undefined ? '' : ` about ${about}`}`)
  if (isBelieved && (mode === 'for ever' || call === 'api.getClaim')) return wrong
  const all = await stage.simulation.runUntil(() => story.done(stage) === story.of, RECOVERS_MS)
  if (all === undefined) wrong.push(`does not recover: ${story.done(stage)} of ${story.of}`)
  return wrong
}

/** The outcome of one such call. */
export async function sample(call: CallName, ports: OutsidePorts): Promise<unknown> {
  const [port = '', method = ''] = call.split('.')
  const made = (CALLS as unknown as Record<string, Record<string, { make: (port: unknown) => Promise<unknown> }>>)[port]?.[method]
  try {
    return await made?.make(ports[port as keyof OutsidePorts])
  } catch (cause) {
    if (cause instanceof Fault) return cause
    throw cause
  }
}

/** Reports whether the outcome must be explained. A valid answer, for example "no such object", needs no explanation. */
function needsReason(outcome: unknown): boolean {
  return outcome instanceof Fault || (typeof outcome === 'object' && outcome !== null && 'ok' in outcome && outcome.ok === false)
}

/** Reports whether a log line with a code, an Event, a condition or the platform's log of a failed handler tells about the failure. */
function isSaid({ simulation: { world, failures } }: StageOfStory, about: string | undefined, from: number): boolean {
  const lines = world.telemetry.lines.slice(from).filter(({ fields }) => fields['code'] !== undefined)
  const conditions = world.objects.all('nodeClaim').flatMap((claim) => claim.status.conditions.map((each) => [claim.name, each]))
  const said = [...lines, ...failures, ...world.objects.events, ...conditions].map((each) => JSON.stringify(each))
  return about === undefined ? said.length > 0 : said.some((text) => text.includes(about.replace(/^.*\//, '')))
}
