import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createSystemClock } from '../../shared/adapters/system/systemClock.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { askOnTerminal } from '../askOnTerminal.ts'
import { azdValues, withSubscription } from '../azdEnvironment.ts'
import { openAccess } from '../clusterAccess.ts'
import { runProgram } from '../down/runProgram.ts'
import { readInstallOptions } from '../preflight/installOptions.ts'
import { isKind } from './kinds.ts'
import { type RecordFile, recordFile, type SmokeRecord } from './record.ts'
import { readSmokeArguments, type SmokeArguments, USAGE } from './smokeArguments.ts'
import { startSmoke } from './startSmoke.ts'

/** Tries on a subscription what only Azure can show. Returns the exit code. */
export async function smokeCommand(args: readonly string[], isTerminal = process.stdin.isTTY): Promise<number> {
  const given = readSmokeArguments(args, isTerminal)
  if (!given.ok) return refuse([given.error])
  if (given.value === 'help') {
    console.log(USAGE)
    return 0
  }
  const { azdEnvironment, kinds, onlyRemove, yes, maxCost } = given.value
  const known = await azdValues(azdEnvironment, runProgram)
  if (!known.ok) {
    console.error(known.error)
    return 1
  }
  const environment = withSubscription({ ...process.env, ...known.value })
  const wishes = readInstallOptions(environment)
  if (!wishes.ok) return refuse(wishes.error)
  const resourceId = given.value.cluster ?? wishes.value.clusterIds[0] ?? environment['JOINER_DEMO_CLUSTER_ID']
  if (!resourceId) return refuse(['the environment names no cluster: say --cluster'])
  const kept = recordOf(given.value)
  if (!kept.ok) return refuse([kept.error])
  const { file, path, resume } = kept.value
  console.log(`the record of this run: ${path}`)
  return startSmoke(
    { resourceId, kinds: resume?.kinds.filter(isKind) ?? kinds, resume, onlyRemove, maxCost, environment, wishes: wishes.value },
    {
      open: (around) => openAccess(environment, { armOptions: { around } }),
      clock: createSystemClock(),
      write: file.write,
      print: (line) => console.log(line),
      ask: (question) => (yes ? Promise.resolve(true) : askOnTerminal(question)),
      runName: () => Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
    },
    interrupted(),
  )
}

/** A name begins with a letter, like the names of machines that it is part of. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz'

type Kept = { readonly file: RecordFile; readonly path: string; readonly resume: SmokeRecord | undefined }

function recordOf({ out, resume }: SmokeArguments): Result<Kept, string> {
  if (resume !== undefined) {
    const file = recordFile(resume)
    const read = file.read()
    return read.ok ? ok({ file, path: resume, resume: read.value }) : err(`--resume ${resume} is no record of a smoke run: ${read.error}`)
  }
  const path = out ?? freePath(new Date().toISOString().slice(0, 10))
  if (existsSync(path)) return err(`${path} is there already: name another file, or resume its run with --resume ${path}`)
  return ok({ file: recordFile(path), path, resume: undefined })
}

/** `smoke-2026-11-29.json`, or the same with a number where there is one of the day. */
function freePath(day: string): string {
  const names = Array.from({ length: 100 }, (_, at) => `smoke-${day}${at === 0 ? '' : `-${at + 1}`}.json`)
  return names.find((name) => !existsSync(name)) ?? `smoke-${day}-${Date.now()}.json`
}

/** The first interruption ends the steps, and what they made is removed. The second one ends the process: its record can be resumed. */
function interrupted(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      console.error('interrupted: removing what was made. Interrupt again to stop at once, and resume with --resume')
      stop.abort()
    })
  return stop.signal
}

function refuse(why: readonly string[]): 2 {
  console.error(`${why.join('\n')}\n\n${USAGE}`)
  return 2
}
