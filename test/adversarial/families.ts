/**
 * Families: parts of clusters that keep the planner busy. A world has one family or mixes several: each adds to every NodePool and every pod, so that
 * a pod that is hard in two ways is hard in both at once.
 */

import { uid } from '../../shared/model/ids.ts'
import type { NodeClaimTemplate } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { DaemonSet } from '../../shared/model/workloads.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { instanceType, offering } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { nameOf } from './podWorlds.ts'
import { times, type World, ZONES } from './world.ts'

export type Family = {
  readonly name: string
  /** One line that names the thing that there is much of. */
  readonly about: string
  /** How many NodePools the family needs for so many pods. */
  readonly pools: (pods: number) => number
  /** The labels and taints of a NodePool. */
  readonly pool?: (index: number) => Partial<Pick<NodeClaimTemplate, 'labels' | 'taints'>>
  readonly daemons?: readonly DaemonSet[]
  /** What the family adds to a pod of a world with so many NodePools. */
  readonly pod: (random: Random, index: number, pools: number) => Partial<Pod>
}

/** A world of one family or of several. The seed changes which pod asks for what. */
export function worldOf(families: readonly Family[], seed = 1): World {
  return {
    name: families.map(({ name }) => name).join('+'),
    about: families.map(({ about }) => about).join('; '),
    build(count) {
      const random = createRandom(seed)
      const pools = families.reduce((most, family) => Math.max(most, family.pools(count)), 1)
      const daemonSet = families.flatMap(({ daemons = [] }) => daemons)
      return snapshot({
        types: PRICED_TYPES,
        objects: {
          daemonSet,
          nodePool: times(pools, (index) => nodePool({ name: `pool-${index}`, template: templateOf(families, index) })),
          pod: times(count, (index) => podOf(families, random, index, pools)),
        },
      })
    },
  }
}

/** A world of each family, of each two, and of each three. */
export function mixesOf(families: readonly Family[]): readonly World[] {
  const mixes: (readonly Family[])[] = []
  for (const family of families) mixes.push(...mixes.filter(({ length }) => length < MOST_MIXED).map((mix) => [...mix, family]), [family])
  return mixes.map((mix) => worldOf(mix))
}

const MOST_MIXED = 3

function templateOf(families: readonly Family[], index: number): Pick<NodeClaimTemplate, 'labels' | 'taints'> {
  const parts = families.map(({ pool }) => pool?.(index) ?? {})
  return {
    labels: Object.assign({}, ...parts.map(({ labels }) => labels)),
    taints: parts.flatMap(({ taints = [] }) => taints),
  }
}

/** A pod of an owner with the amounts that all its pods have. */
function podOf(families: readonly Family[], random: Random, index: number, pools: number): Pod {
  const owner = index % OWNERS
  const parts = families.map((family) => family.pod(random, index, pools))
  return pod({
    name: nameOf(index),
    owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `owner-${owner}`, uid: uid(`owner-${owner}`) },
    cpus: AMOUNTS.cpus[owner % AMOUNTS.cpus.length] ?? 1,
    memoryGib: AMOUNTS.gib[owner % AMOUNTS.gib.length] ?? 1,
    ...Object.assign({}, ...parts),
    tolerations: parts.flatMap(({ tolerations = [] }) => tolerations),
    hostPorts: parts.flatMap(({ hostPorts = [] }) => hostPorts),
  })
}

const OWNERS = 100
const AMOUNTS = { cpus: [0.25, 0.5, 1, 0.25, 2, 0.1, 0.5], gib: [1, 4, 2, 0.5, 8] }

/** D and E sizes of 2 to 64 CPUs at prices like those of a region: spot at 0.2 to 0.4 of on demand, by size and zone. */
const PRICED_TYPES = [2, 4, 8, 16, 20, 32, 48, 64].flatMap((cpus, size) =>
  (['D', 'E'] as const).map((letter, family) => {
    const price = cpus * (letter === 'D' ? 0.048 : 0.063)
    const spotPrice = (zone: number): number => price * (0.2 + ((size * 7 + family * 3 + zone * 5) % 11) / 50)
    return instanceType({
      name: `Standard_${letter}${cpus}s_v5`,
      cpus,
      memoryGib: cpus * (letter === 'D' ? 4 : 8),
      offerings: ZONES.flatMap((zone, at) => [offering({ zone, price }), offering({ zone, capacityType: 'spot', price: spotPrice(at) })]),
    })
  }),
)
