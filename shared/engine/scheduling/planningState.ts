import { type ClusterSnapshot, type DecisionContext, type Delta, type Objects } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import type { Fleet } from '../cluster/fleet.ts'
import { type Provisioning, planProvisioning, takeBack } from './choice/planProvisioning.ts'
import { bufferStatuses } from './decision/bufferStatus.ts'
import { decisionOf, withWatched } from './decision/decision.ts'
import { foreseenRefusals } from './decision/noClaim.ts'
import { watchScheduler } from './decision/schedulerRefusals.ts'
import type { ForeseenRefusal } from './model/catalog/catalog.ts'
import { type Cluster, createCluster, type Remembered } from './model/cluster/cluster.ts'
import { type Batch, batchOf } from './model/placementProblem.ts'
import { createWork, type Work } from './model/quantities/work.ts'
import { createBoundReplicas } from './relocation/boundReplicas.ts'
import { type Relocation, relocationIn } from './relocation/relocation.ts'
import type { Relocatable } from './relocation/relocationProblem.ts'
import { createTryWatch, type TryChanges } from './relocation/tryReads.ts'

/**
 * A cluster that planning has loaded. It is told what changes, and decides again at a cost that depends on the changes and the waiting pods, not on
 * the size of the cluster. Its decisions are those of a state that is loaded with the objects as they are now.
 */
export interface PlanningState {
  apply(delta: Delta): void
  /** Places the waiting pods on existing nodes and new claims, as cheaply as it can. Gives a reason for each pod that it cannot place. */
  decide(context: DecisionContext): Decision
  /** The plan behind a decision. Valid until the next change or a call with another context. */
  plan(context: DecisionContext): Planned
  /** The machines of the cluster. Machines that moves under way take away count as being deleted. */
  fleet(context: Moment): Fleet
  /** Returns a relocation: it tries out where pods of machines would go, beside the waiting pods. Valid until the next change or call. */
  relocate(context: DecisionContext, machines: Relocatable): Relocation
  /** What has changed for tries since the last call. Undefined if no try of an earlier decision stands. Valid until the next change or call. */
  tryChanges(context: DecisionContext): TryChanges | undefined
  /**
   * Releases the last plan and all tried moves. They take more memory than the state of a small cluster, and no caller reads them after the decision.
   */
  release(): void
  /** The work of the last plan. */
  work(): Readonly<Work>
}

/** What the context says about the machines: the moves under way, and the time. */
export type Moment = Pick<DecisionContext, 'commands' | 'takenAt'>

export type Planned = Pick<Batch, 'isReal' | 'buffersOf'> & {
  /** Undefined if there are no pods to place. */
  readonly provisioning: Provisioning | undefined
  /** The cluster that the plan was made of. */
  readonly cluster: Cluster
  /** The plan that would be made if nothing held this pod of a machine that is being removed. It replaces this plan, which is not valid any more. */
  readonly onceLetGo: (pod: Pod) => Planned
}

export function loadPlanning(objects: Objects): PlanningState {
  const cluster = createCluster(objects)
  let last: { readonly context: DecisionContext; readonly planned: Planned } | undefined
  let trying: Relocation | undefined
  const bound = createBoundReplicas()
  const tryWatch = createTryWatch(cluster)
  let work = createWork()
  let followed: readonly DisruptionCommand[] = []
  /** The work done up to the plan before. Loading and changes count for the plan that follows them. */
  let before: Remembered = work

  function forget(): void {
    if (last?.planned.provisioning !== undefined) takeBack(last.planned.provisioning)
    last = undefined
    trying?.end()
    trying = undefined
  }

  function follow({ commands, takenAt }: Moment): void {
    if (commands !== followed) {
      forget()
      cluster.follow(commands)
      followed = commands
    }
    const recounted = cluster.recount(takenAt)
    if (recounted.length > 0) forget()
    cluster.pods.count(recounted)
  }

  const plan = (context: DecisionContext): Planned => (last?.context === context ? last.planned : planAnew(context))

  /** `letGo`: a pod that is planned as if nothing held it. */
  function planAnew(context: DecisionContext, letGo?: Pod): Planned {
    forget()
    follow(context)
    work = createWork()
    const batch = batchOf(cluster, context, work, letGo)
    const provisioning = batch.count > 0 ? planWithClaims(cluster, context, batch, work) : undefined
    const onceLetGo = (pod: Pod): Planned => planAnew({ ...context }, pod)
    last = { context, planned: { isReal: batch.isReal, buffersOf: batch.buffersOf, provisioning, cluster, onceLetGo } }
    before = addSince(before, cluster.done(), work)
    return last.planned
  }

  return {
    apply(delta) {
      forget()
      cluster.apply(delta)
    },
    decide: (context) => decisionAbout(cluster, plan(context), context),
    plan,
    fleet(context) {
      follow(context)
      return cluster.machines.fleet()
    },
    relocate(context, machines) {
      const sent = plan(context).provisioning?.assigned().onExistingNodes ?? []
      forget()
      trying = relocationIn(cluster, context, machines, sent, bound)
      return trying
    },
    tryChanges: (context) => tryWatch.changes(context, plan(context).provisioning === undefined),
    release: forget,
    work: () => work,
  }
}

