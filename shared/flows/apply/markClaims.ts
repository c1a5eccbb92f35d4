/** Writes of a decision on NodeClaims, on pods and on NodeClasses, which stop no other. */
import { ok, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { isCostPlanned, mayGetCost } from '../../engine/pod/eviction.ts'
import { isActive } from '../../engine/pod/podPredicates.ts'
import type { Action, SetDeletionCosts } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { CLASS_FINALIZER, LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs, refersTo } from '../../model/nodeClass.ts'
import type { Pod } from '../../model/pod.ts'
import type { Problem } from '../../model/problem.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, doEach, logRefused } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { withPodEvent } from '../state/podEnds.ts'

export type Mark = Extract<Action, { readonly kind: 'markClaim' }>

/** What is to be written about one claim. */
type Note = { readonly claim: NodeClaim; readonly mark?: Mark; readonly lastPodEventAt?: EpochMs }

/**
 * Writes the conditions of claims about their disruption, and the times of their last pod events, with one write of the status for each claim. A
 * claim that changed since the decision is judged again by the next decision. Returns false if a write was refused.
 */
export async function markClaims(
  deps: ClusterDeps,
  state: ClusterState,
  marks: readonly Mark[],
  signal: AbortSignalLike,
): Promise<boolean> {
  const notes = new Map<NodeClaimName, Note>(newPodEvents(deps, state).map((note) => [note.claim.name, note]))
  for (const mark of marks) {
    const claim = state.find('nodeClaim', mark.claim)
    if (claim !== undefined) notes.set(mark.claim, { claim, ...notes.get(mark.claim), mark })
  }
  return doEach(
    deps,
    [...notes.values()],
    ({ claim, mark }) => (mark === undefined ? `the time of the last pod on nodeclaim ${claim.name}` : nameOf(mark)),
    (note) => writeNote(deps, note, signal),
  )
}

function nameOf({ claim }: Mark): string {
  return `the conditions of nodeclaim ${claim}`
}

/** Metadata first: the status of a claim must not say more than its annotations. */
async function writeNote(deps: ClusterDeps, { claim, mark, lastPodEventAt }: Note, signal: AbortSignalLike): Promise<void> {
  const stamped = await version(deps, claim, mark, signal)
  if (!stamped.ok) return tell(deps, claim, stamped.error)
  if (mark?.conditions === undefined && lastPodEventAt === undefined) return
  const { conditions = claim.status.conditions } = mark ?? {}
  const status = { ...claim.status, conditions, ...defined({ lastPodEventAt }) }
  const written = await deps.api.patchClaimStatus(stamped.value, status, signal)
  if (!written.ok) tell(deps, claim, written.error)
}

async function version(
  { api }: ClusterDeps,
  claim: NodeClaim,
  mark: Mark | undefined,
  signal: AbortSignalLike,
): Promise<Result<NodeClaim, Problem>> {
  const { annotations } = mark ?? {}
  return annotations === undefined ? ok(claim) : api.patchClaim(claim, { labels: claim.meta.labels, annotations }, signal)
}

function tell(deps: ClusterDeps, { name }: NodeClaim, problem: Problem): void {
  if (problem.code === 'KUBE.INVALID') logRefused(deps, `the conditions of nodeclaim ${name}`, problem)
}

/** Pods that leave within this time of each other cost one write. */
const RESOLUTION = durationMs(10_000)

export type PodEvent = { readonly claim: NodeClaim; readonly lastPodEventAt: EpochMs }

/**
 * The claims whose `lastPodEventAt` is out of date, with the new time. It is written for processes that start later. Only claims of a NodePool of
 * ours with a `consolidateAfter` above zero are returned, because it is not read for others.
 */
function newPodEvents({ settings }: Pick<ClusterDeps, 'settings'>, state: ClusterState): readonly PodEvent[] {
  return state.list('nodeClaim').flatMap((claim) => {
    const { lastPodEventAt } = withPodEvent(claim, state, settings.machineNames).status
    const known = claim.status.lastPodEventAt ?? 0
    const isNews = lastPodEventAt !== undefined && lastPodEventAt - known >= RESOLUTION && waitsForQuiet(claim, state)
    return isNews ? [{ claim, lastPodEventAt }] : []
  })
}

function waitsForQuiet(claim: NodeClaim, state: ClusterState): boolean {
  if (!isOurs(claim.spec.nodeClassRef)) return false
  const pool = state.find('nodePool', claim.meta.labels[LABEL.nodePool] ?? '')
  const { consolidateAfter } = pool?.disruption ?? {}
  return claim.meta.deletedAt === undefined && typeof consolidateAfter === 'number' && consolidateAfter > 0
}

const REASON = 'DeletionCostRefused'
const REMEDY =
  'set rbac.podDeletionCosts of the chart to true and check other admission policies, or set podDeletionCosts of the cluster in JOINER_CLUSTERS to false'

type Forbidden = SetDeletionCosts & { readonly why: Problem }

/**
 * Writes the deletion costs of pods on nodes that are planned to go. A write that fails is only logged: the next decision finds again what is missing,
 * and no move waits for it. If writes are forbidden, an Event on one of the nodes says so.
 */
export async function setDeletionCosts(deps: ClusterDeps, actions: readonly SetDeletionCosts[], signal: AbortSignalLike): Promise<void> {
  const forbidden: Forbidden[] = []
  await doEach(
    deps,
    actions,
    ({ node }) => `the deletion costs of pods on node ${node}`,
    async (action) => {
      for (const pod of await podsToWrite(deps, action, signal)) {
        const written = await deps.api.setDeletionCost(pod, action.cost, signal)
        if (written.ok) continue
        logRefused(deps, `the deletion cost of pod ${pod.key}`, written.error)
        if (written.error.code === 'KUBE.FORBIDDEN') forbidden.push({ ...action, why: written.error })
      }
    },
  )
  await doEach(
    deps,
    forbidden.slice(0, 1),
    ({ node }) => `an event about node ${node}`,
    (one) => publishForbidden(deps, one, signal),
  )
}

/**
 * The pods are read live. A pod may have ended, or its user may have given it a cost meanwhile, and the picture may not show a write of the last
 * decision yet.
 */
async function podsToWrite({ api }: ClusterDeps, { node, pods, cost }: SetDeletionCosts, signal: AbortSignalLike): Promise<readonly Pod[]> {
  const wanted = new Set(pods.map(({ uid }) => uid))
  const isDue = cost === undefined ? isCostPlanned : mayGetCost
  return (await api.listPodsOn(node, signal, 'recent')).filter((pod) => wanted.has(pod.uid) && isActive(pod) && isDue(pod))
}

function publishForbidden({ api }: ClusterDeps, { node, uid, why }: Forbidden, signal: AbortSignalLike): Promise<void> {
  const message = `the deletion cost of pods on the node could not be written: ${why.message}; ${REMEDY}`
  return api.publish({ subject: { kind: 'node', name: node }, uid, type: 'Warning', reason: REASON, message, key: why.code }, signal)
}

export type ClassHold = Extract<Action, { readonly kind: 'holdNodeClass' | 'releaseNodeClass' }>

/**
 * Gives NodeClasses their finalizer, or takes it away. A class that was changed meanwhile is judged again by the next decision. A write that the API
 * server refuses is logged and stops nothing else. Returns false if something was refused and must be tried again.
 */
export function holdClasses(deps: ClusterDeps, holds: readonly ClassHold[], signal: AbortSignalLike): Promise<boolean> {
  const nameOf = ({ nodeClass }: ClassHold): string => `the finalizer of aksnodeclass ${nodeClass}`
  return doEach(deps, holds, nameOf, async (hold) => {
    const written = await writeHold(deps, hold, signal)
    if (!written.ok && (written.error.code === 'KUBE.INVALID' || written.error.code === 'KUBE.FORBIDDEN'))
      logRefused(deps, nameOf(hold), written.error)
  })
}

/** Class and claims are read live: a claim of another class, or the end of the class, may not be in the log yet. */
async function writeHold(
  { api }: ClusterDeps,
  { kind, nodeClass: name }: ClassHold,
  signal: AbortSignalLike,
): Promise<Result<void, Problem>> {
  const nodeClass = await api.getNodeClass(name, signal)
  if (nodeClass === undefined) return ok(undefined)
  const { finalizers, deletedAt } = nodeClass.meta
  const isHeld = finalizers.includes(CLASS_FINALIZER)
  if (kind === 'holdNodeClass') {
    if (isHeld || deletedAt !== undefined) return ok(undefined)
    return api.patchNodeClassFinalizers(nodeClass, [...finalizers, CLASS_FINALIZER], signal)
  }
  if (!isHeld || deletedAt === undefined) return ok(undefined)
  if ((await api.listClaims(signal)).some(({ spec }) => refersTo(spec, name))) return ok(undefined)
  const others = finalizers.filter((finalizer) => finalizer !== CLASS_FINALIZER)
  return api.patchNodeClassFinalizers(nodeClass, others, signal)
}
