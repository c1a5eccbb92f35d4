import { describe, expect, it } from 'vitest'
import { pods } from '../test/builders/pod.ts'
import { createPlayedApp, type PlayedApp } from './testing/playedApp.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

function addPods({ world, clock }: PlayedApp, count: number, name: string): void {
  const now = clock.now()
  for (const pod of pods(count, { name, createdAt: now, unschedulableSince: now })) world.objects.put('pod', pod)
}

const allRun = ({ world: { objects } }: PlayedApp): boolean => objects.all('pod').every(({ nodeName }) => nodeName !== undefined)

const isEmpty = ({ world: { objects, machines } }: PlayedApp): boolean =>
  objects.all('nodeClaim').length === 0 && objects.all('node').length === 0 && machines.all().length === 0

/** From the first pods over more pods to the last machine gone. Returns the time to the first machine. */
async function playAll(played: PlayedApp): Promise<number> {
  addPods(played, 5, 'first')
  const first = await played.runUntil(() => played.world.machines.all().length > 0, 5 * MINUTE)
  expect(await played.runUntil(() => allRun(played), 5 * MINUTE)).toBeDefined()
  addPods(played, 30, 'second')
  expect(await played.runUntil(() => allRun(played), 5 * MINUTE)).toBeDefined()
  for (const pod of played.world.objects.all('pod')) played.world.objects.remove('pod', pod.key)
  expect(await played.runUntil(() => isEmpty(played), 15 * MINUTE)).toBeDefined()
  expect(played.world.journal.entries.filter(({ operation }) => operation === 'cloud.createMachine').length).toBeGreaterThan(1)
  return first ?? Number.POSITIVE_INFINITY
}

describe('work begins only while an invocation is open', () => {
  it('where the timer alone finds work, within a minute and a decision', async () => {
    const played = createPlayedApp({ hasShim: false })
    expect(await playAll(played)).toBeLessThanOrEqual(MINUTE + 15 * SECOND)
    expect(played.uncovered).toEqual([])
    expect(played.longest('timer')).toBeLessThanOrEqual(25 * SECOND)
  })

  it('where the shim keeps its answers open and comes when it is told to, at the pace of a process that works by itself', async () => {
    const played = createPlayedApp({ hasShim: true })
    expect(await playAll(played)).toBeLessThanOrEqual(3 * SECOND)
    expect(played.uncovered).toEqual([])
    expect(played.longest('events')).toBeLessThanOrEqual(25 * SECOND)
    // An idle cluster: the shim comes each five minutes, and nothing is stored or decided because of it.
    await played.runUntil(() => false, 10 * MINUTE)
    const [appends, from] = [
      () => played.world.journal.entries.filter(({ operation }) => operation === 'log.append').length,
      played.posts.length,
    ]
    const before = appends()
    await played.runUntil(() => false, 60 * MINUTE)
    expect(appends() - before).toBe(0)
    expect(played.posts.slice(from).every(({ changes }) => changes === 0)).toBe(true)
    expect(played.posts.length - from).toBeLessThanOrEqual(13)
    expect(played.posts.length - from).toBeGreaterThanOrEqual(11)
  })
})
