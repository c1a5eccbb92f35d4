/**
 * Notices pods that kube-scheduler refuses for a reason that planning does not know. Such a pod has a node that takes it by all known rules, and still
 * is not bound. Without this rule, Joiner would keep the node of the pod for ever, without a reason to the user.
 */
import { byKey, leastOf } from '../../../base/lists.ts'
import { defined, isSame } from '../../../base/values.ts'
import { isLeftOut, type SchedulerRefusal, type WatchedPod } from '../../../model/claimRefusal.ts'
import { type DecisionContext } from '../../../model/clusterSnapshot.ts'
import { findCondition } from '../../../model/condition.ts'
import { type NodeName, nodeName, type Uid } from '../../../model/ids.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { type Pod, refOf } from '../../../model/pod.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isDaemonPod } from '../../pod/podPredicates.ts'
import type { Assignment } from '../choice/newPlan.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import { type SchedulingInputs, schedulingInputs } from '../model/pods/podsToPlace.ts'

/** kube-scheduler binds most pods within seconds once their node is up. Pods are watched after this time, so that a burst writes nothing. */
const WATCHED_AFTER = durationMs(60_000)
/** kube-scheduler tries each refused pod again every five minutes, whatever has happened. With the time before, this is more. */
const PATIENCE = durationMs(5 * 60_000)
/** The same if nothing shows that the scheduler has had the pod in hand, if other pods take the node again and again, or if a volume is being made. */
const LONGEST_PATIENCE = durationMs(30 * 60_000)
/** How long the pod is left out after its first refusal. Each further refusal doubles it. */
const FIRST_PAUSE_MS = 30 * 60_000
const LONGEST_PAUSE_MS = 24 * 3_600_000
/** The next look if the scheduler's text could not be read. */
const READ_AGAIN = durationMs(10_000)
/** The most pods that are watched or left out. The ledger holds them, and is read and written as a whole. */
const MOST_KNOWN = 1_000

export type Watched = { readonly schedulerRefusals?: readonly SchedulerRefusal[]; readonly wakeAt?: EpochMs }

/** What the plan does with waiting pods. Undefined if no pod waits. */
export type Placed = {
  readonly onExistingNodes: Assignment['onExistingNodes']
  /** Reports whether the plan is about the pod. */
  readonly isPlanned: (pod: Uid) => boolean
  /** Some pods of the plan go to machines that are not up. Pods with rules about neighbours may have to wait for them. */
  readonly isWaiting: boolean
}

const NO_PODS: Placed = { onExistingNodes: [], isPlanned: () => false, isWaiting: false }

export function watchScheduler(cluster: Cluster, context: DecisionContext, placed: Placed = NO_PODS): Watched {
  const { takenAt, schedulerRefusals: known = [] } = context
  const { bindable, due } = bindablePods(cluster, context, placed)
  const judge = createJudge(cluster, takenAt)
  const before = known.flatMap((entry) => entryAfter(entry, { bindable, placed, judge, takenAt }))
  const isKnown = new Set(before.map(({ pod }) => pod.uid))
  const added = [...bindable.values()].filter(({ pod }) => !isKnown.has(pod.uid)).map((each) => judge(each, undefined))
  const all = [...before, ...added.sort(byKey(({ pod }) => pod.key))].slice(0, MOST_KNOWN)
  const times = [...due, ...all.flatMap((entry) => nextLook(entry, takenAt, known))]
  return defined({
    schedulerRefusals: all.length === 0 ? undefined : all,
    wakeAt: times.length === 0 ? undefined : epochMs(leastOf(times)),
  })
}

/** A waiting pod that the plan puts on a node that is up. */
type Bindable = { readonly pod: Pod; readonly node: NodeName; readonly machine: StateNode }

/** The pods that kube-scheduler should have bound by now, and when other pods are due. */
function bindablePods({ machines }: Cluster, { takenAt, settings, schedulerRefusals = [] }: DecisionContext, placed: Placed) {
  const known = new Set(schedulerRefusals.map(({ pod }) => pod.uid))
  const areAllSpread = (settings.defaultSpread ?? []).some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
  const mayHaveToWait = (pod: Pod): boolean => placed.isWaiting && (areAllSpread || hasNeighbourRules(pod))
  const bindable = new Map<Uid, Bindable>()
  const due: EpochMs[] = []
  for (const { pod, existingNode } of placed.onExistingNodes) {
    if (existingNode.stage !== 0 || pod.nodeName !== undefined || mayHaveToWait(pod)) continue
    const machine = machines.viewOf(existingNode.label)?.machine
    const at = watchedFrom(pod, machine)
    if (machine === undefined || at === undefined) continue
    if (known.has(pod.uid) || at <= takenAt) bindable.set(pod.uid, { pod, node: nodeName(existingNode.label), machine })
    else due.push(at)
  }
  return { bindable, due }
}

/** Undefined if the scheduler has not refused the pod, or the machine has no node. */
function watchedFrom({ unschedulableSince }: Pod, machine: StateNode | undefined): EpochMs | undefined {
  if (unschedulableSince === undefined || machine?.node === undefined) return undefined
  return later(epochMs(Math.max(unschedulableSince, upSince(machine.node, machine.claim))), WATCHED_AFTER)
}

