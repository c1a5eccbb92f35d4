/**
 * Tries out where the pods of machines would go if the machines went. Machines are closed on paper, and opened again unless the try is kept. A try
 * loads nothing of the cluster anew.
 */
import { once } from '../../../base/caches.ts'
import { type DecisionContext } from '../../../model/clusterSnapshot.ts'
import type { CreateClaim } from '../../../model/decision.ts'
import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { leastCostAt, type Placement, type Plan, unitCosts } from '../candidates/plan.ts'
import { brokenBy } from '../choice/newPlan.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import { domainFilters, record } from '../model/neighbours/domainFilters.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { putBack, takesPodsOf } from '../model/nodes/existingNode.ts'
import { batchOf } from '../model/placementProblem.ts'
import { isCounted, type PodClass, type QueueEntry } from '../model/pods/constraint.ts'
import { createWork, spentOn, type Work } from '../model/quantities/work.ts'
import type { TopologyHost } from '../model/topology/inverseAntiAffinity.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { type BindingCheck, createBindingCheck } from './bindingCheck.ts'
import type { BoundReplicas } from './boundReplicas.ts'
import { type NodesIn, nodesIn } from './domainsWithoutNodes.ts'
import { fillNodes } from './emptiestNode.ts'
import { closeOnPaper, openClaims } from './openClaims.ts'
import { isOfPods, type LeavingPods, placedPods, type RoomOf, roomOfBuffers, type Sent, schedulerView } from './placedPods.ts'
import { basePlan, type Relocatable, type RelocationProblem, relocationProblem } from './relocationProblem.ts'
import { claimMaker, departingFrom } from './replacement.ts'
import { readsOf, type TryReads } from './tryReads.ts'
import { NONE_UNBOUND, type Unbound } from './worstFit.ts'

export interface Relocation {
  /** Closes the machines, and puts their pods onto machines that stay. Room that buffers have on the machines moves as pods do. */
  close(machines: readonly StateNode[], way?: Closing): RemovalTrial
  /** Reports whether some pod of the machine fits nowhere, judged by resources alone. */
  isStuck(machine: StateNode): boolean
  /** The cost of all tries so far, in looks at a shape. */
  spent(): number
  /** How it is known of each kept try that its pods bind in any order. */
  proofs(): ReturnType<BindingCheck['proofs']>
  isLastResort(): ReturnType<BindingCheck['isLastResort']>
  /** What the tries read. Undefined if later decisions cannot know whether the same tries would end alike. */
  reads(): TryReads | undefined
  /** Opens all machines again. The machines of the cluster are then as they were. */
  end(): void
}

/**
 * `leaving`: with `pods`, the room of buffers is given up. `onNew`: what goes to new claims alone. The rest goes to machines that stay where it fits.
 * `afterAll`: pods may wait until the machines are gone, and spreads then ignore domains without a node.
 */
export type Closing = { readonly leaving?: Leaving; readonly onNew?: OnNew; readonly afterAll?: boolean }

/** Pods of some classes, or all pods and all room of buffers. */
export type OnNew = Unbound | 'all'

export type Leaving = 'podsAndRoom' | 'pods'

/** Machines that are closed on paper. There is one try at a time: it is kept or undone before the next begins. */
export interface RemovalTrial {
  /** True if room of buffers leaves the machines. */
  readonly movesRoom: boolean
  /** Pods that found no place yet, one of each kind. */
  unplaced(): readonly Pod[]
  /** Names of machines that got pods. */
  receivingMachines(): ReadonlySet<string>
  /** The pods that go to machines with these names. */
  podsOn(names: Pick<ReadonlySet<string>, 'has'>): Unbound
  /** What each node costs beside its price, in micro-USD an hour. The costs of claims below have it. */
  readonly nodeCost: number
  /** The least that claims for the pods without a place cost, in micro-USD an hour. */
  least(): number
  /** Opens claims for the pods without a place. False if some pod still finds no place, or if the claims cost more than `most` micro-USD an hour. */
  open(most: number): boolean
  bins(): readonly Bin[]
  /**
   * The pods of this try and of all kept tries that find no place in some order in which the scheduler may bind them. The scheduler does not know the
   * plan, and prefers the emptiest nodes. Asked after claims are opened.
   */
  unbound(): Unbound
  /** Reports whether pods of a required affinity go to another domain, where none of them binds before all of them have left. */
  beginsElsewhere(): boolean
  /** The claims as they would be made. Undefined if strict `minValues` leave one of them without sizes. */
  claims(): readonly CreateClaim[] | undefined
  /** Keeps the try. Returns a function that opens the machines again. Kept tries must be opened in reverse order. */
  keep(): () => void
  undo(): void
}

/** The first number of names here. A name follows from the decision and a number, and claims for waiting pods have lower numbers. */
const FIRST_NAME = 1_000_000

