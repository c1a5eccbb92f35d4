import { describe, expect, it } from 'vitest'
import { pods } from '../builders/pod.ts'
import { createSimulation, START } from './simulation.ts'

const LIMIT_MS = 120_000

describe('F17: a subnet with room for 3 of 10 machines', () => {
  it('gets three machines and no refused one, its other pods wait with a reason, and get machines once there is room', async () => {
    const simulation = createSimulation()
    const { world, clock } = simulation
    const { objects, machines } = world
    const OF_CLUSTER = undefined
    machines.subnetRooms.set(OF_CLUSTER, { machines: 3, at: START })
    const now = clock.now()
    const shape = { name: 'app', createdAt: now, unschedulableSince: now, hostPorts: [{ ip: '', port: 80, protocol: 'TCP' }] }
    for (const each of pods(10, shape)) objects.put('pod', each)
    const running = (): number => objects.all('pod').filter(({ phase }) => phase === 'Running').length

    await simulation.runUntil(() => running() === 10, LIMIT_MS)
    expect([running(), objects.all('nodeClaim').length, machines.all().length]).toEqual([3, 3, 3])
    const told = objects.events.filter(({ event }) => event.message.includes('AZURE.SUBNET_FULL'))
    expect(new Set(told.map(({ event }) => event.subject.name)).size).toBe(7)

    machines.subnetRooms.set(OF_CLUSTER, { machines: 7, at: clock.now() })
    expect(await simulation.runUntil(() => running() === 10, LIMIT_MS)).toBeDefined()
    expect(machines.all().length).toBe(10)
  })
})
