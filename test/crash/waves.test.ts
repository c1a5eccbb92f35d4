import { describe, expect, it } from 'vitest'
import { uid } from '../../shared/model/ids.ts'
import { instanceType } from '../builders/instanceType.ts'
import { type PodShape, pods, REPLICA_SET } from '../builders/pod.ts'
import { GIB, resources } from '../builders/resources.ts'
import { createSimulation } from './simulation.ts'

/** Sizes below 32 CPUs at one price per CPU. The largest holds three large and three small pods. */
const SIZES = [4, 8, 16].map((cpus) => instanceType({ name: `Standard_D${cpus}h_v2`, cpus, memoryGib: cpus * 7, price: 0.055 * cpus }))
const LOADS: readonly PodShape[] = [
  {
    name: 'small',
    requests: { ...resources(0.9, 0, { pods: 1 }), memory: Math.round(3.1 * GIB) },
    owner: { ...REPLICA_SET, uid: uid('small') },
  },
  { name: 'large', requests: resources(3.5, 28, { pods: 1 }), owner: { ...REPLICA_SET, uid: uid('large') } },
]
/** Longer than all waves take, so that every bought machine stays in flight. */
const FAR_MS = 10_000_000

/** The number of machines bought for waves of pods. Each wave has so many small and large pods. */
async function machinesFor(waves: readonly (readonly [small: number, large: number])[]): Promise<number> {
  const simulation = createSimulation({ instanceTypes: SIZES, bootMs: FAR_MS, resyncEveryMs: FAR_MS })
  const { world, clock } = simulation
  for (const [wave, counts] of waves.entries()) {
    const now = clock.now()
    for (const [index, load] of LOADS.entries()) {
      const shape = { ...load, name: `${load.name}-${wave}`, createdAt: now, unschedulableSince: now }
      for (const pod of pods(counts[index] ?? 0, shape)) world.objects.put('pod', pod)
    }
    await simulation.runUntil(() => false, 1_000)
  }
  return world.objects.all('nodeClaim').length
}

describe('500 small pods and 500 large ones, which 167 machines hold', () => {
  it.each<[sentence: string, waves: readonly (readonly [number, number])[], most: number]>([
    ['at once', [[500, 500]], 167],
    [
      'in two waves',
      [
        [50, 50],
        [450, 450],
      ],
      167,
    ],
    // Of each wave's fifty large pods, two are left over. The machine bought for these two has no room for a third.
    ['in ten waves', Array.from({ length: 10 }, () => [50, 50] as const), 170],
    [
      'in ten waves that are not alike',
      Array.from({ length: 10 }, (_, wave) => (wave % 2 === 0 ? [20, 80] : [80, 20]) as [number, number]),
      170,
    ],
    [
      'the large ones first',
      [
        [0, 500],
        [500, 0],
      ],
      167,
    ],
  ])('that come %s find the room on machines that are on their way', async (_sentence, waves, most) => {
    const machines = await machinesFor(waves)
    expect(machines).toBeGreaterThanOrEqual(167)
    expect(machines).toBeLessThanOrEqual(most)
  })
})
