import { describe, expect, it } from 'vitest'
import { nodeClass } from '../builders/nodeClass.ts'
import { nodeOverlay } from '../builders/nodeOverlay.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pods } from '../builders/pod.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const LIMIT_MS = 120_000
const NO_SUBNET = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/none'

const running = ({ world }: Simulation): number => world.objects.all('pod').filter(({ phase }) => phase === 'Running').length

describe('E2-15: a class whose subnet does not exist', () => {
  it('is left out, and pods get their machines from the pool of another class, though its weight is less', async () => {
    const simulation = createSimulation()
    const { objects, machines } = simulation.world
    machines.missingSubnets.add(NO_SUBNET)
    objects.put('nodeClass', nodeClass({ name: 'astray', spec: { vnetSubnetId: NO_SUBNET } }))
    objects.put('nodePool', nodePool({ name: 'first', nodeClass: 'astray', weight: 100 }))
    const now = simulation.clock.now()
    for (const each of pods(2, { name: 'app', createdAt: now, unschedulableSince: now })) objects.put('pod', each)

    expect(await simulation.runUntil(() => running(simulation) === 2, LIMIT_MS)).toBeDefined()
    expect(objects.all('nodeClaim').map(({ spec }) => spec.nodeClassRef.name)).toEqual(['default'])
    const astray = objects.all('nodeClass').find(({ name }) => name === 'astray')
    expect(astray?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'SubnetsReady', status: 'False', reason: 'SubnetNotFound' }),
    )
  })
})

describe('VM-23: what a NodeOverlay adds to machines', () => {
  const asking = (simulation: Simulation) => {
    const now = simulation.clock.now()
    const [pod] = pods(1, { name: 'app', createdAt: now, unschedulableSince: now })
    if (pod === undefined) throw new Error('there is no pod')
    simulation.world.objects.put('pod', { ...pod, requests: { ...pod.requests, 'example.com/fpga': 1 } })
  }

  it('gets a pod that asks for it its machine', async () => {
    const simulation = createSimulation()
    const { objects, machines } = simulation.world
    objects.put('nodeOverlay', nodeOverlay({ capacity: { 'example.com/fpga': 2 } }))
    asking(simulation)
    expect(await simulation.runUntil(() => machines.all().length === 1, LIMIT_MS)).toBeDefined()
    await simulation.runUntil(() => objects.all('nodeClaim').some(({ status }) => status.providerId !== undefined), LIMIT_MS)
    expect(objects.all('nodeClaim')[0]?.status.capacity).toMatchObject({ 'example.com/fpga': 2 })
  })

  it('is on no machine without the overlay', async () => {
    const simulation = createSimulation()
    asking(simulation)
    await simulation.runUntil(() => simulation.world.machines.all().length > 0, LIMIT_MS)
    expect([simulation.world.machines.all().length, simulation.world.objects.all('nodeClaim').length]).toEqual([0, 0])
  })
})
