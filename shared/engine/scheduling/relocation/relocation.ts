/**
 * Tries out where the pods of machines would go if the machines went. Machines are closed on paper, and opened again unless the try is kept. A try
 * loads nothing of the cluster anew.
 */
import { once } from '../../../base/remembered.ts'
import type { CreateClaim } from '../../../model/decision.ts'
import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { leastCostAt, unitCosts } from '../candidates/cost.ts'
import type { Plan } from '../candidates/plan.ts'
import { batchOf } from '../model/batch.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { putBack } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { createWork, spentOn, type Work } from '../model/quantities/work.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import { beginsElsewhere } from './beginsElsewhere.ts'
import { type BindingCheck, createBindingCheck } from './bindingCheck.ts'
import type { BoundReplicas } from './boundReplicas.ts'
import { closeOnPaper } from './closeOnPaper.ts'
import { departingFrom } from './departing.ts'
import { type NodesIn, nodesIn } from './domainsWithoutNodes.ts'
import { claimMaker } from './draftedClaims.ts'
import { fillNodes } from './fillNodes.ts'
import { openClaims } from './openClaims.ts'
import { isOfPods, type LeavingPods, placedPods, type RoomOf, roomOfBuffers, type Sent } from './placedPods.ts'
import { askingForNoMore } from './preferencesKept.ts'
import { basePlan, type Relocatable, type RelocationProblem, relocationProblem } from './relocationProblem.ts'
import { schedulerView } from './schedulerView.ts'
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
