import type { StateNode } from '../../cluster/stateNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { bySize } from '../model/pods/queueOrder.ts'
import type { LeavingPods, RoomOf } from './placedPods.ts'
import type { RelocationProblem } from './relocationProblem.ts'

/** What leaves with machines: pods, and room of buffers. `queue`: each class once, the largest pods first. */
export type Departing = {
  readonly moving: readonly LeavingPods[]
  readonly queue: readonly QueueEntry[]
  /** True if all of the machines are existing nodes of the problem, and some machine could take each of their pods. */
  readonly isWhole: boolean
}

/** Returns a function that finds what leaves with machines. The answer for a single machine is remembered. */
export function departingFrom(
  { existingNodeOf, classOf, sharesOf }: RelocationProblem,
  roomOf: RoomOf,
): (machines: readonly StateNode[]) => Departing {
  const known = new Map<StateNode, Departing>()
  const look = (machines: readonly StateNode[]): Departing => {
    const shares = machines.flatMap(sharesOf)
    const pods = machines.flatMap((machine) =>
      sharesOf(machine).flatMap((share): readonly LeavingPods[] => {
        const podClass = classOf(share.likeness)
        return podClass === undefined ? [] : [{ podClass, share, host: existingNodeOf(machine) }]
      }),
    )
    const moving = [...pods, ...machines.flatMap(roomOf)]
    const arePlaces = machines.every((machine) => existingNodeOf(machine) !== undefined)
    return { moving, queue: queueOf(moving), isWhole: arePlaces && pods.length === shares.length }
  }
  return (machines) => {
    const [machine, ...others] = machines
    if (machine === undefined || others.length > 0) return look(machines)
    const departing = known.get(machine) ?? look(machines)
    known.set(machine, departing)
    return departing
  }
}

/** Each class once, the largest pods first. */
function queueOf(moving: readonly LeavingPods[]): readonly QueueEntry[] {
  const counts = new Map<PodClass, number>()
  for (const { podClass, share } of moving) counts.set(podClass, (counts.get(podClass) ?? 0) + share.pods.length)
  return [...counts].map(([podClass, count]) => ({ podClass, count })).sort((first, second) => bySize(first.podClass, second.podClass))
}
