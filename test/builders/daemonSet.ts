import { objectKey, uid } from '../../shared/model/ids.ts'
import type { DaemonSet } from '../../shared/model/workloads.ts'
import { DAEMON_SET, type PodShape, pod } from './pod.ts'

/** A DaemonSet whose pods request 100m CPU and 0.1 GiB and run on all nodes without taints. */
export function daemonSet(shape: PodShape = {}): DaemonSet {
  const { name = 'agent', namespace = 'kube-system' } = shape
  return {
    key: objectKey(namespace, name),
    uid: uid(`uid-ds-${name}`),
    pod: pod({ cpus: 0.1, memoryGib: 0.1, owner: DAEMON_SET, ...shape, name, namespace }),
  }
}
