/** Nodes that have less room than the catalog promises. */
import { describe, expect, it } from 'vitest'
import type { VmSizeName } from '../../../shared/model/ids.ts'
import { durationMs } from '../../../shared/model/units.ts'
import { MINUTE, SECOND } from '../../builders/clock.ts'
import { instanceType } from '../../builders/instanceType.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../../builders/pod.ts'
import { createSimulation, type Simulation } from '../simulation.ts'

const MIB = 1024 * 1024
const SMALL = instanceType({ name: 'Standard_D4as_v6', cpus: 4, memoryGib: 16, price: 0.2 })
const LARGE = instanceType({ name: 'Standard_D8as_v6', cpus: 8, memoryGib: 32, price: 0.4 })

/** Each kubelet reports a MiB less than promised. */
function shorten({ world: { objects, machines } }: Simulation): void {
  for (const node of objects.all('node')) {
    const promised = machines.find(node.name)?.candidate.instanceType
    if (promised === undefined) continue
    const memory = (promised.capacity['memory'] ?? 0) - (promised.overhead['memory'] ?? 0) - MIB
    objects.put('node', { ...node, allocatable: { ...node.allocatable, memory } })
  }
}

/** A pod that needs all memory of the small size waits for an hour. Empty nodes go after half a minute. Returns the sizes of the machines. */
async function waitForAll(types: readonly (typeof SMALL)[]) {
  const made = new Map<string, VmSizeName>()
  const simulation: Simulation = createSimulation({ tickMs: SECOND, instanceTypes: types, workload: () => shorten(simulation) })
  const { objects, clock, machines } = simulation.world
  const disruption = { budgets: [{ nodes: '100%' }], consolidateAfter: durationMs(30 * SECOND) }
  objects.put('nodePool', nodePool({ disruption }))
  const memory = (SMALL.capacity['memory'] ?? 0) - (SMALL.overhead['memory'] ?? 0)
  const now = clock.now()
  const waiting = pod({ name: 'large', cpus: 1, owner: REPLICA_SET, createdAt: now, unschedulableSince: now })
  objects.put('pod', { ...waiting, requests: { ...waiting.requests, memory } })
  await simulation.runUntil(() => {
    for (const { instance } of machines.all()) made.set(instance.name, instance.size)
    return clock.now() - now >= 60 * MINUTE
  }, 61 * MINUTE)
  const said = objects.events.filter(({ event }) => event.reason === 'FailedScheduling').map(({ event }) => event.message)
  return { sizes: [...made.values()], running: objects.all('pod').filter(({ phase }) => phase === 'Running').length, said }
}

describe('F1: nodes have a MiB less than promised, and a pod needs it', () => {
  it('gets the next size after one node', async () => {
    expect(await waitForAll([SMALL, LARGE])).toMatchObject({ sizes: [SMALL.name, LARGE.name], running: 1 })
  })

  it('waits with a reason after one node, where there is no larger size', async () => {
    const { sizes, running, said } = await waitForAll([SMALL])
    expect([sizes, running]).toEqual([[SMALL.name], 0])
    expect(said).toContainEqual(expect.stringMatching(/memory.*SCHEDULING\.RESOURCES/))
  })
})
