/**
 * Where pods of machines would go if those machines went. Machines are closed on paper, and opened again unless the try is kept: nothing of the
 * cluster is loaded anew for a try.
 */
import type { CreateClaim } from '../../../model/decision.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { refOf } from '../../../model/podRef.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { leastCostAt, unitCosts } from '../candidates/cost.ts'
import { placeInOrder, placeOnExistingNodes } from '../candidates/firstFit/firstFit.ts'
import type { Plan } from '../candidates/plan.ts'
import { claimForms } from '../decision/claimForm.ts'
import { claimNames, draftClaim } from '../decision/draft.ts'
import { batchOf } from '../model/batch.ts'
import { markAll, negative, type Usage, usageOf } from '../model/catalog/limits.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import { record } from '../model/neighbours/domainFilters.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { type ExistingNode, putBack } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { bySize } from '../model/pods/queueOrder.ts'
import { createWork, spentOn, type Work } from '../model/quantities/work.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { BoundReplicas, Share } from './boundReplicas.ts'
import { basePlan, type Relocatable, type RelocationProblem, relocationProblem, type Sent } from './relocationProblem.ts'

export interface Relocation {
  /** Closes the machines, and puts their pods onto what stays. */
  close(machines: readonly StateNode[]): Closed
  /** Some pod of the machine fits nowhere, as far as resources alone can tell. */
  isStuck(machine: StateNode): boolean
  /** What all tries have cost so far, in looks at a shape. */
  spent(): number
  /** Opens everything again: the machines of the cluster are as they were. */
  end(): void
}

/** Machines that are closed on paper. One try at a time: it is kept or undone before the next begins. */
export interface Closed {
  /** Pods that found no place yet, one of each kind. */
  unplaced(): readonly Pod[]
  /** Names of machines that got pods. */
  onto(): ReadonlySet<string>
  /** Micro dollars an hour that claims for what found no place cost at the least. */
  least(): number
  /** Opens claims for what found no place. False: some of it finds none even so, or the claims come to cost more. */
  open(most: number): boolean
  bins(): readonly Bin[]
  /** The claims as they would be made; undefined where strict minValues leave one of them nothing. */
  claims(): readonly CreateClaim[] | undefined
  /** Answers how to open the machines again: the last one that was kept comes first. */
  keep(): () => void
  undo(): void
}

/** Names follow from the decision and a number: claims for pods that wait have the numbers before. */
const FIRST_NAME = 1_000_000

type Moving = { readonly podClass: PodClass; readonly share: Share }

/** Beside pods that wait, which were sent where an earlier plan of the same context had room for them. */
export function relocationIn(
  cluster: Cluster,
  context: DecisionContext,
  machines: Relocatable,
  sent: Sent,
  bound: BoundReplicas,
): Relocation {
  const work = createWork()
  const problem = relocationProblem(cluster, context, batchOf(cluster, context, work), machines, bound, work)
  return createRelocation(problem, basePlan(problem, machines, sent, work), work)
}

