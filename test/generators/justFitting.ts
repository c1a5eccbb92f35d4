/**
 * Small clusters in which the order of binding matters. They have few nodes of one size, large and small pods that just fit, and zones with a single
 * node. Some pods have anti-affinity. Some spreads count tainted nodes as well. No pod is pending. The same seed gives the same cluster everywhere.
 */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'

const ZONES = ['eastus-1', 'eastus-1', 'eastus-2', 'eastus-3']
/** A node has 3.86 CPUs and 13 GiB for pods. */
const CPUS = [0.4, 0.6, 0.9, 1.2, 1.8, 2.4]
const MEMORY_GIB = [0.5, 1, 2, 6]
const [ROOM_CPUS, ROOM_GIB] = [3.86, 13]

export function justFitting(seed: number): ClusterSnapshot {
  const random = createRandom(seed * 13 + 5)
  const machines = Array.from({ length: 3 + random.int(6) }, (_, at) => ({ name: `default-n${at}`, zone: random.pick(ZONES) }))
  const apps = Array.from({ length: 2 + random.int(4) }, (_, at) => ({ name: `app-${at}`, rules: rulesOf(random, `app-${at}`) }))
  const pods: Pod[] = []
  for (const { name } of machines) {
    const wanted = random.int(5)
    for (let at = 0, cpus = 0, gib = 0; at < wanted; at++) {
      const app = random.pick(apps)
      const shape = { cpus: random.pick(CPUS), memoryGib: random.pick(MEMORY_GIB) }
      cpus += shape.cpus
      gib += shape.memoryGib
      if (cpus > ROOM_CPUS || gib > ROOM_GIB) break
      pods.push(pod({ name: `${app.name}-${name}-${at}`, labels: { app: app.name }, ...shape, ...app.rules, nodeName: nodeNameOf(name) }))
    }
  }
  return snapshot({
    objects: {
      node: machines.map(({ name, zone }) => node({ claim: name, zone })),
      nodeClaim: machines.map(({ name, zone }) => nodeClaim({ name, zone })),
      pod: pods,
      nodePool: [nodePool({ disruption: { budgets: [{ nodes: random.pick(['100%', '100%', '2']) }] } })],
    },
  })
}

type Rules = Pick<Pod, 'topologySpread' | 'podAntiAffinity'>

function rulesOf(random: Random, app: string): Rules {
  const selector = { matchLabels: { app }, matchExpressions: [] }
  const topologyKey = random.pick([LABEL.zone, LABEL.zone, LABEL.hostname])
  const term = { topologyKey: LABEL.hostname, selector, namespaces: [], matchLabelKeys: [], mismatchLabelKeys: [] }
  return {
    podAntiAffinity: { required: random.chance(0.2) ? [term] : [], preferred: [] },
    topologySpread: random.chance(0.5)
      ? [
          {
            maxSkew: 1 + random.int(2),
            topologyKey,
            whenUnsatisfiable: 'DoNotSchedule',
            selector,
            nodeAffinityPolicy: 'Honor',
            nodeTaintsPolicy: random.chance(0.8) ? 'Ignore' : 'Honor',
            matchLabelKeys: [],
            ...(random.chance(0.15) ? { minDomains: 2 } : {}),
          },
        ]
      : [],
  }
}
