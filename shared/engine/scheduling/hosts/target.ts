/** Places that are there or on their way: nodes, launched claims, and claims that may still become one of several sizes. */
import type { NodeClaimName } from '../../../model/ids.ts'
import type { HostPort } from '../../../model/pod.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { type Taint, untolerated } from '../../../model/taint.ts'
import { type Amounts, addTimes, countFitting } from '../amounts.ts'
import type { Constraint } from '../pods/constraint.ts'
import { portsClash } from '../pods/hostPorts.ts'
import type { PodClass } from '../pods/podClass.ts'
import type { TopologyHost } from '../topology/host.ts'
import { amountsOn, mount } from './mounts.ts'

export type Target = TopologyHost & {
  /** Place in the order targets are offered. */
  readonly id: number
  readonly label: string
  /** Absent: a node that no claim made. */
  readonly claim?: NodeClaimName
  /** 0 initialized, 1 coming up, 2 not launched: the order pods are offered to them. */
  readonly stage: 0 | 1 | 2
  readonly taints: readonly Taint[]
  readonly meets: (wanted: Requirements) => boolean
  /** Buffer: what is left for pods. */
  readonly free: Amounts
  /** Buffer: ports taken. */
  readonly ports: HostPort[]
  /** Buffer: volume claims of many pods that it has attached. */
  readonly mounted: string[]
  /** Buffer: answers given, by constraint. */
  readonly accepted: Map<number, boolean>
}

/** How many pods of the class the machine could take, neighbours apart; at most `most`. */
export function roomOn(target: Target, podClass: PodClass, constraint: Constraint, most: number): number {
  const isOneByOne = podClass.hostPorts.length > 0 || podClass.shared.length > 0
  const count = countFitting(NONE, amountsOn(target.mounted, podClass), target.free, isOneByOne ? 1 : most)
  if (count === 0 || !accepts(target, constraint)) return 0
  return portsClash(target.ports, podClass.hostPorts) ? 0 : count
}

export function putOn(target: Target, podClass: PodClass, count: number): void {
  addTimes(target.free, amountsOn(target.mounted, podClass), -count)
  mount(target.mounted, podClass)
  target.ports.push(...podClass.hostPorts)
}

function accepts(target: Target, constraint: Constraint): boolean {
  let answer = target.accepted.get(constraint.id)
  if (answer === undefined) {
    answer = untolerated(target.taints, constraint.tolerations).length === 0 && constraint.alternatives.some(target.meets)
    target.accepted.set(constraint.id, answer)
  }
  return answer
}

const NONE: Amounts = new Float64Array()
