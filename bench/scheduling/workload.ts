import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../shared/model/pod.ts'

/** One input of the bench. It is made again from its seed each time. */
export type Workload = {
  readonly name: string
  /** A description in one line. */
  readonly about: string
  /** Small enough for the gate in `npm run check`. */
  readonly isQuick?: boolean
  /** Data file that the workload needs. Without the file the workload is skipped. */
  readonly needs?: string
  build(): WorkloadInput
}

export type WorkloadInput = {
  /** The cluster before the timed part. Its pending pods are planned, unless pods arrive. */
  readonly loaded: ClusterSnapshot
  /** Returns pods that arrive in the loaded cluster. Then only the decision about them is timed. Each event brings other pods of the same kind. */
  readonly arrivals?: (event: number) => readonly Pod[]
}

/** Returns the cluster of an event: the loaded cluster with the arriving pods. */
export function snapshotOf({ loaded, arrivals }: WorkloadInput, event: number): ClusterSnapshot {
  return withPods(loaded, arrivals?.(event) ?? [])
}

export function withPods(snapshot: ClusterSnapshot, pods: readonly Pod[]): ClusterSnapshot {
  return { ...snapshot, objects: { ...snapshot.objects, pod: [...snapshot.objects.pod, ...pods] } }
}
