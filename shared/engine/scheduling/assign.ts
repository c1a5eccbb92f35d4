/** Turns numbers back into pods: who of a class goes where. */
import type { Uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { type Bin, isBin } from './hosts/bin.ts'
import type { Target } from './hosts/target.ts'
import type { Plan } from './plan.ts'
import type { PodClass } from './pods/podClass.ts'

export type Assignment = {
  readonly onTargets: readonly { readonly pod: Pod; readonly target: Target }[]
  readonly inBins: ReadonlyMap<Bin, readonly Pod[]>
  /** Pods that found no place: the newest of their class. */
  readonly unplaced: ReadonlyMap<PodClass, readonly Pod[]>
}

/** Pods of a class take its places in the order these were found; a promised pod takes the place it was promised. */
export function assignPods({ log }: Plan, classes: readonly PodClass[], promised: ReadonlyMap<Uid, Target>): Assignment {
  const waiting = new Map(
    classes.map((podClass) => [podClass, promised.size === 0 ? podClass.pods : podClass.pods.filter((pod) => !promised.has(pod.uid))]),
  )
  const next = new Map<PodClass, number>()
  const onTargets: { pod: Pod; target: Target }[] = []
  for (const { pods } of promised.size === 0 ? [] : classes) {
    for (const pod of pods) {
      const target = promised.get(pod.uid)
      if (target !== undefined) onTargets.push({ pod, target })
    }
  }
  const inBins = new Map<Bin, Pod[]>()
  for (const { host, podClass, count, isPromise } of log) {
    if (isPromise === true) continue
    const start = next.get(podClass) ?? 0
    next.set(podClass, start + count)
    const pods = (waiting.get(podClass) ?? []).slice(start, start + count)
    if (isBin(host)) {
      const present = inBins.get(host)
      if (present === undefined) inBins.set(host, pods)
      else present.push(...pods)
    } else for (const pod of pods) onTargets.push({ pod, target: host })
  }
  const unplaced = [...waiting].map(([podClass, pods]) => [podClass, pods.slice(next.get(podClass) ?? 0)] as const)
  return { onTargets, inBins, unplaced: new Map(unplaced.filter(([, pods]) => pods.length > 0)) }
}
