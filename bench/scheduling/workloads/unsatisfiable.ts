import type { Pod } from '../../../shared/model/pod.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { type PodShape, pod, pods } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { fakeTypes } from '../catalogs/fakeTypes.ts'
import type { Workload } from '../workload.ts'
import { fullCluster } from './arrivals.ts'

const GROUPS = 500
const PODS_PER_GROUP = 30
const NODES = 1_000
const ARRIVING = 100

/** Pods that fit nowhere hold up pods that could be placed. */
export const UNSATISFIABLE: Workload = {
  name: 'inc-unsat-15k',
  about:
    '100 plain pods arrive beside 15,000 pending ones that fit nowhere (label, size, taint, limit of a pool), 1,000 nodes, 20,000 pods',
  build: () => {
    const cluster = fullCluster(NODES)
    const pools = [
      nodePool(),
      nodePool({ name: 'dedicated', template: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }], labels: { pool: 'dedicated' } } }),
      nodePool({ name: 'spent', limits: { cpu: 0 }, template: { labels: { pool: 'spent' } } }),
    ]
    return {
      loaded: snapshot({ types: fakeTypes(), objects: { ...cluster, nodePool: pools, pod: [...cluster.pod, ...misfits()] } }),
      arrivals: (event) =>
        Array.from({ length: ARRIVING }, (_, index) =>
          pod({ name: `event-${event}-${index}`, cpus: 0.5, memoryGib: 0.5 + (index % 4) / 4 }),
        ),
    }
  },
}

const REASONS: readonly PodShape[] = [
  { nodeSelector: { pool: 'nobody' } },
  { cpus: 1_000 },
  { nodeSelector: { pool: 'dedicated' } },
  { nodeSelector: { pool: 'spent' } },
]

function misfits(): readonly Pod[] {
  return Array.from({ length: GROUPS }, (_, group) =>
    pods(PODS_PER_GROUP, {
      name: `misfit-${group}`,
      labels: { app: `misfit-${group}` },
      cpus: 0.1 + (group % 20) / 10,
      ...REASONS[group % REASONS.length],
    }),
  ).flat()
}
