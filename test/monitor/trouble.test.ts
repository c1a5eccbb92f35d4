import { describe, expect, it } from 'vitest'
import { scaleUp } from '../crash/stories.ts'
import type { MonitoredOptions } from './monitored.ts'
import { createMonitoredSimulation } from './monitoredSimulation.ts'

/** Every write of the story in order, with its time. */
async function writesOf(options: MonitoredOptions): Promise<readonly string[]> {
  const { simulation } = createMonitoredSimulation({}, options)
  expect(await scaleUp(simulation)).toBeDefined()
  return simulation.world.journal.entries.map(({ operation, object, at }) => `${at} ${operation} ${object}`)
}

describe('no decision comes later, and no step is left out,', () => {
  it.each<readonly [string, MonitoredOptions]>([
    ['is down', { isDown: () => true }],
    ['never answers', { slow: true }],
    ['lets nobody in', { credential: { getToken: () => Promise.reject(new Error('no identity')) } }],
  ])('while ingestion %s', async (_, options) => {
    const calm = await writesOf({})
    expect(calm.length).toBeGreaterThan(20)
    expect(await writesOf(options)).toEqual(calm)
  })
})
