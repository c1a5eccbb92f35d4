import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { demanding, onHost, selecting, TYPES, times } from '../adversarial/world.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'

/** Pods in groups of this size. Each group has required affinity to itself by host name: one machine takes all of it. */
export function sharedHosts(pods: number, size: number): ClusterSnapshot {
  return snapshot({
    types: TYPES,
    objects: {
      pod: times(pods, (index) => {
        const labels = { group: `group-${Math.floor(index / size)}` }
        return pod({ name: `member-${index}`, cpus: 0.5, memoryGib: 1, labels, podAffinity: demanding(onHost(selecting(labels))) })
      }),
    },
  })
}
