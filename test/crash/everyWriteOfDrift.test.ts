import { describe, expect, it } from 'vitest'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { FAILED_WRITES, failuresAt, MODES } from './everyWrite.ts'
import { createJudge, WITHIN_MS } from './moveStory.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { drift, keepReplicas } from './stories.ts'

/** Three nodes drift. The planner replaces two at a time. */
async function playDrift(hosts: number, prepare: (simulation: Simulation) => void = () => undefined) {
  const wrong: string[] = []
  const judge = createJudge(wrong, 2)
  const simulation: Simulation = createSimulation({
    hosts,
    instanceTypes: [instanceType()],
    workload: () => keepReplicas(simulation, 3),
    caller: () => judge(simulation),
  })
  simulation.world.objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '2' }] } }))
  const took = await drift(simulation, prepare)
  const { entries } = simulation.world.journal
  const made = new Set(entries.flatMap(({ operation, object }) => (operation === 'api.createClaim' ? [object] : [])))
  return { took, wrong, made: made.size, writes: simulation.world.journal.tried(), kills: simulation.kills() }
}

describe('nodes that drift', () => {
  it('DS-02 are replaced two at a time, each with its new node ready before it goes', async () => {
    const { took, wrong, made } = await playDrift(1)
    expect(wrong).toEqual([])
    expect(took).toBeLessThan(60_000)
    expect(made).toBe(6)
  })

  it.each(MODES.map((mode) => ({ ...mode, hosts: mode.how === 'kill' ? 2 : 1 })))(
    `are replaced once, whatever becomes of a write: a $how $when it, $hosts hosts, ${FAILED_WRITES}`,
    async ({ hosts, ...mode }) => {
      let before = 0
      const calm = await playDrift(hosts, ({ world }) => (before = world.journal.tried()))
      const failed: unknown[] = []
      for (const { n } of failuresAt(mode, before + 1, calm.writes, hosts)) {
        const { took, wrong, made } = await playDrift(hosts, ({ world }) => world.failAt(n, mode))
        if (took === undefined || took > 2 * WITHIN_MS || made !== 6 || wrong.length > 0)
          failed.push({ write: n - before, took, made, wrong })
      }
      expect(calm.writes - before).toBeGreaterThan(20)
      expect(failed).toEqual([])
    },
    300_000,
  )
})