/** Makes a relocation in which the waiting pods have the places that an earlier plan of the same context found for them (`sent`). */
export function relocationIn(
  cluster: Cluster,
  context: DecisionContext,
  machines: Relocatable,
  sent: Sent,
  bound: BoundReplicas,
): Relocation {
  const work = createWork()
  const batch = batchOf(cluster, context, work)
  const problem = relocationProblem(cluster, context, batch, machines, bound, work)
  const reads = machines.withHeldPods.length === 0 ? readsOf(problem) : () => undefined
  const placed = placedPods(problem, sent)
  const base = basePlan(problem, machines, placed, work)
  const check = once(() => createBindingCheck(base.existingNodes, schedulerView(machines.places, problem.problem.axes, work)))
  const nodes = nodesIn(cluster.machines.views)
  return { ...createRelocation(problem, base, { room: roomOfBuffers(placed, batch), check, nodes }, work), reads }
}

type Parts = { readonly room: RoomOf; readonly check: () => BindingCheck; readonly nodes: NodesIn }

function createRelocation(problem: RelocationProblem, base: Plan, { room, check, nodes }: Parts, work: Work): Omit<Relocation, 'reads'> {
  const claimsOf = claimMaker(problem)
  const units = unitCosts(base.poolOptions, base.axes)
  const departing = { podsAndRoom: departingFrom(problem, room), pods: departingFrom(problem, () => []) }
  const kept: (() => void)[] = []
  /** The number of claims in tries that were kept. A try that is undone leaves its names to the next. */
  let made = 0
  const tellClosed = (machine: StateNode): void => {
    const existingNode = problem.existingNodeOf(machine)
    if (existingNode !== undefined) base.room.tell(existingNode)
  }
  return {
    isStuck: (machine) => departing.podsAndRoom([machine]).queue.some(({ podClass }) => hasNoRoom(base, podClass)),
    spent: () => spentOn(work),
    proofs: () => check().proofs(),
    isLastResort: () => check().isLastResort(),
    end() {
      // A closed machine may have room of a buffer from before it was closed, so it is opened first.
      for (const reopen of kept) reopen()
      for (const [existingNode, mark] of base.touched) putBack(existingNode, mark)
    },
    close(machines, { leaving = 'podsAndRoom', onNew = NONE_UNBOUND, afterAll = false } = {}) {
      const { moving, queue, isWhole } = departing[leaving](machines)
      const less = askingForNoMore(queue, moving)
      const { plan, closed, reopen, undo } = closeOnPaper(problem, base, machines, moving, afterAll ? nodes : undefined)
      const checked = { ...plan, closed, closing: machines.map(({ name }) => name), afterAll }
      const staying = queue.filter(mayStay(onNew))
      if (isWhole) fillNodes(plan, withRoom(plan, staying), less && withRoom(plan, less.filter(mayStay(onNew))))
      const opening = staying.length === queue.length ? plan : { ...plan, existingNodes: [] }
      const unplaced = (): readonly Pod[] => (isWhole ? leftOf(plan, moving) : stuckOf(problem, machines))
      return {
        movesRoom: !moving.every(isOfPods),
        unplaced,
        receivingMachines: () => new Set([...plan.touched.keys()].map(({ label }) => label)),
        podsOn: (names) => new Set(plan.log.flatMap(({ host, podClass }) => ('label' in host && names.has(host.label) ? [podClass] : []))),
        nodeCost: problem.problem.context.settings.nodeCost ?? 0,
        least: () => leastCostAt(units, waitingIn(plan)),
        open: (most) => isWhole && openClaims(opening, less === undefined ? [queue] : [queue, less], most),
        bins: () => plan.bins,
        unbound: () => check().unbound(checked),
        beginsElsewhere: () => beginsElsewhere(plan.log, moving),
        claims: () => claimsOf(plan, moving, FIRST_NAME + made),
        keep() {
          kept.push(reopen)
          const uncheck = check().keep(checked)
          made += plan.bins.length
          const untouch = touch(base, plan)
          for (const machine of machines) tellClosed(machine)
          return () => {
            undo()
            kept.pop()
            uncheck()
            made -= plan.bins.length
            untouch()
            for (const machine of machines) tellClosed(machine)
          }
        },
        undo,
      }
    },
  }
}

/** Notes in `base` what the plan changed. Returns a function that takes the notes back once the change itself is undone. */
function touch(base: Plan, { touched }: Plan): () => void {
  const first = [...touched.keys()].filter((existingNode) => !base.touched.has(existingNode))
  for (const [existingNode, mark] of touched) {
    if (!base.touched.has(existingNode)) base.touched.set(existingNode, mark)
    base.room.tell(existingNode)
  }
  return () => {
    for (const existingNode of first) base.touched.delete(existingNode)
    for (const existingNode of touched.keys()) base.room.tell(existingNode)
  }
}

/** Returns a function that reports whether the pods may go to nodes that stay. */
function mayStay(onNew: OnNew): (entry: QueueEntry) => boolean {
  return ({ podClass }) => onNew !== 'all' && !onNew.has(podClass)
}

/** The entries for which some node has room. The others cost no search. */
function withRoom(plan: Plan, queue: readonly QueueEntry[]): readonly QueueEntry[] {
  return queue.filter(({ podClass }) => !hasNoRoom(plan, podClass))
}

