import { describe, expect, it } from 'vitest'
import { problem } from '../../shared/model/problem.ts'
import { pods } from '../builders/pod.ts'
import { createSimulation } from './simulation.ts'

const LIMIT_MS = 300_000

describe('NS-08: a disk encryption set that the app may not read', () => {
  it('stops machines before Azure refuses one, and pods get one within minutes once the right is given', async () => {
    const simulation = createSimulation()
    const { world, clock } = simulation
    const { objects, machines } = world
    machines.encryption.problem = problem('AZURE.FORBIDDEN', 'the app lacks a right on disk encryption set /sets/shop')
    const now = clock.now()
    for (const each of pods(1, { name: 'app', createdAt: now, unschedulableSince: now })) objects.put('pod', each)
    const running = (): number => objects.all('pod').filter(({ phase }) => phase === 'Running').length

    await simulation.runUntil(() => running() === 1, LIMIT_MS)
    expect([running(), objects.all('nodeClaim').length, machines.all().length]).toEqual([0, 0, 0])
    const [nodeClass] = objects.all('nodeClass')
    expect(nodeClass?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'ValidationSucceeded', status: 'False', reason: 'DiskEncryptionSetRBACMissing' }),
    )

    machines.encryption.problem = undefined
    expect(await simulation.runUntil(() => running() === 1, LIMIT_MS)).toBeDefined()
    expect(machines.all().length).toBe(1)
  })
})
