/** Waiting pods that the plan of the same decision has placed on existing nodes. Among them are pods of buffers, whose room can move. */
import { once, remembered } from '../../../base/caches.ts'
import { byKey } from '../../../base/lists.ts'
import type { Pod } from '../../../model/pod.ts'
import { allocatableOf, type StateNode } from '../../cluster/stateNode.ts'
import type { Placement, Plan } from '../candidates/plan.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { markAll } from '../model/catalog/limits.ts'
import { record } from '../model/neighbours/domainFilters.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { type ExistingNode, type ExistingNodeMark, markOf, putBack } from '../model/nodes/existingNode.ts'
import type { Batch, PlacementProblem } from '../model/placementProblem.ts'
import type { PodClass } from '../model/pods/constraint.ts'
import type { Amounts, Axes } from '../model/quantities/amounts.ts'
import type { Work } from '../model/quantities/work.ts'
import type { Share } from './boundReplicas.ts'

export type Sent = ReturnType<Provisioning['assigned']>['onExistingNodes']

export type PlacedPod = { readonly pod: Pod; readonly existingNode: ExistingNode; readonly podClass: PodClass }

/**
 * What leaves a machine: pods of one class on it, or room of a buffer. `host`: where these pods count for neighbours. Undefined if its pods ask for
 * more than it has.
 */
export type LeavingPods = {
  readonly podClass: PodClass
  readonly share: Share
  readonly host: ExistingNode | undefined
  readonly isRoom?: true
}

/** The room that buffers have on a machine. */
export type RoomOf = (machine: StateNode) => readonly LeavingPods[]

export function placedPods(
  { problem: { classes } }: { readonly problem: Pick<PlacementProblem, 'classes'> },
  sent: Sent,
): readonly PlacedPod[] {
  if (sent.length === 0) return []
  const classOf = new Map<string, PodClass>()
  for (const podClass of classes) for (const { uid } of podClass.pods()) classOf.set(uid, podClass)
  return [...sent].sort(byKey(({ pod: { uid } }) => uid)).flatMap(({ pod, existingNode }) => {
    const podClass = classOf.get(pod.uid)
    return podClass === undefined ? [] : [{ pod, existingNode, podClass }]
  })
}

export function roomOfBuffers(placed: readonly PlacedPod[], { isReal }: Pick<Batch, 'isReal'>): RoomOf {
  const rooms = new Map<string, readonly LeavingPods[]>()
  const ofBuffers = placed.filter(({ pod }) => !isReal(pod))
  for (const [name, onMachine] of Map.groupBy(ofBuffers, ({ existingNode }) => existingNode.label)) {
    rooms.set(
      name,
      [...Map.groupBy(onMachine, ({ podClass }) => podClass)].flatMap(([podClass, own]) => movingRoom(podClass, own)),
    )
  }
  return ({ name }) => rooms.get(name) ?? NONE
}

export function isOfPods({ isRoom }: LeavingPods): boolean {
  return isRoom !== true
}

function movingRoom(podClass: PodClass, own: readonly PlacedPod[]): readonly LeavingPods[] {
  const [first] = own
  if (first === undefined) return NONE
  const pods = own.map(({ pod }) => pod)
  return [{ podClass, share: { likeness: { pod: first.pod }, pods, counted: pods.length }, host: first.existingNode, isRoom: true }]
}

const NONE: readonly LeavingPods[] = []

/** A move that is planned, and the state before the move of all that it changes. */
export type PlannedMove = {
  readonly log: readonly Placement[]
  /** The new claims. */
  readonly bins: readonly Bin[]
  /** The existing nodes that get pods, with their state before the move. */
  readonly touched: ReadonlyMap<ExistingNode, ExistingNodeMark>
}

/** Counts the pods of the placement once more, or takes them out of the counts, in the domains in which they were counted when they were placed. */
export function recount({ host, podClass, relaxedPod, count, countedAs }: Placement, sign: 1 | -1): void {
  if (!('narrowedTemplate' in host) || countedAs === undefined) return record(host, podClass, relaxedPod, sign * count)
  const { narrowedTemplate } = host
  host.narrowedTemplate = countedAs
  record(host, podClass, relaxedPod, sign * count)
  host.narrowedTemplate = narrowedTemplate
}

