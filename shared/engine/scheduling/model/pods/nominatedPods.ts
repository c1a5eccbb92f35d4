/** Pods that kube-scheduler is about to bind to a node. While that can come about, they count as pods of the node. */
import type { NodeName } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { EpochMs } from '../../../../model/units.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import { holdsNomination } from '../../../pod/nomination.ts'
import { isActive } from '../../../pod/podPredicates.ts'

/** A pod as it counts from now on: `after`, and no longer as `before`. */
export type Recounted = { readonly before: Pod | undefined; readonly after: Pod }

export interface NominatedPods {
  /** Takes the pod if it has a nominated node. False: it is counted by its other fields. */
  add(pod: Pod): boolean
  /** Forgets the pod. Returns it as it counts until now: another pod counts as it is. Undefined if it does not count yet. */
  forget(pod: Pod): Pod | undefined
  /** The pods that count in another way from now on. `machineOf`: the machine of a node that exists. */
  recount(now: EpochMs, machineOf: (node: NodeName) => StateNode | undefined): readonly Recounted[]
}

/** Reports whether the scheduler is about to bind the pod. */
function isNominated({ nominatedNodeName, nodeName }: Pod): boolean {
  return nominatedNodeName !== undefined && nodeName === undefined
}

export function createNominatedPods(): NominatedPods {
  /** Each pod, and the form in which it counts. Undefined until the first recount. */
  const counted = new Map<Pod, Pod | undefined>()
  return {
    add(pod) {
      if (!isNominated(pod) || !isActive(pod)) return false
      counted.set(pod, undefined)
      return true
    },
    forget(pod) {
      const known = counted.has(pod) ? counted.get(pod) : pod
      counted.delete(pod)
      return known
    },
    recount(now, machineOf) {
      const changed: Recounted[] = []
      for (const [pod, before] of counted) {
        const { nominatedNodeName: node, ...others } = pod
        if (node === undefined) continue
        const isAwaited = isToCome(pod, machineOf(node), now)
        if (before !== undefined && (before.nodeName !== undefined) === isAwaited) continue
        const after: Pod = isAwaited ? { ...pod, nodeName: node } : others
        counted.set(pod, after)
        changed.push({ before, after })
      }
      return changed
    },
  }
}

/** Reports whether the pod may still come to the machine. A machine that ends takes no pod, and the scheduler looks for another one. */
function isToCome(pod: Pod, machine: StateNode | undefined, now: EpochMs): boolean {
  return machine !== undefined && !machine.isDeleting && holdsNomination(pod, machine.pods, now)
}
