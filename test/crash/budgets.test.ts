import { describe, expect, it } from 'vitest'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pods } from '../builders/pod.ts'
import { FAILED_WRITES, failuresAt, MODES } from './everyWrite.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const NODES = 3
const LIMIT_MS = 300_000
/** The nodes end one after another: each is drained and Azure is asked to delete its machine before the next is disrupted. */
const WITHIN_MS = 120_000

/** The number of machines that count against the budget: their claims are deleted, and Azure was not asked to delete the machines yet. */
function deleting({ world }: Simulation): number {
  const isEnding = (types: readonly { readonly type: string }[]): boolean => types.some(({ type }) => type === 'InstanceTerminating')
  return world.objects.all('nodeClaim').filter(({ meta, status }) => meta.deletedAt !== undefined && !isEnding(status.conditions)).length
}

/** Makes all machines empty at once, with a budget of one disrupted node. */
async function shrink(prepare: (simulation: Simulation) => void) {
  const simulation = createSimulation({ hosts: 2, instanceTypes: [instanceType()] })
  const { objects, clock, journal } = simulation.world
  objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '1' }] } }))
  const now = clock.now()
  for (const pod of pods(NODES, { name: 'app', cpus: 3, createdAt: now, unschedulableSince: now })) objects.put('pod', pod)
  const areUp = await simulation.runUntil(() => objects.all('pod').every(({ phase }) => phase === 'Running'), LIMIT_MS)
  if (areUp === undefined) throw new Error('the pods do not run')
  const before = journal.tried()
  prepare(simulation)
  for (const { key } of objects.all('pod')) objects.remove('pod', key)
  let most = 0
  const took = await simulation.runUntil(() => {
    most = Math.max(most, deleting(simulation))
    return objects.all('nodeClaim').length + simulation.world.machines.all().length === 0
  }, LIMIT_MS)
  return { took, most, before, writes: journal.tried() }
}

describe('SV-03 a budget of one node, with two hosts', () => {
  it('is used and never overdrawn', async () => {
    const { took, most } = await shrink(() => undefined)
    expect(most).toBe(1)
    expect(took).toBeLessThan(WITHIN_MS)
  })

  it.each(MODES)(
    `is never overdrawn by a $how $when a write: ${FAILED_WRITES}`,
    async (mode) => {
      const calm = await shrink(() => undefined)
      const wrong: unknown[] = []
      for (const { n } of failuresAt(mode, calm.before + 1, calm.writes, 2)) {
        const { took, most } = await shrink(({ world }) => world.failAt(n, mode))
        if (most > 1 || took === undefined || took > WITHIN_MS) wrong.push({ write: n - calm.before, most, took })
      }
      expect(calm.writes - calm.before).toBeGreaterThan(20)
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
