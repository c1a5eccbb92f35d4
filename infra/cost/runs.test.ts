import { describe, expect, it } from 'vitest'
import { DEFAULT_DAY, EMPTY_POSTS_A_DAY } from '../../cli/cost/dayRuns.ts'
import { LONGEST_SILENCE_MS } from '../../functions/coveredAnswer.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from '../../functions/scheduleSettings.ts'
import { decisionsBetweenRuns } from '../../functions/schedules.ts'
import { CLUSTERS, createTestApp, NOW } from '../../functions/testing/testApp.ts'
import { createMemoryShim } from '../../shared/adapters/memory/memoryShim.ts'
import { epochMs } from '../../shared/model/units.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod } from '../../test/builders/pod.ts'
import { countRuns } from './testing/countRuns.ts'

const NEVER = new AbortController().signal
const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const SCHEDULES = schedulesOf(DEFAULT_SCHEDULES)

/** Runs the app as its platform does: the timer each minute. In `beta` a pod waits that fits no machine. */
async function playHour(): Promise<{ readonly runs: number; readonly decisions: { readonly [cluster: string]: number } }> {
  const app = createTestApp({ runsUntil: NEVER })
  const shims: (() => Promise<void>)[] = []
  for (const cluster of CLUSTERS) {
    const world = app.worlds[cluster]
    world.objects.put('nodeClass', nodeClass())
    world.objects.put('nodePool', nodePool())
    if (cluster === 'beta') world.objects.put('pod', pod({ cpus: 10_000, unschedulableSince: NOW, createdAt: NOW }))
    const shim = createMemoryShim(world, 1)
    await world.ports.log.append(shim.snapshot(), NEVER)
    shims.push(async () => {
      const changes = shim.changes()
      if (changes !== undefined) await world.ports.log.append(changes, NEVER)
    })
  }
  const decisions: { [cluster: string]: number } = {}
  const { clock } = app.worlds.alpha
  let runs = 0
  for (let at = 0; at < HOUR; at += 10 * SECOND) {
    if (at % (60 * SECOND) === 0) {
      runs++
      await app.run('timer', {})
    }
    for (const cluster of CLUSTERS) app.covers[cluster].allow()
    for (const post of shims) await post()
    await clock.advance(10 * SECOND)
  }
  for (const { name, fields } of CLUSTERS.flatMap((cluster) => app.worlds[cluster].telemetry.measures)) {
    const cluster = String(fields['cluster'])
    if (name === 'reconcile_ms') decisions[cluster] = (decisions[cluster] ?? 0) + 1
  }
  return { runs, decisions }
}

describe('what the app does by itself', () => {
  it('in an idle month', () => {
    const month = countRuns(SCHEDULES, 'empty', NOW, epochMs(NOW + 30 * DAY))
    expect(month).toEqual({ timer: 43_200, gc: 4_321, catalog: 4_320, decisions: 4_320 })
    expect(month.timer + month.decisions).toBeLessThan(50_000)
  })

  it('in a day, by how a cluster is', () => {
    const decisions = (['empty', 'quiet', 'refusing', 'busy'] as const).map(
      (activity) => countRuns(SCHEDULES, activity, NOW, epochMs(NOW + DAY)).decisions,
    )
    expect(decisions).toEqual([144, 288, 720, 8_640])
  })

  it('in a day, as the bill and the line of the preflight have it', () => {
    const from = Date.UTC(2027, 0, 4)
    for (const activity of ['empty', 'quiet', 'refusing', 'busy'] as const) {
      const { timer, gc, decisions } = countRuns(SCHEDULES, activity, epochMs(from), epochMs(from + DAY))
      expect({ activity, timer, gc, decisions }).toEqual({ activity, ...DEFAULT_DAY[activity] })
    }
  })

  it('in a day, by posts without changes that it asks for, as the bill has it', () => {
    expect(DAY / LONGEST_SILENCE_MS).toBe(EMPTY_POSTS_A_DAY)
  })

  it('is what the app does, hour for hour', async () => {
    const { runs, decisions } = await playHour()
    const hour = epochMs(NOW + HOUR)
    const [empty, refusing] = [countRuns(SCHEDULES, 'empty', NOW, hour), countRuns(SCHEDULES, 'refusing', NOW, hour)]
    expect(runs).toBe(empty.timer)
    // The first decision writes the status of pool and class. Decisions for disruption follow it until the timer runs again.
    const first = 1 + decisionsBetweenRuns(SCHEDULES, NOW).length
    expect(decisions['alpha']).toBeGreaterThanOrEqual(empty.decisions)
    expect(decisions['alpha']).toBeLessThanOrEqual(empty.decisions + first)
    expect(decisions['beta']).toBeGreaterThanOrEqual(refusing.decisions)
    expect(decisions['beta']).toBeLessThanOrEqual(refusing.decisions + first)
  })
})
