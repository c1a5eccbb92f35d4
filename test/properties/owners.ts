/** The same pods, divided into more or fewer Deployments. */

import { createRandom } from '../../bench/scheduling/random.ts'
import { apart, selecting, spreadOver } from '../../bench/scheduling/workloads/shapes.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { uid } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { LabelSelector, Pod } from '../../shared/model/pod.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod, REPLICA_SET } from '../builders/pod.ts'
import { GIB } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'

/** The placement rules of the pod with number `at` of a Deployment with this selector. */
type Rule = (own: LabelSelector, at: number) => PodShape

const spread: Rule = (own) => ({ topologySpread: [spreadOver(LABEL.zone, own)] })

/** One pod of this many is kept apart. That is fewer than the machines that are bought without the rule, even for a single Deployment. */
const APART = 100

/** A few pods get anti-affinity to each other. A label of their own keeps the rule away from the other pods of the Deployment. */
const keptApart: Rule = (own, at) =>
  at % APART === 0 ? { labels: { lone: ownerIn(own) }, podAntiAffinity: apart(selecting({ lone: ownerIn(own) })) } : {}

export const RULES: { readonly [sentence: string]: Rule } = {
  'without rules': () => ({}),
  'spread over zones': spread,
  'some kept apart by host': keptApart,
  'a third spread over zones, some kept apart by host': (own, at) => (at % 3 === 1 ? spread(own, at) : keptApart(own, at)),
}

function ownerIn({ matchLabels }: LabelSelector): string {
  return matchLabels['app'] ?? ''
}

/** Families of sizes. `gib` is the memory per CPU and `usd` the price per CPU. */
const FAMILIES = [
  { family: 'F', gib: 2, usd: 0.042 },
  { family: 'D', gib: 4, usd: 0.048 },
  { family: 'E', gib: 8, usd: 0.063 },
]
const CORES = [2, 4, 8, 16, 32, 64]

/** The sizes of all families. `dearness` is the share by which the price per CPU rises with each CPU of a size. */
export function sizesAt(dearness: number): readonly InstanceType[] {
  return FAMILIES.flatMap(({ family, gib, usd }) =>
    CORES.map((cpus) =>
      instanceType({
        name: `${family}${cpus}`,
        cpus,
        memoryGib: cpus * gib,
        price: usd * cpus * (1 + dearness * cpus),
        spotPrice: null,
        pods: 250,
        overhead: { cpu: 100 + 8 * cpus, memory: GIB * (0.5 + 0.05 * cpus * gib) },
      }),
    ),
  )
}

const CPUS = [0.1, 0.25, 0.5, 1, 1.5, 2, 4]
const MEBIBYTES = [100, 256, 512, 1024, 2048, 4096, 8192]

export type Owned = {
  readonly seed: number
  readonly count: number
  /** The number of different pod sizes. 0: each pod has a size of its own. */
  readonly sizes: number
  readonly owners: number
  readonly rule: Rule
}

/** The pods of a seed. Two calls with one seed differ only in the owners, and in what follows from them. */
export function ownedPods({ seed, count, sizes, owners, rule }: Owned): readonly Pod[] {
  const random = createRandom(seed)
  const oddSize = () => ({ cpus: (100 + random.int(1900)) / 1000, memoryGib: (100 + random.int(4000)) / 1024 })
  const drawn = Array.from({ length: sizes }, () => ({ cpus: random.pick(CPUS), memoryGib: random.pick(MEBIBYTES) / 1024 }))
  return Array.from({ length: count }, (_, at) => {
    const app = `app-${at % owners}`
    const size = sizes === 0 ? oddSize() : random.pick(drawn)
    return pod({
      name: `p-${at}`,
      owner: { ...REPLICA_SET, name: app, uid: uid(app) },
      labels: { app },
      ...size,
      ...rule(selecting({ app }), at),
    })
  })
}

export function clusterOf(types: readonly InstanceType[], pods: readonly Pod[]): ClusterSnapshot {
  return snapshot({ types, objects: { nodePool: [nodePool()], pod: pods } })
}
