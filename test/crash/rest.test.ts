import { describe, expect, it } from 'vitest'
import { createMemoryWorkQueue } from '../../shared/adapters/memory/workQueue.ts'
import { reconcile } from '../../shared/flows/decide/reconcile.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { restStateOf } from '../../shared/flows/ledger/rest.ts'
import { createClusterReader } from '../../shared/flows/state/catchUp.ts'
import { ANNOTATION } from '../../shared/model/labels.ts'
import { durationMs, later } from '../../shared/model/units.ts'
import { daemonPod, pod } from '../builders/pod.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { scaleDown, scaleUp } from './stories.ts'

const NEVER = new AbortController().signal
/** The storage operations that every run makes. */
const OWN_WRITES = /^(ledger|lease|log|decisions)\./

/** Notes the work that the watching process adds, which does not run, so that the process does not change the story. */
const unheard = ({ clock }: ClusterDeps) => createMemoryWorkQueue([], clock)

/** Events about refusals are published at each run. Nothing waits for them. */
const TOLD = 'api.publish'

/** While the cluster counts as at rest, another process looks in every tick. Returns what these looks did, apart from their own storage writes. */
async function playWatched(story: (simulation: Simulation) => Promise<unknown>, options: SimulationOptions = {}) {
  const missed: string[] = []
  let rested = 0
  async function run(deps: ClusterDeps): Promise<void> {
    if ((await restStateOf(deps, NEVER)) !== 'resting') return
    rested++
    const { entries } = simulation.world.journal
    const before = entries.length
    await reconcile({ ...deps, queue: unheard(deps) }, { reader: createClusterReader(deps.log) }, [], NEVER)
    missed.push(...entries.slice(before).flatMap(({ operation }) => (OWN_WRITES.test(operation) || operation === TOLD ? [] : [operation])))
  }
  const simulation: Simulation = createSimulation({
    ...options,
    caller: async () => {
      await simulation.perform(run)
    },
  })
  const came = await story(simulation)
  return { simulation, came, missed, rested }
}

/** Scales up and down, with an idle minute after each. */
async function withPauses(simulation: Simulation): Promise<boolean> {
  const up = await scaleUp(simulation)
  await simulation.runUntil(() => false, 60_000)
  const down = await scaleDown(simulation)
  await simulation.runUntil(() => false, 60_000)
  return up !== undefined && down !== undefined
}

describe('a cluster that counts as at rest', () => {
  it.each([
    ['undisturbed', {}],
    ['with two hosts', { hosts: 2 }],
    ['with slow machines', { bootMs: 40_000, deleteMs: 20_000 }],
  ])('has nothing that another run would find: %s', async (_name, options) => {
    const { came, missed, rested } = await playWatched(withPauses, options)
    expect([came, missed]).toEqual([true, []])
    expect(rested).toBeGreaterThan(100)
  })

  it('has nothing that another run would find while a pod fits nowhere', async () => {
    const { came, missed, rested } = await playWatched((simulation) => {
      const now = simulation.clock.now()
      simulation.world.objects.put('pod', pod({ name: 'nowhere', cpus: 10_000, createdAt: now, unschedulableSince: now }))
      // The pod never runs. The story lasts its full time, and then no claim may exist.
      return simulation.runUntil(() => false, 60_000).then(() => simulation.world.objects.all('nodeClaim').length === 0)
    })
    expect([came, missed]).toEqual([true, []])
    expect(rested).toBeGreaterThan(100)
  })

  it('has nothing that another run would find while an empty machine is kept for a time', async () => {
    const { came, missed, rested } = await playWatched(async (simulation) => {
      const { objects } = simulation.world
      const pool = objects.all('nodePool')[0] ?? expect.fail('no pool')
      objects.put('nodePool', { ...pool, disruption: { ...pool.disruption, consolidateAfter: durationMs(90_000) } })
      await scaleUp(simulation)
      const down = await scaleDown(simulation)
      // The empty machine is kept for its time and little longer: the rest ends in time.
      return down !== undefined && down > 90_000 && down < 90_000 + 30_000
    })
    expect([came, missed]).toEqual([true, []])
    expect(rested).toBeGreaterThan(100)
  })

  it('has nothing that another run would find while a pod must not be disrupted for a time', async () => {
    const { came, missed, rested } = await playWatched(async (simulation) => {
      const { objects } = simulation.world
      await scaleUp(simulation, 1)
      const node = objects.all('node')[0] ?? expect.fail('no node')
      const startedAt = simulation.clock.now()
      objects.put('pod', daemonPod(node.name, { annotations: { [ANNOTATION.doNotDisrupt]: '90s' }, createdAt: startedAt, startedAt }))
      for (const { key } of objects.all('pod')) if (key.startsWith('default/')) objects.remove('pod', key)
      const isGone = (): boolean => objects.all('nodeClaim').length === 0
      const down = await simulation.runUntil(isGone, 3 * 60_000)
      return down !== undefined && down > 90_000 && down < 90_000 + 30_000
    })
    expect([came, missed]).toEqual([true, []])
    expect(rested).toBeGreaterThan(100)
  })

  it('has nothing that another run would find while Azure gives no machine, and begins soon after', async () => {
    const { came, missed, rested } = await playWatched(async (simulation) => {
      const now = simulation.clock.now()
      const blocked = (['on-demand', 'spot'] as const).map((capacityType) => ({
        scope: { kind: 'capacityType' as const, capacityType },
        until: later(now, durationMs(60_000)),
        code: 'AZURE.SKU_NOT_AVAILABLE' as const,
        message: 'no quota',
      }))
      await simulation.world.ports.offerings.mark(blocked, now, NEVER)
      const up = await scaleUp(simulation)
      return up !== undefined && up > 60_000 && up < 60_000 + 30_000
    })
    expect([came, missed]).toEqual([true, []])
    expect(rested).toBeGreaterThan(100)
  })

  it('has nothing that another run would find, whatever key is lost', async () => {
    const { missed, rested } = await playWatched(async (simulation) => {
      let sent = 0
      simulation.deliverBy(() => (sent++ % 3 === 0 ? 'never' : 'once'))
      return withPauses(simulation)
    })
    expect(missed).toEqual([])
    expect(rested).toBeGreaterThan(50)
  })
})

describe('an idle cluster', () => {
  it('is looked at every ten minutes, and not for a machine that does not exist', async () => {
    const simulation = createSimulation()
    await simulation.runUntil(() => false, 60_000)
    const before = runs(simulation)
    await simulation.runUntil(() => false, 60 * 60_000)
    expect(runs(simulation) - before).toBeLessThanOrEqual(6)
    expect(runs(simulation) - before).toBeGreaterThanOrEqual(5)
  })
})

/** The number of runs: each saves the ledger with the time until which the rest holds. */
function runs({ world }: Simulation): number {
  return world.journal.entries.filter(({ operation }) => operation === 'ledger.save').length
}
