/**
 * Clusters of 107 to 299 nodes of mixed sizes whose pods were scaled in at random, to 30 to 70 %. No pod is pending, and budgets allow everything.
 * The same seed gives the same cluster everywhere.
 */
import { apart, selecting, spreadOver } from '../../bench/scheduling/workloads/shapes.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { uid } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod, REPLICA_SET } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'

export type ScaledInShape = {
  readonly least?: number
  readonly most?: number
  /** Some workloads are spread over zones or hosts, kept apart, or held to a zone as a volume holds them. */
  readonly hasRules?: boolean
  /** New nodes may be spot. */
  readonly isAnyType?: boolean
}

const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']
const SIZES = [2, 4, 8, 16, 32]
const ON_DEMAND = { key: LABEL.capacityType, operator: 'In', values: ['on-demand'] } as const
const CPUS = [0.1, 0.25, 0.25, 0.5, 0.5, 1, 1, 1.5, 2, 3]
const GIB_FOR_A_CPU = [1, 2, 4, 4, 7]
/** On-demand prices of eastus for one CPU: D with 4 GiB, E with 8 GiB. */
const FAMILIES = [
  { letter: 'D', gib: 4, price: 0.0455 },
  { letter: 'E', gib: 8, price: 0.0585 },
]

/** Spot prices have no order by size. */
const SPOT_SHARES = [0.2, 0.33, 0.25, 0.4, 0.3]

const TYPES: readonly InstanceType[] = FAMILIES.flatMap(({ letter, gib, price }, family) =>
  SIZES.map((cpus, at) =>
    instanceType({
      name: `Standard_${letter}${cpus}as_v6`,
      cpus,
      memoryGib: gib * cpus,
      price: price * cpus,
      spotPrice: price * cpus * (SPOT_SHARES[(at + 2 * family) % SPOT_SHARES.length] ?? 1),
    }),
  ),
)

type Machine = { readonly name: string; readonly zone: string; readonly type: InstanceType; readonly capacityType: string }
type App = { readonly name: string; readonly shape: PodShape; readonly isApart: boolean; readonly zone?: string }

export function scaledIn(
  seed: number,
  { least = 107, most = 299, hasRules = false, isAnyType = false }: ScaledInShape = {},
): ClusterSnapshot {
  const random = createRandom(seed * 23 + 11)
  const apps = Array.from({ length: 15 + random.int(40) }, (_, at) => appOf(random, `w${at}`, hasRules))
  const machines = Array.from({ length: least + random.int(most - least + 1) }, (_, at): Machine => {
    const capacityType = isAnyType && random.chance(0.5) ? 'spot' : 'on-demand'
    return { name: `default-n${at}`, zone: ZONES[at % 3] ?? '', type: random.pick(TYPES), capacityType }
  })
  const full = machines.flatMap((machine) => podsOn(machine, apps, random))
  const share = 0.3 + random.int(41) / 100
  const requirements = isAnyType ? [] : [ON_DEMAND]
  return snapshot({
    types: TYPES,
    objects: {
      node: machines.map(({ name, zone, type, capacityType }) =>
        node({ claim: name, zone, capacityType, size: type.name, ...roomOf(type) }),
      ),
      nodeClaim: machines.map(({ name, zone, type, capacityType }) =>
        nodeClaim({ name, zone, capacityType, size: type.name, status: roomOf(type) }),
      ),
      pod: full.filter(() => random.chance(share)),
      nodePool: [nodePool({ template: { requirements }, disruption: { budgets: [{ nodes: '100%' }] } })],
    },
  })
}

function roomOf({ capacity, cpus }: InstanceType) {
  return { capacity, allocatable: { ...capacity, ...resources(cpus - 0.1, (capacity['memory'] ?? 0) / 2 ** 30 - 0.5, { pods: 110 }) } }
}

function appOf(random: Random, name: string, hasRules: boolean): App {
  const labels = { app: name }
  const cpus = random.pick(CPUS)
  const rule = hasRules ? random.int(10) : 9
  const zone = rule === 3 ? random.pick(ZONES) : undefined
  const shape: PodShape = {
    cpus,
    memoryGib: cpus * random.pick(GIB_FOR_A_CPU),
    labels,
    owner: { ...REPLICA_SET, name, uid: uid(name) },
    ...(rule === 0 || rule === 1 ? { topologySpread: [{ ...spreadOver(LABEL.zone, selecting(labels)), maxSkew: 1 + random.int(4) }] } : {}),
    ...(rule === 2 ? { podAntiAffinity: apart(selecting(labels)) } : {}),
    ...(zone === undefined ? {} : { nodeSelector: { [LABEL.zone]: zone } }),
  }
  return { name, shape, isApart: rule === 2, ...(zone === undefined ? {} : { zone }) }
}

/** Fills the machine until three pods in a row have found no room. */
function podsOn({ name, zone, type }: Machine, apps: readonly App[], random: Random): readonly Pod[] {
  const pods: Pod[] = []
  const there = new Set<App>()
  let [cpus, gib] = [type.cpus - 0.1, (type.capacity['memory'] ?? 0) / 2 ** 30 - 0.5]
  for (let refused = 0; refused < 3 && pods.length < 100; ) {
    const app = random.pick(apps)
    const { cpus: asksCpus = 0, memoryGib: asksGib = 0 } = app.shape
    if (asksCpus > cpus || asksGib > gib || (app.isApart && there.has(app)) || (app.zone ?? zone) !== zone) {
      refused++
      continue
    }
    there.add(app)
    cpus -= asksCpus
    gib -= asksGib
    pods.push(pod({ ...app.shape, name: `${app.name}-${name}-${pods.length}`, nodeName: nodeNameOf(name) }))
  }
  return pods
}
