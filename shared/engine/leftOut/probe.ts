import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { objectKey, uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'

/** The snapshot with a waiting pod that any NodePool may take: NodePools and instance types are planned with only if a pod waits. */
export function withProbe({ objects, ...context }: ClusterSnapshot): ClusterSnapshot {
  return { ...context, objects: { ...objects, pod: [...objects.pod, probe(context)] } }
}

function probe({ takenAt }: Pick<ClusterSnapshot, 'takenAt'>): Pod {
  return {
    key: objectKey('kube-system', 'joiner-probe'),
    uid: uid('joiner-probe'),
    labels: {},
    createdAt: takenAt,
    phase: 'Pending',
    schedulerName: 'default-scheduler',
    schedulingGates: [],
    unschedulableSince: takenAt,
    requests: { cpu: 100, memory: 1_048_576, pods: 1 },
    nodeSelector: {},
    preferredNodeTerms: [],
    tolerations: [{ operator: 'Exists' }],
    topologySpread: [],
    podAffinity: { required: [], preferred: [] },
    podAntiAffinity: { required: [], preferred: [] },
    hostPorts: [],
    volumes: [],
    resourceClaims: [],
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    annotations: {},
  }
}
