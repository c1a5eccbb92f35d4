import { describe, expect, it } from 'vitest'
import type { FailureMode } from '../../shared/adapters/memory/writeJournal.ts'
import { CALM_ANNOTATION, TAINT_KEY } from '../../shared/model/labels.ts'
import { FAILED_WRITES, failuresAt, MODES } from './everyWrite.ts'
import { createPlannedTaintStory, NODES, poolOf, taintedNodes } from './plannedTaintStory.ts'

/** Two moves one after another take some 40 s without faults. A killed process restarts after 1 s, and its lease expires after 15 s. */
const WITHIN_MS = 120_000
const SWEPT_WITHIN_MS = 60_000

describe('nodes that go one after another', () => {
  it('have the taint of planned nodes before they go, and the node that stays never has it', async () => {
    const { shrink, finish, tainted, wrong, simulation } = await createPlannedTaintStory()
    shrink()
    expect(await finish()).toBeLessThan(WITHIN_MS)
    expect(wrong).toEqual([])
    // The first node goes at once.
    expect(tainted.size).toBe(NODES - 2)
    const [last] = simulation.world.objects.all('node')
    expect(tainted.has(last?.name ?? '')).toBe(false)
  })

  it('lose the taint when their pool is frozen', async () => {
    const { shrink, simulation } = await createPlannedTaintStory()
    shrink()
    expect(await simulation.runUntil(() => taintedNodes(simulation).length > 0, WITHIN_MS)).toBeDefined()
    simulation.world.objects.put('nodePool', poolOf({ [CALM_ANNOTATION.frozen]: 'true' }))
    expect(await simulation.runUntil(() => taintedNodes(simulation).length === 0, SWEPT_WITHIN_MS)).toBeDefined()
    expect(simulation.world.objects.all('node').length).toBeGreaterThan(1)
  })

  it('lose a taint that an earlier plan left, although nothing is to be done', async () => {
    const { shrink, finish, simulation } = await createPlannedTaintStory()
    shrink()
    await finish()
    const [last] = simulation.world.objects.all('node')
    if (last === undefined) throw new Error('no node is left')
    const taint = { key: TAINT_KEY.disruptionPlanned, value: '1', effect: 'PreferNoSchedule' } as const
    simulation.world.objects.put('node', { ...last, taints: [taint] })
    expect(await simulation.runUntil(() => taintedNodes(simulation).length === 0, SWEPT_WITHIN_MS)).toBeDefined()
  })
})

const HOSTS: { readonly [Key in `${FailureMode['how']} ${FailureMode['when']}`]: readonly number[] } = {
  'kill before': [2],
  'kill after': [1, 2],
  'fault before': [1],
  'fault after': [1],
}

describe.each(MODES)('a $how $when a write', (mode) => {
  // For a single process, a kill before a write equals a kill after the previous write. A fault hits one process, however many there are.
  it.each(HOSTS[`${mode.how} ${mode.when}`])(
    `leaves no taint behind with %i hosts, at ${FAILED_WRITES} while nodes go one after another`,
    async (hosts) => {
      const calm = await createPlannedTaintStory({ hosts })
      const before = calm.simulation.world.journal.tried()
      calm.shrink()
      await calm.finish()
      const writes = calm.simulation.world.journal.tried()
      const wrong: unknown[] = []
      for (const { n, mode: failure } of failuresAt(mode, before + 1, writes, hosts)) {
        const story = await createPlannedTaintStory({ hosts })
        story.simulation.world.failAt(n, failure)
        story.shrink()
        const took = await story.finish()
        if (took === undefined || took > WITHIN_MS || story.wrong.length > 0) wrong.push({ write: n - before, took, wrong: story.wrong })
      }
      expect(writes - before).toBeGreaterThan(20)
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
