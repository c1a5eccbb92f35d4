import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../shared/model/pod.ts'

/** One input of the bench, made anew from its seed each time it is asked for. */
export type Workload = {
  readonly name: string
  /** What it is, in one line. */
  readonly about: string
  /** Small enough for the gate in `npm run check`. */
  readonly isQuick?: boolean
  /** Data file it is made of; without it the workload is skipped. */
  readonly needs?: string
  build(): WorkloadInput
}

export type WorkloadInput = {
  /** The cluster as it stands before the timed part; the pending pods in it are what is planned, unless pods arrive. */
  readonly loaded: ClusterSnapshot
  /** Pods that appear in the loaded cluster: only the decision about them is timed. Each event brings other pods of the same kind. */
  readonly arrivals?: (event: number) => readonly Pod[]
}

/** What the decision about an event is about. */
export function snapshotOf({ loaded, arrivals }: WorkloadInput, event: number): ClusterSnapshot {
  return withPods(loaded, arrivals?.(event) ?? [])
}

export function withPods(snapshot: ClusterSnapshot, pods: readonly Pod[]): ClusterSnapshot {
  return { ...snapshot, objects: { ...snapshot.objects, pod: [...snapshot.objects.pod, ...pods] } }
}