function hasNeighbourRules({ topologySpread, podAffinity, podAntiAffinity }: Pod): boolean {
  return topologySpread.length + podAffinity.required.length + podAntiAffinity.required.length > 0
}

function upSince({ conditions, meta }: Node, claim: NodeClaim | undefined): EpochMs {
  const up = claim === undefined ? findCondition(conditions, 'Ready') : findCondition(claim.status.conditions, 'Initialized')
  return up?.lastTransitionAt ?? meta.createdAt
}

type Judge = (bindable: Bindable, entry: SchedulerRefusal | undefined) => SchedulerRefusal

type Given = { readonly bindable: ReadonlyMap<Uid, Bindable>; readonly placed: Placed; readonly judge: Judge; readonly takenAt: EpochMs }

/** The entry as it is from now on. Nothing is left of it if the pod is planned elsewhere and was never refused. */
function entryAfter(entry: SchedulerRefusal, { bindable, placed, judge, takenAt }: Given): readonly SchedulerRefusal[] {
  const { watched, ...others } = entry
  const own = bindable.get(entry.pod.uid)
  if (own !== undefined) return [judge(own, entry)]
  if (isLeftOut(entry, takenAt)) return [entry]
  // The scheduler is at work on a pod that it has nominated for a node. Planning leaves the pod alone meanwhile.
  if (watched !== undefined && !placed.isPlanned(entry.pod.uid)) return [{ ...others, watched: { begunAt: watched.begunAt } }]
  return entry.refused === undefined ? [] : [others]
}

/** Returns a function that watches a bindable pod, or finds that the scheduler refuses it. */
function createJudge(cluster: Cluster, takenAt: EpochMs): Judge {
  const inputs = schedulingInputs(cluster.objects)
  let bound: ReadonlyMap<number, number> | undefined
  const hasBoundLater = ({ priority }: Pod, since: EpochMs): boolean => {
    bound ??= newestBound(cluster)
    return [...bound].some(([of, createdAt]) => of <= priority && createdAt >= since)
  }
  return (own, entry) => {
    const hash = inputs.hashOf(own.pod)
    const { watched: before, refused }: Partial<SchedulerRefusal> = entry?.inputs === hash ? entry : {}
    const watched = watchedNow(own, before, takenAt)
    const known = { pod: refOf(own.pod), inputs: hash, ...(refused === undefined ? {} : { refused }) }
    if (!isRefused(own.pod, watched, { takenAt, hasBoundLater, inputs })) return { ...known, watched }
    const times = (refused?.times ?? 0) + 1
    return { ...known, refused: { node: own.node, times, until: later(takenAt, pauseAfter(times)) } }
  }
}

function watchedNow({ node, machine }: Bindable, before: WatchedPod | undefined, takenAt: EpochMs): WatchedPod {
  const { begunAt = takenAt, place }: Partial<WatchedPod> = before ?? {}
  const since = place?.node === node ? epochMs(Math.max(place.since, bindOfOthers(machine))) : takenAt
  return { begunAt, place: { node, since } }
}

type Judging = {
  readonly takenAt: EpochMs
  /** Reports whether the scheduler has bound a pod that came later and is not more important. Its queue then has had the given pod in between. */
  readonly hasBoundLater: (pod: Pod, since: EpochMs) => boolean
  readonly inputs: SchedulingInputs
}

function isRefused(pod: Pod, { begunAt, place }: WatchedPod, { takenAt, hasBoundLater, inputs }: Judging): boolean {
  if (takenAt >= later(begunAt, LONGEST_PATIENCE)) return true
  if (place === undefined || takenAt < later(place.since, PATIENCE)) return false
  return hasBoundLater(pod, place.since) && !inputs.isAwaitingVolume(pod)
}

function pauseAfter(times: number) {
  return durationMs(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (times - 1)))
}

/** When a pod was last bound to the machine. The scheduler may fill it with other pods than planned. DaemonSets have their room already. */
function bindOfOthers({ pods }: StateNode): number {
  return pods.reduce((last, pod) => (isDaemonPod(pod) ? last : Math.max(last, pod.scheduledAt ?? 0)), 0)
}

/** When the newest pod that the scheduler has bound was created, by priority. */
function newestBound({ machines }: Cluster): ReadonlyMap<number, number> {
  const newest = new Map<number, number>()
  for (const { machine } of machines.views()) {
    for (const { priority, createdAt, scheduledAt } of machine.pods)
      if (scheduledAt !== undefined) newest.set(priority, Math.max(newest.get(priority) ?? 0, createdAt))
  }
  return newest
}

/** When time alone can change something about the pod. A pod that is refused now is left out by a decision that follows at once. */
function nextLook(entry: SchedulerRefusal, takenAt: EpochMs, known: readonly SchedulerRefusal[]): readonly EpochMs[] {
  const { watched, refused } = entry
  if (isLeftOut(entry, takenAt) && refused !== undefined) {
    const isNew = !known.some(({ pod, ...before }) => pod.uid === entry.pod.uid && isSame(before.refused, refused))
    if (isNew) return [takenAt]
    return [refused.message === undefined ? later(takenAt, READ_AGAIN) : refused.until]
  }
  if (watched === undefined) return []
  const times = [later(watched.begunAt, LONGEST_PATIENCE), ...(watched.place === undefined ? [] : [later(watched.place.since, PATIENCE)])]
  return times.filter((time) => time > takenAt)
}