/** Takes the pods of the moves, which are in order, from their places. Returns a function that puts them back. */
export function lift(moves: readonly PlannedMove[]): () => void {
  const before = new Map<ExistingNode, ExistingNodeMark>()
  for (const { touched } of moves) for (const [node, mark] of touched) if (!before.has(node)) before.set(node, mark)
  const planned = [...before.keys()].map((node) => [node, markOf(node)] as const)
  const count = (sign: 1 | -1): void => {
    for (const { log } of moves) for (const placement of log) recount(placement, sign)
  }
  count(-1)
  for (const [node, mark] of before) putBack(node, mark)
  return () => {
    for (const [node, mark] of planned) putBack(node, mark)
    count(1)
  }
}

/** Takes back what the plan has placed since its log had `placements` entries. `marks`: the nodes that had pods of the plan then, as they were. */
export function takeBack({ touched, left, log }: Plan, placements: number, marks: ReadonlyMap<ExistingNode, ExistingNodeMark>): void {
  for (let at = placements; at < log.length; at++) {
    const placement = log[at]
    if (placement === undefined) continue
    recount(placement, -1)
    left.set(placement.podClass, (left.get(placement.podClass) ?? 0) + placement.count)
  }
  log.length = placements
  for (const [existingNode, untouched] of touched) {
    putBack(existingNode, marks.get(existingNode) ?? untouched)
    if (!marks.has(existingNode)) touched.delete(existingNode)
  }
}

/** Returns a function that takes the plan back to its state now. */
export function mark(plan: Plan): () => void {
  const { touched, log, bins, poolOptions } = plan
  const marks = new Map([...touched.keys()].map((existingNode) => [existingNode, markOf(existingNode)]))
  const [placements, claims] = [log.length, bins.length]
  const limits = markAll(poolOptions.map((each) => each.limits))
  return () => {
    takeBack(plan, placements, marks)
    limits()
    bins.length = claims
    plan.version++
  }
}

/** What kube-scheduler knows of nodes when it chooses among them. */
export type SchedulerView = {
  /** What the node has for all its pods. */
  readonly wholeOf: (node: ExistingNode) => Amounts
  /** The axes by which the scheduler scores nodes: CPU and memory. */
  readonly scored: readonly number[]
  readonly work: Pick<Work, 'existingNodes' | 'domains'>
}

export function schedulerView(machines: readonly StateNode[], axes: Axes, work: Work): SchedulerView {
  const byName = once(() => new Map<string, StateNode>(machines.map((machine) => [machine.name, machine])))
  return {
    scored: ['cpu', 'memory'].map((name) => axes.names.indexOf(name)).filter((axis) => axis >= 0),
    work,
    wholeOf: remembered((node) => {
      const machine = byName().get(node.label)
      return machine === undefined ? node.freeOn(axes) : axes.freeOf(allocatableOf(machine), undefined)
    }),
  }
}

/** The mean share of the scored resources that stays free, as the scheduler's plugin LeastAllocated has it. `taken`: what one more pod takes. */
export function freeShare(free: Amounts, taken: Amounts | undefined, whole: Amounts, { scored }: Pick<SchedulerView, 'scored'>): number {
  let sum = 0
  for (const axis of scored) {
    const has = whole[axis] ?? 0
    if (has > 0) sum += Math.max(0, ((free[axis] ?? 0) - (taken?.[axis] ?? 0)) / has)
  }
  return sum / Math.max(1, scored.length)
}

/**
 * How far the used shares of CPU and memory are apart: their standard deviation, at most 0.5. Since Kubernetes 1.36, the scheduler's plugin
 * BalancedAllocation compares it with and without the pod, and counts the difference by half (https://github.com/kubernetes/kubernetes/pull/135573,
 * read 2026-11-29). `taken`: what one more pod takes.
 */
export function imbalance(free: Amounts, taken: Amounts | undefined, whole: Amounts, { scored }: Pick<SchedulerView, 'scored'>): number {
  let [least, most] = [1, 0]
  for (const axis of scored) {
    const has = whole[axis] ?? 0
    if (has <= 0) continue
    const share = Math.min(1, Math.max(0, ((free[axis] ?? 0) - (taken?.[axis] ?? 0)) / has))
    least = Math.min(least, share)
    most = Math.max(most, share)
  }
  return Math.max(0, most - least) / 2
}
