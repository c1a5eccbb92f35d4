import { describe, expect, it } from 'vitest'
import { createClusterReader } from '../../shared/flows/catchUp.ts'
import type { ClusterDeps } from '../../shared/flows/clusterDeps.ts'
import { reconcile } from '../../shared/flows/reconcile.ts'
import { restfulness } from '../../shared/flows/rest.ts'
import { createWakeUp } from '../../shared/flows/wakeUp.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { scaleDown, scaleUp } from './stories.ts'

const NEVER = new AbortController().signal
/** What a look does to storage whatever it finds. */
const OWN_WRITES = /^(ledger|lease|log|decisions)\./

/** At every tick at which the cluster counts as at rest, another process looks: all that it does beside its own book-keeping. */
async function playWatched(story: (simulation: Simulation) => Promise<unknown>, options: SimulationOptions = {}) {
  const missed: string[] = []
  let rested = 0
  async function look(deps: ClusterDeps): Promise<void> {
    if ((await restfulness(deps, NEVER)) !== 'resting') return
    rested++
    const { entries } = simulation.world.journal
    const before = entries.length
    await reconcile(deps, { reader: createClusterReader(deps.log), wakeUp: createWakeUp(deps) }, [], NEVER)
    missed.push(...entries.slice(before).flatMap(({ operation }) => (OWN_WRITES.test(operation) ? [] : [operation])))
  }
  const simulation: Simulation = createSimulation({
    ...options,
    caller: async () => {
      await simulation.perform(look)
    },
  })
  const came = await story(simulation)
  return { simulation, came, missed, rested }
}

/** Up and down with a minute of nothing after each. */
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
  ])('has nothing that another look would find: %s', async (_name, options) => {
    const { came, missed, rested } = await playWatched(withPauses, options)
    expect([came, missed]).toEqual([true, []])
    expect(rested).toBeGreaterThan(100)
  })

  it('has nothing that another look would find, whatever message is lost', async () => {
    const { missed, rested } = await playWatched(async (simulation) => {
      let sent = 0
      simulation.world.queues.deliverBy(() => (sent++ % 3 === 0 ? 'never' : 'once'))
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
    const before = looks(simulation)
    await simulation.runUntil(() => false, 60 * 60_000)
    expect(looks(simulation) - before).toBeLessThanOrEqual(6)
    expect(looks(simulation) - before).toBeGreaterThanOrEqual(5)
  })
})

/** Each look ends with a ledger that says until when it is trusted. */
function looks({ world }: Simulation): number {
  return world.journal.entries.filter(({ operation }) => operation === 'ledger.save').length
}
