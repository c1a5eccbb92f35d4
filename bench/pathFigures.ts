import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPlayedApp, type PlayedApp } from '../functions/testing/playedApp.ts'
import { pods } from '../test/builders/pod.ts'
import type { Figure } from './figures.ts'

const ROOT = `${import.meta.dirname}/..`
const LIMIT_MS = 300_000
/** The files of the app. Adapters do not count, because the memory world takes their place here. */
const OF_THE_APP = /^(?:functions|shared)\/(?!(?:.*\/)?testing\/)(?!adapters\/)/

/**
 * How many files and functions of the app one pending pod runs through, from the post of the shim until its machine is asked for, in a cluster in which
 * an earlier pod has taken the same way: what is loaded and cached once does not count.
 */
export async function pathFigures(): Promise<readonly Figure[]> {
  const played = createPlayedApp({ hasShim: true })
  await placeOne(played, 'first')
  await played.runUntil(() => false, LIMIT_MS)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await placeOne(played, 'second')
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const called = result.flatMap(({ url, functions }) => {
    const file = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : ''
    // The outermost function is the module itself.
    const names = functions.filter(({ ranges, functionName }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
    return OF_THE_APP.test(file) && names.length > 0 ? [{ file, functions: names.length }] : []
  })
  return [
    { what: 'files that one pending pod runs through', value: called.length, unit: 'files', gate: 200, aim: 120 },
    { what: 'functions', value: called.reduce((sum, each) => sum + each.functions, 0), unit: 'functions', gate: 800, aim: 500 },
  ]
}

async function placeOne(played: PlayedApp, name: string): Promise<void> {
  const { world, clock } = played
  const now = clock.now()
  const before = world.machines.all().length
  for (const pod of pods(1, { name, cpus: 3, createdAt: now, unschedulableSince: now })) world.objects.put('pod', pod)
  const took = await played.runUntil(() => world.machines.all().length > before, LIMIT_MS)
  if (took === undefined) throw new Error(`no machine was made for pod ${name}`)
}
