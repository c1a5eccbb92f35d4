import { describe, expect, it } from 'vitest'
import type { FailureMode, JournalEntry } from '../../shared/adapters/memory/writeJournal.ts'
import { err } from '../../shared/base/result.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { CALM_ANNOTATION, PLANNED_DELETION_COST, POD_ANNOTATION } from '../../shared/model/labels.ts'
import { problem } from '../../shared/model/problem.ts'
import { FAILED_WRITES, failuresAt, MODES } from './everyWrite.ts'
import { costedPods, createPlannedTaintStory, type PlannedTaintOptions, poolOf } from './plannedTaintStory.ts'

/** A drain takes longer than a node must be planned to go before its pods are written. */
const SLOW: PlannedTaintOptions = { podDeletionCosts: true, podExitMs: 90_000 }
/** Two moves one after another take some 165 s without faults. */
const WITHIN_MS = 240_000
const SWEPT_WITHIN_MS = 60_000

describe('pods of nodes that go one after another', () => {
  it('get a low deletion cost before their node goes, each with one write, and pods of the node that stays never get it', async () => {
    const { shrink, finish, costed, tainted, wrong, simulation } = await createPlannedTaintStory(SLOW)
    shrink()
    expect(await finish()).toBeLessThan(WITHIN_MS)
    expect(wrong).toEqual([])
    expect(costed.size).toBeGreaterThan(0)
    expect([...tainted]).toEqual(expect.arrayContaining([...new Set(costed.values())]))
    expect(costWrites(simulation.world.journal.entries)).toBe(costed.size)
  })

  it('get none without the setting, and none on a node that goes soon', async () => {
    for (const options of [
      { ...SLOW, podDeletionCosts: false },
      { ...SLOW, podExitMs: 0 },
    ]) {
      const { shrink, finish, simulation, tainted } = await createPlannedTaintStory(options)
      shrink()
      await finish()
      expect(tainted.size).toBeGreaterThan(0)
      expect(costWrites(simulation.world.journal.entries)).toBe(0)
    }
  })

  it('lose it when their pool is frozen, each with one write', async () => {
    const { shrink, costed, simulation } = await createPlannedTaintStory(SLOW)
    shrink()
    expect(await simulation.runUntil(() => costedPods(simulation).length > 0, WITHIN_MS)).toBeDefined()
    simulation.world.objects.put('nodePool', poolOf({ [CALM_ANNOTATION.frozen]: 'true' }))
    expect(await simulation.runUntil(() => costedPods(simulation).length === 0, SWEPT_WITHIN_MS)).toBeDefined()
    expect(costWrites(simulation.world.journal.entries)).toBe(2 * costed.size)
  })

  it('lose a cost that an earlier plan left, although nothing is to be done, and keep one of their user', async () => {
    const { shrink, finish, simulation } = await createPlannedTaintStory(SLOW)
    shrink()
    await finish()
    const { objects } = simulation.world
    const [first, second] = objects.all('pod')
    if (first === undefined || second === undefined) throw new Error('two pods expected')
    objects.put('pod', { ...first, annotations: { [POD_ANNOTATION.deletionCost]: PLANNED_DELETION_COST } })
    objects.put('pod', { ...second, annotations: { [POD_ANNOTATION.deletionCost]: '-7' } })
    expect(await simulation.runUntil(() => costedPods(simulation).length === 0, SWEPT_WITHIN_MS)).toBeDefined()
    expect(objects.get('pod', second.key)?.annotations).toEqual({ [POD_ANNOTATION.deletionCost]: '-7' })
  })

  it('are moved all the same where the right to write them is missing, and an Event tells what to do', async () => {
    let refused = 0
    const between = (deps: ClusterDeps): ClusterDeps => {
      const setDeletionCost: ClusterDeps['api']['setDeletionCost'] = async ({ key }) => {
        refused++
        return err(problem('KUBE.FORBIDDEN', `patch pod/${key}: cannot patch resource "pods"`))
      }
      return { ...deps, api: { ...deps.api, setDeletionCost } }
    }
    const { shrink, finish, wrong, simulation } = await createPlannedTaintStory({ ...SLOW, between })
    shrink()
    expect(await finish()).toBeLessThan(WITHIN_MS)
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(0)
    const told = simulation.world.objects.events.filter(({ event }) => event.reason === 'DeletionCostRefused')
    expect(told).toHaveLength(1)
  })
})

function isCostWrite({ operation }: JournalEntry): boolean {
  return operation === 'api.setDeletionCost'
}

function costWrites(entries: readonly JournalEntry[]): number {
  return entries.filter(isCostWrite).length
}

const HOSTS: { readonly [Key in `${FailureMode['how']} ${FailureMode['when']}`]: readonly number[] } = {
  'kill before': [2],
  'kill after': [1, 2],
  'fault before': [1],
  'fault after': [1],
}

describe.each(MODES)('a $how $when a write', (mode) => {
  it.each(HOSTS[`${mode.how} ${mode.when}`])(
    `leaves no deletion cost behind with %i hosts, at ${FAILED_WRITES} from the first cost on, while nodes go one after another`,
    async (hosts) => {
      const calm = await createPlannedTaintStory({ ...SLOW, hosts })
      calm.shrink()
      await calm.finish()
      const { entries, tried } = calm.simulation.world.journal
      // The story without deletion costs makes the same writes before this one, and its own test makes them fail.
      const first = entries.find(isCostWrite)?.number ?? 0
      const wrong: unknown[] = []
      for (const { n, mode: failure } of failuresAt(mode, first, tried(), hosts)) {
        const story = await createPlannedTaintStory({ ...SLOW, hosts })
        story.simulation.world.failAt(n, failure)
        story.shrink()
        const took = await story.finish()
        if (took === undefined || took > WITHIN_MS || story.wrong.length > 0) wrong.push({ write: n - first, took, wrong: story.wrong })
      }
      expect(first).toBeGreaterThan(0)
      expect(tried() - first).toBeGreaterThan(20)
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
