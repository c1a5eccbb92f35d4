/** Facts that follow from a machine alone. A machine that changes is a new object, so its facts are worked out once. */
import { largestOf } from '../../../base/lists.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import type { Pod } from '../../../model/pod.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isAwaited } from '../../pod/nomination.ts'
import { isReschedulable } from '../../pod/podPredicates.ts'
import { rescheduleCost } from './moveCost.ts'

export type MachineFacts = {
  /** Pods that need another place. */
  readonly pods: readonly Pod[]
  /** See `rescheduleCost`. */
  readonly cost: number
  /** Pods with a do-not-disrupt annotation, whatever its value. */
  readonly withDoNotDisrupt: readonly Pod[]
  /** Pods that kube-scheduler is about to bind to the node. */
  readonly awaited: readonly Pod[]
  /** When one of its pods last came or began to end, 0 without pods. The deletion time of a pod lies in the future while the pod ends. */
  readonly lastPodAt: EpochMs
}

const known = new WeakMap<StateNode, MachineFacts>()

export function factsOf(machine: StateNode): MachineFacts {
  const facts = known.get(machine) ?? look(machine)
  known.set(machine, facts)
  return facts
}

function look(machine: StateNode): MachineFacts {
  const pods = machine.pods.filter(isReschedulable)
  return {
    pods,
    cost: rescheduleCost(pods),
    // Stryker disable next-line MethodExpression, ConditionalExpression: the reader of these pods asks each for the annotation again, the filter saves time
    withDoNotDisrupt: machine.pods.filter(({ annotations }) => annotations[ANNOTATION.doNotDisrupt] !== undefined),
    awaited: pods.filter(isAwaited),
    lastPodAt: epochMs(largestOf(machine.pods.map(lastEventOf), 0)),
  }
}

function lastEventOf({ createdAt, scheduledAt = createdAt, deletedAt = createdAt }: Pod): number {
  return Math.max(scheduledAt, deletedAt)
}