function createRelocation(problem: RelocationProblem, base: Plan, work: Work): Relocation {
  const claimsOf = claimMaker(problem)
  const units = unitCosts(base.poolOptions, base.axes)
  const departing = departingFrom(problem)
  const kept: (() => void)[] = []
  /** Claims of the tries that were kept: a try that is undone leaves its names to the next. */
  let made = 0
  const tellClosed = (machine: StateNode): void => {
    const existingNode = problem.existingNodeOf(machine)
    if (existingNode !== undefined) base.room.tell(existingNode)
  }
  return {
    isStuck: (machine) => departing([machine]).queue.some(({ podClass }) => hasNoRoom(base, podClass)),
    spent: () => spentOn(work),
    end() {
      for (const [existingNode, mark] of base.touched) putBack(existingNode, mark)
      for (const reopen of kept) reopen()
    },
    close(machines) {
      const { moving, queue, isWhole } = departing(machines)
      const { plan, reopen, undo } = closeOnPaper(problem, base, machines, moving)
      if (isWhole) placeOnExistingNodes(plan, queue)
      const unplaced = (): readonly Pod[] => (isWhole ? leftOf(plan, moving) : stuckOf(problem, machines))
      return {
        unplaced,
        onto: () => new Set([...plan.touched.keys()].map(({ label }) => label)),
        least: () =>
          leastCostAt(
            units,
            [...plan.left].flatMap(([podClass, count]) => (count > 0 ? [{ podClass, count }] : [])),
          ),
        open: (most) => isWhole && placeInOrder(plan, queue, most) && unplaced().length === 0,
        bins: () => plan.bins,
        claims: () => claimsOf(plan, moving, FIRST_NAME + made),
        keep() {
          const first = [...plan.touched.keys()].filter((existingNode) => !base.touched.has(existingNode))
          kept.push(reopen)
          made += plan.bins.length
          for (const [existingNode, mark] of plan.touched) {
            if (!base.touched.has(existingNode)) base.touched.set(existingNode, mark)
            base.room.tell(existingNode)
          }
          for (const machine of machines) tellClosed(machine)
          return () => {
            undo()
            kept.pop()
            made -= plan.bins.length
            for (const existingNode of first) base.touched.delete(existingNode)
            for (const existingNode of plan.touched.keys()) base.room.tell(existingNode)
            for (const machine of machines) tellClosed(machine)
          }
        },
        undo,
      }
    },
  }
}

/** What a machine has mounted already a pod that shares it does not take again, so that such a pod may need less than it says. */
function hasNoRoom({ room, existingNodes }: Plan, { shared, amounts }: PodClass): boolean {
  return shared.length === 0 && room.next(amounts, 0) >= existingNodes.length
}

function claimMaker({ problem: { context, isTaken } }: RelocationProblem) {
  const nameOf = sameNames(claimNames(context, isTaken))
  const formOf = claimForms(context)
  return (plan: Plan, moving: readonly Moving[], first: number): readonly CreateClaim[] | undefined => {
    const drafted = plan.bins.map((bin, at) => {
      const pods = podsIn(bin, plan, moving).map(refOf)
      return draftClaim(bin, formOf(bin), nameOf(bin.narrowedTemplate.template.pool.name, first + at), pods, context)
    })
    const claims = drafted.flatMap((each) => ('action' in each ? [each.action] : []))
    return claims.length === drafted.length ? claims : undefined
  }
}

/** A try that is undone and made again has the names that it had before. */
function sameNames(nameOf: ReturnType<typeof claimNames>): ReturnType<typeof claimNames> {
  const known = new Map<string, NodeClaimName>()
  return (pool, index) => {
    const name = known.get(`${index} ${pool}`) ?? nameOf(pool, index)
    known.set(`${index} ${pool}`, name)
    return name
  }
}

type Departing = {
  readonly moving: readonly Moving[]
  readonly queue: readonly QueueEntry[]
  /** All of the machines are places, and some machine could take each of their pods. */
  readonly isWhole: boolean
}

/** What leaves with machines. A machine that is tried alone is looked at once. */
function departingFrom({ existingNodeOf, classOf, sharesOf }: RelocationProblem): (machines: readonly StateNode[]) => Departing {
  const known = new Map<StateNode, Departing>()
  const look = (machines: readonly StateNode[]): Departing => {
    const shares = machines.flatMap(sharesOf)
    const moving = shares.flatMap((share): readonly Moving[] => {
      const podClass = classOf(share.likeness)
      return podClass === undefined ? [] : [{ podClass, share }]
    })
    const arePlaces = machines.every((machine) => existingNodeOf(machine) !== undefined)
    return { moving, queue: queueOf(moving), isWhole: arePlaces && moving.length === shares.length }
  }
  return (machines) => {
    const [machine, ...others] = machines
    if (machine === undefined || others.length > 0) return look(machines)
    const departing = known.get(machine) ?? look(machines)
    known.set(machine, departing)
    return departing
  }
}

