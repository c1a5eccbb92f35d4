import { fleetSnapshotOf } from '../../shared/engine/cluster/fleet.ts'
import { createMarkers } from '../../shared/engine/markers/decideMarkers.ts'
import { partSharer } from '../../shared/engine/scheduling/snapshot/sharedParts.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { createRandom } from '../../test/agreement/random.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../test/builders/nodeClaim.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod } from '../../test/builders/pod.ts'
import { resources } from '../../test/builders/resources.ts'
import { snapshot } from '../../test/builders/snapshot.ts'
import { selecting, spreadOver } from '../scheduling/workloads/shapes.ts'

export type FleetShape = {
  readonly nodes: number
  /** Share of the CPUs that pods request, on average. */
  readonly fill: number
  /** Six of ten workloads are spread over zones. */
  readonly isSpread: boolean
  /** All pods have the same requests. */
  readonly isEven?: boolean
}

/** Only on-demand: a spot machine is always cheaper, so there would always be something to gain. */
const ON_DEMAND = { key: LABEL.capacityType, operator: 'In', values: ['on-demand'] } as const
const PODS_EACH = 20
const WORKLOADS = 1000
const CPUS = [0.25, 0.5, 0.5, 1]
/** Mean of `CPUS`, and allocatable CPUs of a node. */
const [MEAN, ROOM] = [0.5625, 15.8]

/** Returns nodes of 16 CPUs in three zones with 20 pods each. The same shape gives the same cluster. */
export function fleet({ nodes, fill, isSpread, isEven = false }: FleetShape): ClusterSnapshot {
  const random = createRandom(nodes)
  const share = partSharer()
  const zones = ['eastus-1', 'eastus-2', 'eastus-3']
  const size = { size: 'Standard_D16as_v6' }
  const [capacity, allocatable] = [resources(16, 64, { pods: 110 }), resources(ROOM, 60, { pods: 110 })]
  const names = Array.from({ length: nodes }, (_, at) => ({ name: `default-n${at}`, zone: zones[at % 3] ?? '' }))
  const scale = (fill * ROOM) / (PODS_EACH * MEAN)
  const pods = names.flatMap(({ name }) =>
    Array.from({ length: PODS_EACH }, (_, at): Pod => {
      const workload = random.int(WORKLOADS)
      const labels = { app: `w${workload}` }
      const cpus = Math.round((isEven ? MEAN : (CPUS[workload % 4] ?? MEAN)) * scale * 1000) / 1000
      return share(
        pod({
          name: `${name}-${at}`,
          cpus,
          memoryGib: cpus,
          labels,
          owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `w${workload}`, uid: uid(`w${workload}`) },
          nodeName: nodeNameOf(name),
          ...(isSpread && workload % 10 < 6 ? { topologySpread: [{ ...spreadOver(LABEL.zone, selecting(labels)), maxSkew: 20 }] } : {}),
        }),
      )
    }),
  )
  return marked(
    snapshot({
      objects: {
        node: names.map(({ name, zone }) => node({ claim: name, zone, ...size, capacity, allocatable })),
        nodeClaim: names.map(({ name, zone }) => nodeClaim({ name, zone, ...size, status: { capacity, allocatable } })),
        pod: pods,
        nodePool: [nodePool({ template: { requirements: [ON_DEMAND] }, disruption: { budgets: [{ nodes: '100%' }] } })],
      },
    }),
  )
}

/** Marks the claims as a decision would, until a decision has nothing to write. */
function marked(given: ClusterSnapshot): ClusterSnapshot {
  const { actions } = createMarkers()(fleetSnapshotOf(given))
  const marks = new Map(actions.flatMap((action) => (action.kind === 'markClaim' ? [[action.claim, action] as const] : [])))
  if (marks.size === 0) return given
  const nodeClaim = given.objects.nodeClaim.map((claim) => {
    const { conditions = claim.status.conditions, annotations } = marks.get(claim.name) ?? {}
    const meta = { ...claim.meta, annotations: { ...claim.meta.annotations, ...annotations } }
    return { ...claim, meta, status: { ...claim.status, conditions } }
  })
  return marked({ ...given, objects: { ...given.objects, nodeClaim } })
}
