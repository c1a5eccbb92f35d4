import { settle } from '../../shared/base/concurrency.ts'
import { Fault } from '../../shared/model/problem.ts'
import type { SmokeApp } from './appTrial.ts'
import { evictionStep } from './evictionStep.ts'
import { imageStep } from './imageStep.ts'
import type { KindName } from './kinds.ts'
import type { Made } from './makeMachine.ts'
import { parseRecord, STEPS, type StepName, withStep } from './record.ts'
import { countOf, isNothing, removeAll, takeRemains } from './remains.ts'
import { type RightsOf, rightsStep } from './rightsStep.ts'
import { done, failed, type SmokeRun, type StepOutcome } from './smokeRun.ts'

export type SmokeRequest = {
  readonly kinds: readonly KindName[]
  readonly rights: RightsOf
  readonly app: SmokeApp
  /** True: removes what there is, and tries nothing. */
  readonly onlyRemove: boolean
}

export type Print = (line: string) => void

/**
 * Runs the steps that are not done yet, each after a note in the record, then removes everything. A failed step ends the run, and the removal comes all
 * the same. What earlier runs left is removed first. `stop`: a person interrupted the run; what is left to do is to remove. Returns the exit code: 1
 * if a step failed, or if something is left.
 */
export async function runSmoke(request: SmokeRequest, run: SmokeRun, print: Print, stop: AbortSignal): Promise<0 | 1> {
  const never = new AbortController().signal
  const before = await takeRemains(run, never)
  if (!isNothing(before)) {
    print(`an earlier run left ${countOf(before)}; removing them first`)
    await removeAll(run, never)
  }
  let made: Made | undefined
  let isWell = true
  for (const name of TRIES) {
    if (request.onlyRemove || !isWell) break
    if (isDone(run, name)) continue
    const outcome = await playStep(run, name, print, async () => {
      if (name === 'rights') return rightsStep(run, request.rights, stop)
      if (name === 'eviction') return evictionStep(run, { app: request.app, made }, stop)
      const image = await imageStep(run, request.kinds, stop)
      made = image.made
      return image.outcome
    })
    isWell = outcome.state !== 'failed'
  }
  const end = await playStep(run, 'end', print, () => endStep(run, never))
  const kept = await playStep(run, 'record', print, () => Promise.resolve(recordStep(run)))
  return isWell && end.state === 'done' && kept.state === 'done' ? 0 : 1
}

/** The steps that a run may leave out, or not reach. The others come at the end of every run. */
const TRIES = ['rights', 'image', 'eviction'] as const

function isDone({ journal }: SmokeRun, name: StepName): boolean {
  return journal.record().steps.some((step) => step.name === name && (step.state === 'done' || step.state === 'skipped'))
}

/** A refusal from outside is what the step found. Anything else is a bug, or the end of this process. */
async function playStep(run: SmokeRun, name: StepName, print: Print, play: () => Promise<StepOutcome>): Promise<StepOutcome> {
  run.journal.change((record) => withStep(record, { name, state: 'begun', text: '', figures: {} }))
  const played = await settle(play)
  const outcome = played.ok ? played.value : outcomeOf(played.error)
  const { state, text, figures = {} } = outcome
  run.journal.change((record) => withStep(record, { name, state, text: run.redactor.text(text), figures: { ...figures } }))
  print(stepLine(name, outcome))
  return outcome
}

function outcomeOf(cause: unknown): StepOutcome {
  if (cause instanceof Fault) return failed(`${cause.message} (${cause.problem.code})`)
  if (cause instanceof DOMException && cause.name === 'AbortError') return failed('interrupted')
  throw cause
}

const MARKS = { done: '', failed: 'FAIL  ', skipped: 'skip  ' } as const

/** ` 2 image         AKSUbuntu-2204gen2containerd 202511.07.0 boots on Standard_D2as_v5, spot`. */
function stepLine(name: StepName, { state, text }: StepOutcome): string {
  return ` ${STEPS.indexOf(name) + 1} ${TITLES[name].padEnd(13)} ${MARKS[state]}${text}`
}

const TITLES: { readonly [Name in StepName]: string } = {
  rights: 'rights',
  image: 'image',
  eviction: 'eviction',
  end: 'drain, end',
  record: 'record',
}

async function endStep(run: SmokeRun, signal: AbortSignal): Promise<StepOutcome> {
  const { left, isAppLate } = await removeAll(run, signal)
  const figures = { machines: left.machines.length, interfaces: left.interfaces.length, disks: left.disks.length }
  const late = isAppLate ? '; the app did not end its machines, so they were removed without it' : ''
  const text = `${isNothing(left) ? 'nothing left' : 'left'}: ${countOf(left)}${late}`
  return isNothing(left) ? done(text, figures) : failed(text)
}

/** Looks at the record as somebody would to whom it is shown: it has the form of a record, and nothing in it looks like a secret or an id. */
function recordStep({ journal, redactor }: SmokeRun): StepOutcome {
  const record = journal.record()
  const read = parseRecord(JSON.stringify(record))
  if (!read.ok) return failed(`the record is not as its schema says: ${read.error}`)
  if (JSON.stringify(redactor.value(record)) !== JSON.stringify(record)) return failed('the record holds what looks like a secret')
  const { answers } = record
  const count = answers.reduce((sum, { times }) => sum + times, 0)
  return done(`${count} answers of Azure in ${answers.length} forms are kept, without secrets`, { answers: count, forms: answers.length })
}