/** The most plans of one decision that are made again, since bins of the plan before became no claim. */
const MOST_PLANS = 4

/**
 * Plans until each bin becomes a claim: pods of a bin that becomes none are offered to other NodePools. A plan that has a place for fewer pods than an
 * earlier one is given up: another bin of these pods may have become a claim.
 */
function planWithClaims(cluster: Cluster, context: DecisionContext, batch: Batch, work: Work): Provisioning {
  const planWithout = (refusals: readonly ForeseenRefusal[]) => planProvisioning(cluster, context, batch, work, refusals)
  let best: { readonly without: readonly ForeseenRefusal[]; readonly unplaced: number } | undefined
  let without: readonly ForeseenRefusal[] = []
  for (let more = MOST_PLANS; ; more--) {
    const provisioning = planWithout(without)
    const { refusals, unplaced } = foreseenRefusals(provisioning)
    const isWorse = best !== undefined && unplaced > best.unplaced
    if (!isWorse && (refusals.length === 0 || more === 0)) return provisioning
    takeBack(provisioning)
    if (isWorse) return planWithout(best?.without ?? [])
    best = { without, unplaced }
    without = [...without, ...refusals]
  }
}

function decisionAbout(cluster: Cluster, planned: Planned, context: DecisionContext): Decision {
  const { provisioning } = planned
  const buffers = bufferStatuses(cluster.objects, provisioning?.assigned, context.takenAt)
  const decision =
    provisioning === undefined ? withWatched(NOTHING, watchScheduler(cluster, context)) : decisionOf(provisioning, context, planned)
  return buffers.length === 0 ? decision : { ...decision, actions: [...decision.actions, ...buffers] }
}

/** Counts what was done since `before` as work. Returns `now`. */
function addSince(before: Remembered, now: Remembered, work: Work): Remembered {
  work.pods += now.pods - before.pods
  work.characters += now.characters - before.characters
  work.machines += now.machines - before.machines
  work.narrowedTemplates += now.narrowedTemplates - before.narrowedTemplates
  return now
}

const NOTHING: Decision = { actions: [], reasons: [] }

/** The claims where pods without a place would go by this plan. `pods` if any of these pods exists, `buffers` if all are pods of buffers. */
export function claimsExpectingPods({ isReal, provisioning }: Planned): ReadonlyMap<NodeClaimName, 'pods' | 'buffers'> {
  const expecting = new Map<NodeClaimName, 'pods' | 'buffers'>()
  for (const { pod, existingNode } of provisioning?.assigned().onExistingNodes ?? []) {
    if (existingNode.claim === undefined || expecting.get(existingNode.claim) === 'pods') continue
    expecting.set(existingNode.claim, isReal(pod) ? 'pods' : 'buffers')
  }
  return expecting
}

/** Places the waiting pods on existing nodes and on new claims, as cheaply as it can. Gives a reason for each pod that it cannot place. */
export function decideProvisioning(snapshot: ClusterSnapshot): Decision {
  return loadPlanning(snapshot.objects).decide(snapshot)
}
