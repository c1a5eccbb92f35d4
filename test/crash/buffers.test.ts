import { describe, expect, it } from 'vitest'
import { isTrue } from '../../shared/model/condition.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { durationMs } from '../../shared/model/units.ts'
import { capacityBuffer, podTemplate } from '../builders/capacityBuffer.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { FAILED_WRITES, failuresAt, MODES } from './everyWrite.ts'
import { WITHIN_MS } from './moveStory.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const SECOND = 1_000
const LIMIT_MS = 300 * SECOND
const BOOT_MS = 20 * SECOND
const ROOMS = 2
const MAX_AGE_MS = 600 * SECOND

/** Begins the end of the nodes that are there. */
type End = (simulation: Simulation) => void

/** A buffer keeps room for two pods, each on a node of its own. No other pod needs the nodes. Plays until other nodes have this room. */
async function playEnd(end: End, hosts = 1, prepare: (simulation: Simulation) => void = () => undefined) {
  const lacks = { ms: 0, since: 0 }
  let run: () => void = () => undefined
  const simulation: Simulation = createSimulation({ hosts, bootMs: BOOT_MS, instanceTypes: [instanceType()], workload: () => run() })
  const { world, clock, runUntil } = simulation
  world.objects.put(
    'nodePool',
    nodePool({ disruption: { budgets: [{ nodes: '100%' }] }, template: { expireAfter: durationMs(MAX_AGE_MS) } }),
  )
  world.objects.put('podTemplate', podTemplate('shape', { cpus: 3 }))
  world.objects.put('capacityBuffer', capacityBuffer({ podTemplate: 'shape', replicas: ROOMS }))
  if ((await runUntil(() => roomsIn(simulation) === ROOMS, LIMIT_MS)) === undefined) throw new Error('the buffer has no room')
  const old = new Set(world.objects.all('nodeClaim').map(({ meta }) => meta.uid))
  run = () => {
    const isWhole = roomsIn(simulation) >= ROOMS
    lacks.since = isWhole ? clock.now() : lacks.since
    lacks.ms = Math.max(lacks.ms, clock.now() - lacks.since)
  }
  prepare(simulation)
  end(simulation)
  const isDone = (): boolean => {
    const claims = world.objects.all('nodeClaim')
    return claims.every(({ meta }) => !old.has(meta.uid)) && roomsIn(simulation) === ROOMS && world.machines.all().length === ROOMS
  }
  const took = await runUntil(isDone, MAX_AGE_MS + LIMIT_MS)
  const made = new Set(world.journal.entries.flatMap(({ operation, object }) => (operation === 'api.createClaim' ? [object] : [])))
  return { took, made: made.size, lacks: lacks.ms, writes: world.journal.tried() }
}

function roomsIn({ world: { objects } }: Simulation): number {
  return objects.all('nodeClaim').filter(isUp).length
}

function isUp({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt === undefined && isTrue(status.conditions, 'Initialized')
}

const drift: End = ({ world: { objects } }) => {
  const [pool] = objects.all('nodePool')
  if (pool === undefined) throw new Error('the simulation has no pool')
  objects.put('nodePool', { ...pool, template: { ...pool.template, labels: { 'example.com/generation': '2' } } })
}

/** Nothing has to happen: each node reaches its age. */
const grow: End = () => undefined

describe('the room of a buffer', () => {
  it('is never lost while its nodes drift: each node is replaced before it goes', async () => {
    const { took, lacks, made } = await playEnd(drift)
    expect(took).toBeLessThan(3 * BOOT_MS)
    expect(lacks).toBe(0)
    expect(made).toBe(2 * ROOMS)
  })

  it.each(MODES.map((mode) => ({ ...mode, hosts: mode.how === 'kill' ? 2 : 1 })))(
    `is never lost while its nodes drift, whatever becomes of a write: a $how $when it, $hosts hosts, ${FAILED_WRITES}`,
    async ({ hosts, ...mode }) => {
      let before = 0
      const calm = await playEnd(drift, hosts, ({ world }) => (before = world.journal.tried()))
      const failed: unknown[] = []
      for (const { n } of failuresAt(mode, before + 1, calm.writes, hosts)) {
        const { took, lacks, made } = await playEnd(drift, hosts, ({ world }) => world.failAt(n, mode))
        if (took === undefined || took > 2 * WITHIN_MS || lacks > 0 || made !== 2 * ROOMS)
          failed.push({ write: n - before, took, lacks, made })
      }
      expect(calm.writes - before).toBeGreaterThan(20)
      expect(failed).toEqual([])
    },
    300_000,
  )

  // As for nodes with pods, expiry waits for no replacement.
  it('is asked for at once elsewhere when its nodes expire', async () => {
    const { took, lacks, made } = await playEnd(grow)
    expect(took).toBeLessThan(MAX_AGE_MS + 2 * BOOT_MS)
    expect(lacks).toBeLessThanOrEqual(BOOT_MS + 5 * SECOND)
    expect(made).toBe(2 * ROOMS)
  })
})
