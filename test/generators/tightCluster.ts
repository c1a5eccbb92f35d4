/** Clusters of nearly full nodes with few pods each: nothing can be gained, until little room somewhere makes a node superfluous. */
import { selecting, spreadOver } from '../../bench/scheduling/workloads/shapes.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs } from '../../shared/model/units.ts'
import type { Random } from '../agreement/random.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { daemonPod, pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'

const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']
/** The CPUs that the pods of a node have together. */
const ROOM = 3.6
/** The longest wait of a machine to be quiet. */
const LONGEST_WAIT = 2

/** Some nodes must not be disrupted: they take pods, and no try closes them. */
export function tightCluster(random: Random): ClusterSnapshot {
  const names = Array.from({ length: 6 + random.int(16) }, (_, at) => ({ name: `default-n${at}`, zone: ZONES[at % 3] ?? '' }))
  const isSpread = random.chance(0.4)
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' }
  return snapshot({
    types: [instanceType({})],
    objects: {
      node: names.map(({ name, zone }) => node({ claim: name, zone, ...(random.chance(0.3) ? { meta: { annotations } } : {}) })),
      nodeClaim: names.map(({ name, zone }) => nodeClaim({ name, zone })),
      pod: names.flatMap(({ name }) => [...podsOf(name, isSpread, random), daemonPod(nodeNameOf(name))]),
      nodePool: [
        nodePool({
          template: { requirements: [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] }] },
          disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: durationMs(random.int(LONGEST_WAIT) * 1000) },
        }),
      ],
    },
  })
}

function podsOf(claim: string, isSpread: boolean, random: Random): readonly Pod[] {
  const count = 1 + random.int(3)
  return Array.from({ length: count }, (_, at) => {
    const app = `w${random.int(4)}`
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: uid(app) }
    const own = pod({ name: `${claim}-${at}`, cpus: ROOM / count, memoryGib: 1, labels: { app }, owner, nodeName: nodeNameOf(claim) })
    return isSpread ? { ...own, topologySpread: [{ ...spreadOver(LABEL.zone, selecting(own.labels)), maxSkew: 3 }] } : own
  })
}