/** Reports whether no node has room. False for pods with shared volumes: where such a volume is mounted, a pod needs less than its amounts say. */
function hasNoRoom({ room, existingNodes }: Plan, { shared, amounts }: PodClass): boolean {
  return shared.length === 0 && room.next(amounts, 0) >= existingNodes.length
}

function waitingIn({ left }: Plan): readonly QueueEntry[] {
  return [...left].flatMap(([podClass, count]) => (count > 0 ? [{ podClass, count }] : []))
}

function leftOf({ left }: Plan, moving: readonly LeavingPods[]): readonly Pod[] {
  const stuck = moving.filter(({ podClass }) => (left.get(podClass) ?? 0) > 0)
  return stuck.flatMap(({ share }) => share.pods.slice(0, 1))
}

/** Pods that no machine could take. If there are none, a machine holds more than it has, and any of its pods counts. */
function stuckOf({ classOf, sharesOf }: RelocationProblem, machines: readonly StateNode[]): readonly Pod[] {
  const shares = machines.flatMap(sharesOf)
  const impossible = shares.filter(({ likeness }) => classOf(likeness) === undefined)
  return (impossible.length > 0 ? impossible : shares).flatMap(({ pods }) => pods.slice(0, 1))
}

/**
 * Reports whether some pods of a required affinity leave their domain together, and are all pods that the affinity selects. kube-scheduler places
 * none of them in another domain while one of them still runs. Called while the pods count where the plan puts them.
 */
function beginsElsewhere(log: readonly Placement[], moving: readonly LeavingPods[]): boolean {
  const groups = new Set(log.flatMap(({ host, podClass }) => requiredBy(podClass).filter((group) => leaves(group, host, moving))))
  return [...groups].some((group) => {
    const placed = log.reduce((sum, { podClass, count }) => sum + (isCounted(podClass, group) ? count : 0), 0)
    return placed > 1 && placed === sumOf(group.selected) + sumOf(group.possible)
  })
}

function requiredBy({ pod, relaxedPods }: PodClass): readonly TopologyGroup[] {
  return relaxedPods.at(-1)?.affinity.slice(0, pod.podAffinity.required.length) ?? []
}

function leaves({ isHost, key }: TopologyGroup, onto: TopologyHost, moving: readonly LeavingPods[]): boolean {
  return isHost || !moving.some(({ host }) => host !== undefined && host.domainOf(key) === onto.domainOf(key))
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** The most tries in which some pods go to new claims alone, and others to machines that stay. */
const MOST_PARTLY_NEW = 3

/** The result of a try. `unbound`: all pods have places, but some find none unless the scheduler binds all pods as planned. */
export type Outcome<Answer> = { readonly answer: Answer } | { readonly unbound: Unbound }

/**
 * Tries to close machines until the pods bind in any order: first with machines that stay, and new claims for the rest. While some pods find no place
 * in some order, these pods go to new claims alone. At last all pods do. Returns the first answer, or a later one that `isMove` takes. Undefined if
 * there is none.
 */
export function firstThatBinds<Answer>(
  attempt: (onNew: OnNew) => Outcome<Answer>,
  isMove: (answer: Answer) => boolean,
): Answer | undefined {
  const first = attempt(NONE_UNBOUND)
  if ('answer' in first) return first.answer
  let onNew = first.unbound
  for (let tries = 0; tries < MOST_PARTLY_NEW; tries++) {
    const tried = attempt(onNew)
    if ('answer' in tried) {
      if (isMove(tried.answer)) return tried.answer
      break
    }
    const more = new Set([...onNew, ...tried.unbound])
    if (more.size === onNew.size) break
    onNew = more
  }
  const last = attempt('all')
  return 'answer' in last && isMove(last.answer) ? last.answer : undefined
}

/**
 * Returns the queue in which pods ask for no preference that they do without where they run. Pods of one class that run on several nodes ask for what
 * any of them has. Undefined if that is the same queue. Called while the pods count where they run.
 */
function askingForNoMore(queue: readonly QueueEntry[], moving: readonly LeavingPods[]): readonly QueueEntry[] | undefined {
  if (queue.every(({ podClass }) => podClass.relaxedPods.length === 1)) return undefined
  const from = new Map<PodClass, number>()
  for (const each of moving) from.set(each.podClass, Math.min(from.get(each.podClass) ?? each.podClass.relaxedPods.length, metBy(each)))
  const less = queue.map((entry) => ({ ...entry, from: from.get(entry.podClass) ?? 0 }))
  return less.some((entry) => entry.from > 0) ? less : undefined
}

/** The place of the first relaxed pod that the pods meet where they run. 0 if they meet none. */
function metBy({ podClass, host, isRoom }: LeavingPods): number {
  const { relaxedPods } = podClass
  const [first] = relaxedPods
  if (first === undefined || relaxedPods.length === 1 || host === undefined || isRoom === true) return 0
  record(host, podClass, first, -1)
  const met = relaxedPods.findIndex(
    (relaxedPod) => takesPodsOf(host, relaxedPod.constraint) && brokenBy({ host }, domainFilters(podClass, relaxedPod)) === undefined,
  )
  record(host, podClass, first)
  return Math.max(0, met)
}
