/** Processes that start anew all the time, and changes that reach them twice or in the wrong order. */
import { describe, expect, it } from 'vitest'
import { LABEL } from '../../../shared/model/labels.ts'
import type { LogRecord } from '../../../shared/model/logRecord.ts'
import { durationMs } from '../../../shared/model/units.ts'
import { createRandom } from '../../agreement/random.ts'
import { MINUTE, SECOND } from '../../builders/clock.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { REPLICA_SET } from '../../builders/pod.ts'
import { createSimulation, type Simulation } from '../simulation.ts'
import { footprint, keepReplicas, scaleUp } from '../stories.ts'

const QUIET_MS = 5 * MINUTE
/** A killed process starts again after a second, and its lease ends after fifteen. */
const LOST_BY_KILL_MS = 20 * SECOND

/** Scales twenty nodes with a pod each to four. Kills the process once a minute, at one of its next writes. Returns how long it takes. */
async function scaleDownWith(kills: boolean): Promise<{ readonly took: number | undefined; readonly kills: number }> {
  const random = createRandom(1)
  let killAt = Number.POSITIVE_INFINITY
  const simulation: Simulation = createSimulation({
    tickMs: SECOND,
    caller: async () => {
      if (clock.now() < killAt) return
      killAt = clock.now() + MINUTE
      simulation.world.failAt(simulation.world.journal.tried() + 1 + random.int(5))
    },
  })
  const { clock, objects, machines } = simulation.world
  const size = { key: LABEL.instanceType, operator: 'In', values: ['Standard_D4as_v6'] } as const
  const disruption = { budgets: [{ nodes: '2' }], consolidateAfter: durationMs(QUIET_MS) }
  objects.put('nodePool', nodePool({ template: { requirements: [size] }, disruption }))
  expect(await scaleUp(simulation, 20, { cpus: 3, owner: REPLICA_SET })).toBeDefined()
  for (const { key } of objects.all('pod').slice(0, 16)) objects.remove('pod', key)
  if (kills) killAt = clock.now()
  const took = await simulation.runUntil(() => objects.all('nodeClaim').length === 4 && machines.all().length === 4, 30 * MINUTE)
  return { took, kills: simulation.kills() }
}

describe('F25: a process that is killed once a minute during a scale-down', () => {
  it('forgets no time for which nodes were quiet, and the scale-down ends', async () => {
    const calm = await scaleDownWith(false)
    const { took, kills } = await scaleDownWith(true)
    expect(calm.took).toBeGreaterThan(QUIET_MS)
    expect(kills).toBeGreaterThan(4)
    expect(took).toBeLessThan((calm.took ?? 0) + kills * LOST_BY_KILL_MS)
  })
})

/** Each post comes after the next one, backwards, and then again. */
function late(): (records: readonly LogRecord[]) => readonly LogRecord[] {
  const held: LogRecord[] = []
  return (records) => {
    const before = held.splice(0)
    held.push(...records)
    return [...records.toReversed(), ...before, ...records]
  }
}

describe('F22: a claim that is deleted 300 ms after it was created', () => {
  it.each<[sentence: string, delivery: (records: readonly LogRecord[]) => readonly LogRecord[]]>([
    ['in order', (records) => records],
    ['twice', (records) => [...records, ...records]],
    ['backwards, late and twice', late()],
  ])('keeps no pod from its node, with changes that come %s', async (_sentence, delivery) => {
    const [seen, deleted] = [new Set<string>(), new Set<string>()]
    const simulation: Simulation = createSimulation({
      tickMs: 300,
      delivery,
      workload: () => {
        keepReplicas(simulation, 3)
        for (const { name } of objects.all('nodeClaim')) {
          // The shim posts a claim when it is first seen here, and its deletion with the next post.
          if (seen.has(name) && deleted.size < 3 && !deleted.has(name)) {
            objects.delete('nodeClaim', name)
            deleted.add(name)
          }
          seen.add(name)
        }
      },
    })
    const { objects } = simulation.world
    expect(await scaleUp(simulation, 3, { cpus: 3, owner: REPLICA_SET })).toBeLessThan(MINUTE)
    expect(deleted.size).toBe(3)
    const isSettled = (): boolean => objects.all('nodeClaim').every(({ meta }) => meta.deletedAt === undefined)
    expect(await simulation.runUntil(isSettled, MINUTE)).toBeDefined()
    expect(objects.all('pod').every(({ phase }) => phase === 'Running')).toBe(true)
    expect(footprint(simulation)).toMatchObject({ claims: 3, nodes: 3, interfaces: 3, tokens: 0 })
  })
})
