import { describe, expect, it } from 'vitest'
import { pods } from '../test/builders/pod.ts'
import { createPlayedApp, type PlayedApp } from './testing/playedApp.ts'

const MINUTE = 60_000

function addPods({ world, clock }: PlayedApp, count: number, name: string): void {
  const now = clock.now()
  for (const pod of pods(count, { name, createdAt: now, unschedulableSince: now })) world.objects.put('pod', pod)
}

const allRun = ({ world: { objects } }: PlayedApp): boolean => objects.all('pod').every(({ nodeName }) => nodeName !== undefined)

const isEmpty = ({ world: { objects, machines } }: PlayedApp): boolean =>
  objects.all('nodeClaim').length === 0 && objects.all('node').length === 0 && machines.all().length === 0

describe('work in a cluster whose shim keeps no invocation open', () => {
  it('begins only while an invocation is open, from the first pod to the last machine', async () => {
    const played = createPlayedApp()
    addPods(played, 5, 'first')
    const makes = await played.runUntil(() => played.world.machines.all().length > 0, 5 * MINUTE)
    expect(makes, 'the timer waits for its decision').toBeLessThanOrEqual(MINUTE + 15_000)
    expect(await played.runUntil(() => allRun(played), 5 * MINUTE)).toBeDefined()
    addPods(played, 30, 'second')
    expect(await played.runUntil(() => allRun(played), 5 * MINUTE)).toBeDefined()
    for (const pod of played.world.objects.all('pod')) played.world.objects.remove('pod', pod.key)
    expect(await played.runUntil(() => isEmpty(played), 15 * MINUTE)).toBeDefined()
    expect(played.uncovered).toEqual([])
    expect(played.longest('timer')).toBeLessThanOrEqual(25_000)
    expect(played.world.journal.entries.filter(({ operation }) => operation === 'cloud.createMachine').length).toBeGreaterThan(1)
  })
})
