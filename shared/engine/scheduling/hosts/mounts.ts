/** Volumes that many pods share: a machine attaches each once, whoever of them came first. */
import { namespaceOf, objectKey } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import type { Amounts } from '../amounts.ts'
import type { PodClass } from '../pods/podClass.ts'
import type { Twins } from '../pods/twins.ts'

/**
 * Keys of the volume claims that more than one pod mounts: those that want a place, and those that run. Pods that move count where they
 * run no more.
 */
export function sharedClaims(wanted: readonly Twins[], moving: readonly Pod[], running: (claim: string) => number): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const count = (pod: Pod, by: number): void => {
    for (const key of claimKeys(pod)) counts.set(key, (counts.get(key) ?? 0) + by)
  }
  for (const twins of wanted) count(twins.pod, twins.count)
  for (const pod of moving) count(pod, -1)
  return new Set([...counts].flatMap(([key, own]) => (own + running(key) > 1 ? [key] : [])))
}

export function claimKeys(pod: Pod): readonly string[] {
  if (pod.volumes.length === 0) return NONE
  const names = new Set(pod.volumes.flatMap((volume) => ('claimName' in volume ? [volume.claimName] : [])))
  return [...names].map((name) => objectKey(namespaceOf(pod), name))
}

/** What one more pod of the class takes of a machine that has mounted these claims already. */
export function amountsOn(mounted: readonly string[], { amounts, shared }: PodClass): Amounts {
  if (shared.length === 0 || mounted.length === 0) return amounts
  const left = Float64Array.from(amounts)
  for (const { claim, axis } of shared) if (mounted.includes(claim)) left[axis] = (left[axis] ?? 0) - 1
  return left
}

/** Notes that the machine has mounted what the class shares with others. */
export function mount(mounted: string[], { shared }: PodClass): void {
  for (const { claim } of shared) if (!mounted.includes(claim)) mounted.push(claim)
}

const NONE: readonly string[] = []
