/** Volume claims that several pods share. */
import type { Pod } from '../../../../model/pod.ts'
import { claimKeys } from '../../../pod/volumeClaims.ts'
import type { PodReplicas } from './podReplicas.ts'

/** Keys of the volume claims that more than one pod mounts. Waiting and running pods count. A moving pod counts once: not where it still runs. */
export function sharedClaims(
  wanted: readonly PodReplicas[],
  moving: readonly Pod[],
  running: (claim: string) => number,
): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const count = (pod: Pod, by: number): void => {
    for (const key of claimKeys(pod)) counts.set(key, (counts.get(key) ?? 0) + by)
  }
  for (const replicas of wanted) count(replicas.pod, replicas.count)
  for (const pod of moving) count(pod, -1)
  return new Set([...counts].flatMap(([key, own]) => (own + running(key) > 1 ? [key] : [])))
}
