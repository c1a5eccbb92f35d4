import { isSame, isSameFlat } from '../../../../base/isSame.ts'
import type { Pod } from '../../../../model/pod.ts'
import { isTerminal } from '../../../pod/podPredicates.ts'

/** What has changed for rules about neighbours: nothing, the counts of pods, or the rules and volumes of running pods as well. */
export type NeighbourChange = 'none' | 'counts' | 'rules'

export interface NeighbourChanges {
  /** Notes what a pod was and is. Undefined: there was none, or there is none any longer. */
  note(before: Pod | undefined, after: Pod | undefined): void
  /** The largest change since the last call. */
  take(): NeighbourChange
}

export function createNeighbourChanges(): NeighbourChanges {
  let largest: NeighbourChange = 'none'
  return {
    note(before, after) {
      if (largest === 'rules') return
      const change = changeOf(running(before), running(after))
      if (change !== 'none') largest = change
    },
    take() {
      const taken = largest
      largest = 'none'
      return taken
    },
  }
}

function running(pod: Pod | undefined): Pod | undefined {
  return pod === undefined || pod.nodeName === undefined || isTerminal(pod) ? undefined : pod
}

function changeOf(before: Pod | undefined, after: Pod | undefined): NeighbourChange {
  if (before === after || (before !== undefined && after !== undefined && isSameNeighbour(before, after))) return 'none'
  return isPlain(before) && isPlain(after) ? 'counts' : 'rules'
}

/** Reports whether rules about neighbours and about shared volumes see no difference. */
function isSameNeighbour(first: Pod, second: Pod): boolean {
  return (
    first.nodeName === second.nodeName &&
    (first.deletedAt === undefined) === (second.deletedAt === undefined) &&
    isSameFlat(first.labels, second.labels) &&
    isSame(first.podAntiAffinity.required, second.podAntiAffinity.required) &&
    isSame(first.volumes, second.volumes)
  )
}

/** True for a pod that has no rules for others: it is only counted. */
function isPlain(pod: Pod | undefined): boolean {
  return pod === undefined || (pod.podAntiAffinity.required.length === 0 && pod.volumes.length === 0)
}
