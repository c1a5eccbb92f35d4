import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { demanding, onHost, selecting } from '../adversarial/world.ts'
import { createRandom } from '../agreement/random.ts'
import { instanceType } from '../builders/instanceType.ts'
import { pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { sharedHosts } from '../generators/sharedHosts.ts'
import { outcomeOf } from './randomCase.ts'

describe('groups of pods that share a machine', () => {
  // More than `MOST_FOLLOWED` pods: a plan is not made again for a few refused pods.
  it.each([2, 4])('are never torn apart between machines that have room for a part: groups of %i', { timeout: 60_000 }, (size) => {
    const { refused } = outcomeOf(sharedHosts(1_004, size))
    expect([...refused.keys()]).toEqual([])
  })

  it.each([2, 3, 4])('keep every rule in groups of %i', (size) => {
    const given = sharedHosts(120, size)
    const { decision, refused } = outcomeOf(given)
    expect([...refused.keys(), ...violationsOf(given, decision)]).toEqual([])
  })

  it('leave room for pods that must come to them, if all of them leave none', () => {
    const random = createRandom(1)
    const worlds = Array.from({ length: 150 }, () => ({
      own: { count: 2 + random.int(4), cpus: random.pick([0.6, 0.9, 1.2, 1.5]) },
      following: { count: 1 + random.int(4), cpus: random.pick([0.2, 0.35, 0.5, 0.8]) },
    }))
    const fewer = worlds.filter((world) => outcomeOf(followed(world)).placed.size < placedInTurn(world))
    expect(fewer).toEqual([])
  })
})

type Followed = { readonly [part in 'own' | 'following']: { readonly count: number; readonly cpus: number } }

const CPUS = 4

/** Pods that must share a machine, and pods that must be where these are. There are machines of one size. */
function followed({ own, following }: Followed): ClusterSnapshot {
  const podAffinity = demanding(onHost(selecting({ app: 'own' })))
  return snapshot({
    types: [instanceType({ cpus: CPUS, memoryGib: 16, overhead: {} })],
    objects: {
      pod: [
        ...pods(own.count, { name: 'own', cpus: own.cpus, labels: { app: 'own' }, podAffinity }),
        ...pods(following.count, { name: 'following', cpus: following.cpus, labels: { app: 'following' }, podAffinity }),
      ],
    },
  })
}

/** How many of them one machine holds that takes one of each in turn. */
function placedInTurn({ own, following }: Followed): number {
  let [left, placed] = [1_000 * CPUS, 0]
  for (let turn = 0; turn < Math.max(own.count, following.count); turn++) {
    for (const { count, cpus } of [own, following]) {
      if (turn >= count || 1_000 * cpus > left) continue
      left -= 1_000 * cpus
      placed++
    }
  }
  return placed
}