function closeOnPaper(problem: RelocationProblem, base: Plan, machines: readonly StateNode[], moving: readonly Moving[]) {
  const { existingNodeOf } = problem
  const existingNodes = machines.flatMap((machine) => existingNodeOf(machine) ?? [])
  const reopen = closeNodes(existingNodes)
  for (const machine of machines) countPods(machine, problem, -1)
  const limits = markAll(base.poolOptions.map(({ limits }) => limits))
  for (const machine of machines) giveBack(base, usageOf(machine, problem.problem.typesOf))
  const plan = planFor(base, moving)
  return {
    plan,
    reopen,
    undo(): void {
      for (const { host, podClass, relaxedPod, count } of plan.log) record(host, podClass, relaxedPod, -count)
      for (const [existingNode, mark] of plan.touched) putBack(existingNode, mark)
      limits()
      for (const machine of machines) countPods(machine, problem, 1)
      reopen()
    },
  }
}

function leftOf({ left }: Plan, moving: readonly Moving[]): readonly Pod[] {
  const stuck = moving.filter(({ podClass }) => (left.get(podClass) ?? 0) > 0)
  return stuck.flatMap(({ share }) => share.pods.slice(0, 1))
}

/** Pods that no machine could take; of a machine that holds more than it can, any pod. */
function stuckOf({ classOf, sharesOf }: RelocationProblem, machines: readonly StateNode[]): readonly Pod[] {
  const shares = machines.flatMap(sharesOf)
  const impossible = shares.filter(({ likeness }) => classOf(likeness) === undefined)
  return (impossible.length > 0 ? impossible : shares).flatMap(({ pods }) => pods.slice(0, 1))
}

/** No room is left on them, though their domains stay: the scheduler counts a node until the node is gone. */
function closeNodes(existingNodes: readonly ExistingNode[]): () => void {
  const before = existingNodes.map(({ free }) => Float64Array.from(free))
  for (const { free } of existingNodes) free.fill(-1)
  return () => {
    for (const [index, { free }] of existingNodes.entries()) free.set(before[index] ?? free)
  }
}

/** What a machine takes of the limits of its pool is free for what comes in its place. */
function giveBack({ poolOptions }: Plan, usage: Usage | undefined): void {
  if (usage === undefined) return
  const back = negative(usage.capacity)
  for (const { narrowedTemplate, limits } of poolOptions) if (narrowedTemplate.template.pool.name === usage.pool) limits.take(back)
}

function countPods(machine: StateNode, { existingNodeOf, classOf, sharesOf }: RelocationProblem, sign: 1 | -1): void {
  const host = existingNodeOf(machine)
  if (host === undefined) return
  for (const { likeness, counted } of sharesOf(machine)) {
    const podClass = classOf(likeness)
    const relaxedPod = podClass?.relaxedPods[0]
    if (podClass !== undefined && relaxedPod !== undefined && counted > 0) record(host, podClass, relaxedPod, sign * counted)
  }
}

function planFor(base: Plan, moving: readonly Moving[]): Plan {
  const left = new Map<PodClass, number>()
  for (const { podClass, share } of moving) left.set(podClass, (left.get(podClass) ?? 0) + share.pods.length)
  return { ...base, touched: new Map(), postponed: new Map(), bins: [], log: [], left }
}

/** The largest first, each class once. */
function queueOf(moving: readonly Moving[]): readonly QueueEntry[] {
  const counts = new Map<PodClass, number>()
  for (const { podClass, share } of moving) counts.set(podClass, (counts.get(podClass) ?? 0) + share.pods.length)
  return [...counts].map(([podClass, count]) => ({ podClass, count })).sort((first, second) => bySize(first.podClass, second.podClass))
}

/** Pods of a class take its places in the order in which the places were found. */
function podsIn(bin: Bin, { log }: Plan, moving: readonly Moving[]): readonly Pod[] {
  const pods = Map.groupBy(moving, ({ podClass }) => podClass)
  const next = new Map<PodClass, number>()
  const found: Pod[] = []
  for (const { host, podClass, count } of log) {
    const from = next.get(podClass) ?? 0
    next.set(podClass, from + count)
    if (host !== bin) continue
    const own = (pods.get(podClass) ?? []).flatMap(({ share }) => share.pods)
    for (const pod of own.slice(from, from + count)) found.push(pod)
  }
  return found
}
