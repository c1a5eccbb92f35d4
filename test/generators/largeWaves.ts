/**
 * Clusters in which one decision moves hundreds of pods of many sizes. Their nodes have little more room than the pods of the nodes that may go, so the
 * order of binding matters. No pod is pending. The same seed gives the same cluster everywhere.
 */
import { apart, selecting, spreadOver } from '../../bench/scheduling/workloads/shapes.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { DRIFTED, type NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { condition } from '../builders/condition.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'

const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']
const TYPES = [4, 8, 16].map((cpus) => instanceType({ name: `Standard_D${cpus}as_v6`, cpus, memoryGib: 4 * cpus, spotPrice: null }))
const LARGEST = 'Standard_D16as_v6'
const CPUS = { small: [0.1, 0.1, 0.15, 0.2, 0.25, 0.4], large: [1.5, 2, 3, 4, 6] }
/** The share of the pods that are large. */
const LARGE = 0.06
const GIB_FOR_A_CPU = [1, 2, 3.5, 6]
/** What a node of 16 CPUs has for pods. */
const [ROOM_CPUS, ROOM_GIB] = [15, 58]
const WHOLE = { capacity: resources(16, 64, { pods: 110 }), allocatable: resources(ROOM_CPUS, ROOM_GIB, { pods: 110 }) }

type Machine = { readonly name: string; readonly zone: string }

/** Some nodes are nearly full, the others hold a share of what fits there. */
export function largeWaves(seed: number): ClusterSnapshot {
  const random = createRandom(seed * 19 + 7)
  const machines = Array.from({ length: 60 + random.int(60) }, (_, at) => ({ name: `default-n${at}`, zone: ZONES[at % 3] ?? '' }))
  const apps = {
    small: Array.from({ length: 4 + random.int(8) }, (_, at) => appOf(random, `small-${at}`, CPUS.small)),
    large: Array.from({ length: 2 + random.int(4) }, (_, at) => appOf(random, `large-${at}`, CPUS.large)),
  }
  const share = random.pick([0.4, 0.5, 0.6])
  const shareOf = (): number => (random.chance(0.15) ? 0.95 : share * (0.5 + random.int(100) / 100))
  const pods = machines.flatMap(({ name }) => podsOn(name, apps, shareOf(), random))
  const isDrifting = random.chance(0.2)
  return snapshot({
    types: TYPES,
    objects: {
      node: machines.map(({ name, zone }) => node({ claim: name, zone, size: LARGEST, ...WHOLE })),
      nodeClaim: machines.map((machine) => claimOf(machine, isDrifting && random.chance(0.5))),
      pod: pods,
      nodePool: [
        nodePool({
          template: { requirements: [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] }] },
          disruption: { budgets: [{ nodes: random.pick(['100%', '50%', '30%']) }] },
        }),
      ],
    },
  })
}

function claimOf({ name, zone }: Machine, isDrifted: boolean): NodeClaim {
  const claim = nodeClaim({ name, zone, size: LARGEST, status: WHOLE })
  if (!isDrifted) return claim
  const conditions = [...claim.status.conditions, condition(DRIFTED)]
  return { ...claim, status: { ...claim.status, conditions } }
}

type App = { readonly name: string; readonly shape: PodShape }
type Apps = { readonly small: readonly App[]; readonly large: readonly App[] }

function appOf(random: Random, name: string, sizes: readonly number[]): App {
  const [cpus, labels] = [random.pick(sizes), { app: name }]
  const selector = selecting(labels)
  const isApart = random.chance(0.15)
  const isSpread = random.chance(0.25)
  return {
    name,
    shape: {
      cpus,
      memoryGib: cpus * random.pick(GIB_FOR_A_CPU),
      labels,
      ...(isApart ? { podAntiAffinity: apart(selector) } : {}),
      ...(isSpread ? { topologySpread: [{ ...spreadOver(LABEL.zone, selector), maxSkew: 4 + random.int(20) }] } : {}),
    },
  }
}

/** Pods that take about this share of the node. */
function podsOn(claim: string, apps: Apps, share: number, random: Random): readonly Pod[] {
  const pods: Pod[] = []
  const alone = new Set<string>()
  for (let [at, cpus, gib] = [0, 0, 0]; ; at++) {
    const { name, shape } = random.pick(random.chance(LARGE) ? apps.large : apps.small)
    cpus += shape.cpus ?? 0
    gib += shape.memoryGib ?? 0
    if (cpus > ROOM_CPUS * share || gib > ROOM_GIB * share) return pods
    if (shape.podAntiAffinity !== undefined && alone.has(name)) continue
    alone.add(name)
    pods.push(pod({ name: `${name}-${claim}-${at}`, ...shape, nodeName: nodeNameOf(claim) }))
  }
}
