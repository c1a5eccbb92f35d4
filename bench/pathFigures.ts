import { Session } from 'node:inspector/promises'
import { basename, dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { createPlayedApp, type PlayedApp } from '../functions/testing/playedApp.ts'
import { byText } from '../shared/base/lists.ts'
import { pods } from '../test/builders/pod.ts'
import type { Figure } from './figures.ts'
import { sumOf } from './idle/counts.ts'
import { callsOfDecisions } from './idle/hours.ts'
import { inWords, startStorageProcess } from './idle/idleFigures.ts'

const ROOT = `${import.meta.dirname}/..`
const LIMIT_MS = 300_000
// Without these, V8 forgets some functions that were called, in each run others.
setFlagsFromString('--no-flush-bytecode')
setFlagsFromString('--no-lazy-feedback-allocation')
/** The files of the app. Adapters do not count, because the memory world takes their place here. */
const OF_THE_APP = /^(?:functions|shared)\/(?!(?:.*\/)?testing\/)(?!adapters\/)/

/**
 * How many files and functions of the app one pending pod runs through, from the post of the shim until its machine is asked for, in a cluster in which
 * an earlier pod has taken the same way: what is loaded and cached once does not count. `isListed`: prints them.
 */
export async function pathFigures(isListed: boolean): Promise<readonly Figure[]> {
  const played = createPlayedApp({ hasShim: true })
  await placeOne(played, 'first')
  await played.runUntil(() => false, LIMIT_MS)
  const called = (await calledDuring(() => placeOne(played, 'second'))).filter(({ file }) => OF_THE_APP.test(file))
  if (isListed) printByFolder(called)
  return [
    {
      what: 'files that one pending pod runs through',
      value: new Set(called.map(({ file }) => file)).size,
      unit: 'files',
      gate: 200,
      aim: 120,
    },
    { what: 'functions', value: called.length, unit: 'functions', gate: 800, aim: 500 },
  ]
}

function printByFolder(called: readonly Called[]): void {
  for (const [folder, inFolder] of sortedGroups(called, ({ file }) => dirname(file))) {
    const files = sortedGroups(inFolder, ({ file }) => basename(file))
    console.log(`${folder}: ${files.length} files, ${inFolder.length} functions`)
    for (const [file, functions] of files) console.log(`  ${file} ${functions.length}: ${functions.map(({ name }) => name).join(', ')}`)
  }
}

function sortedGroups(called: readonly Called[], keyOf: (each: Called) => string) {
  return [...Map.groupBy(called, keyOf)].sort(([one], [other]) => byText(one, other))
}

/** The two functions of `shared/wire` that parse a change: one for stored changes, one for Kubernetes JSON. */
const PARSES = /^shared\/wire\/(?:change\.ts parseChange|kube\/object\.ts objectFromKube)$/

/** The calls of one decision to real storage adapters, and how often the app parses one pod that needs a machine. */
export async function decisionFigures(): Promise<readonly Figure[]> {
  const { at, stop } = await startStorageProcess()
  let called: readonly Called[] = []
  const { making, calm } = await callsOfDecisions(at, async (work) => {
    called = await calledDuring(work)
  })
  stop()
  const parses = called.filter(({ file, name }) => PARSES.test(`${file} ${name}`)).reduce((sum, { times }) => sum + times, 0)
  for (const [kind, calls] of Object.entries({ making, calm })) console.log(`${kind}: ${inWords(calls)}`)
  return [
    { what: 'storage calls of a decision that makes a machine', value: sumOf(making), unit: '', gate: 6, aim: 5 },
    { what: 'storage calls of a decision that makes none', value: sumOf(calm), unit: '', gate: 6, aim: 5 },
    { what: 'parses of one pod', value: parses, unit: '', gate: 1, aim: 1 },
  ]
}

/** A function with a name that was called. */
type Called = { readonly file: string; readonly name: string; readonly times: number }

async function calledDuring(work: () => Promise<void>): Promise<readonly Called[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result.flatMap(({ url, functions }) => {
    const file = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : ''
    // The outermost function is the module itself.
    return functions.flatMap(({ ranges, functionName: name }) => {
      const times = ranges[0]?.count ?? 0
      return name !== '' && times > 0 ? [{ file, name, times }] : []
    })
  })
}

async function placeOne(played: PlayedApp, name: string): Promise<void> {
  const { world, clock } = played
  const now = clock.now()
  const before = world.machines.all().length
  for (const pod of pods(1, { name, cpus: 3, createdAt: now, unschedulableSince: now })) world.objects.put('pod', pod)
  const took = await played.runUntil(() => world.machines.all().length > before, LIMIT_MS)
  if (took === undefined) throw new Error(`no machine was made for pod ${name}`)
}
