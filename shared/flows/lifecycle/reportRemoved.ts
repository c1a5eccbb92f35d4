import { mapBounded, settle } from '../../base/concurrency.ts'
import { byKey, byText, inOrder } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import { reportFailedStep } from '../../engine/lifecycle/launch.ts'
import { type Condition, DISRUPTION_REASON, findCondition } from '../../model/condition.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { type NodeClaimName, namespaceOf } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { Pod } from '../../model/pod.ts'
import type { Problem } from '../../model/problem.ts'
import { traceIn } from '../../model/trace.ts'
import type { ClaimRequest, WorkKey } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, logRefused, problemOf } from '../deps/clusterDeps.ts'
import { measurePodsDrained } from '../reports/claimMetrics.ts'
import { failureOf, tellFailing } from '../reports/reportStatus.ts'
import { PODS_AT_ONCE, type PodAction } from './applyClaimAction.ts'

/**
 * Publishes Events about the pods that began to terminate, with the reason. The pods of an Event are counted only if this process is the first to
 * publish it: other processes may evict the same pods at the same moment, and the API server accepts each eviction. If such a process evicts only a
 * part of the pods that share an Event, it counts this part again. The reasons are those of Karpenter's Events.
 */
export async function reportRemoved(
  deps: Pick<ClusterDeps, 'api' | 'cluster' | 'telemetry'>,
  claim: NodeClaim,
  actions: readonly PodAction[],
  signal: AbortSignalLike,
): Promise<void> {
  const why = findCondition(claim.status.conditions, DISRUPTION_REASON)
  const because = `nodeclaim ${claim.name} ends${why === undefined ? '' : ` (${reasonText(why)})`}`
  const evicted = actions.flatMap((action) => (action.kind === 'evictPod' ? [action.pod] : []))
  const deleted = actions.flatMap((action) => (action.kind === 'deletePod' ? [{ event: deletedEvent(action, because), pods: 1 }] : []))
  await mapBounded([...evictedEvents(evicted, because), ...deleted], PODS_AT_ONCE, ({ event, pods }) =>
    deps.api.publish(event, signal, () => measurePodsDrained(deps, claim, pods)),
  )
}

function reasonText({ reason, message }: Condition): string {
  return message === '' ? reason : `${reason}: ${message}`
}

/** Its key is the kind of the action, so that a later run, with less time left, publishes no second Event. */
function deletedEvent(
  { kind, pod, gracePeriodSeconds }: Extract<PodAction, { readonly kind: 'deletePod' }>,
  because: string,
): ClusterEvent {
  const { key, uid, terminationGracePeriodSeconds: own } = pod
  const granted = `${gracePeriodSeconds} s${own === undefined ? '' : ` of its ${own} s`}`
  return {
    subject: { kind: 'pod', name: key },
    uid,
    type: 'Normal',
    key: kind,
    reason: 'Disrupted',
    message: `deleted with a grace period of ${granted}, whatever holds it: ${because} by its deadline`,
  }
}

/**
 * The most pods evicted by one run that get an Event of their own. The Events of a node with many pods would otherwise be a third of all its calls.
 */
const MOST_OWN_EVENTS = 1
/** The most characters of names in an Event. It leaves room for the text and for a link. */
const MOST_NAME_CHARACTERS = 500

export type EvictedEvent = {
  readonly event: ClusterEvent
  /** The number of pods that the Event tells of. */
  readonly pods: number
}

/**
 * The Events about pods of one node that were evicted at the same time, with Karpenter's reason. Karpenter writes one for each pod. Here the first
 * pods get one each, one pod of each workload before a second one. The other pods of a namespace share an Event: it is about one of them and names
 * the others, so that a search for the name of a pod finds it.
 */
export function evictedEvents(evicted: readonly Pod[], because: string): readonly EvictedEvent[] {
  const inTurns = takingTurns(evicted)
  const groups = [...Map.groupBy(inTurns.slice(MOST_OWN_EVENTS), namespaceOf).values()].flatMap((pods) =>
    batches(pods.sort(byKey(({ key }) => key))),
  )
  return [...inTurns.slice(0, MOST_OWN_EVENTS).map((pod) => [pod]), ...groups].flatMap((pods) => eventAbout(pods, because))
}

/** One pod of each workload, then a second one of each, and so on. */
function takingTurns(pods: readonly Pod[]): readonly Pod[] {
  const workloads = Map.groupBy(pods.toSorted(byKey(({ key }) => key)), ({ owner, uid }) => owner?.uid ?? uid)
  return [...workloads.values()]
    .flatMap((own) => own.map((pod, turn) => ({ pod, turn })))
    .sort(
      inOrder(
        (first, second) => first.turn - second.turn,
        (first, second) => byText(first.pod.key, second.pod.key),
      ),
    )
    .map(({ pod }) => pod)
}

/** Parts of the list whose names fit into one Event. The name of the first pod of a part is not in its text. */
function batches(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  const made: Pod[][] = []
  let left = 0
  for (const pod of pods) {
    const length = nameOf(pod).length + SEPARATOR.length
    if (length > left) {
      made.push([pod])
      left = MOST_NAME_CHARACTERS
    } else {
      made.at(-1)?.push(pod)
      left -= length
    }
  }
  return made
}

function eventAbout(pods: readonly Pod[], because: string): readonly EvictedEvent[] {
  const [first, ...others] = pods
  if (first === undefined) return []
  const event = { subject: { kind: 'pod', name: first.key }, uid: first.uid, type: 'Normal', reason: 'Evicted' } as const
  if (others.length === 0) return [{ event: { ...event, key: EVICTED_KEY, message: `evicted: ${because}` }, pods: 1 }]
  const together = others.length === 1 ? 'another pod' : `${others.length} pods`
  const names = others.map(nameOf).join(SEPARATOR)
  const message = `evicted, together with ${together} of the namespace: ${because}; the others: ${names}`
  // Other pods make another Event, so that a later run does not take its pods for told.
  return [{ event: { ...event, key: [EVICTED_KEY, ...others.map(({ uid }) => uid)].join(' '), message }, pods: pods.length }]
}

const EVICTED_KEY = 'evictPod'
const SEPARATOR = ', '

function nameOf({ key }: Pod): string {
  return key.slice(key.indexOf('/') + 1)
}

/**
 * Reports on a claim that a step of it failed. The report may fail for the same cause. Then only the log has it, and the next failed step tries
 * again.
 */
export async function reportFailed(deps: ClusterDeps, name: NodeClaimName, failed: Problem, signal: AbortSignalLike): Promise<void> {
  const told = await settle(() => writeFailed(deps, name, failed, signal))
  if (!told.ok) logRefused(deps, `an event about the failed step of nodeclaim ${name}`, problemOf(told.error))
}

/** Says that the work of a key fails again and again. A claim says it itself, too, so that its readers need no log. Never rejects. */
export async function reportFailing(
  deps: ClusterDeps,
  { key, request }: { readonly key: WorkKey; readonly request?: Pick<ClaimRequest, 'claim'> },
  thrown: unknown,
  signal: AbortSignalLike,
): Promise<void> {
  const failed = failureOf(thrown)
  const claim = request?.claim
  tellFailing(deps.telemetry, defined({ cluster: deps.cluster, key, claim }), failed)
  if (claim === undefined) return
  const told = await settle(() => reportFailed(deps, claim, failed, signal))
  if (!told.ok) deps.telemetry.error(`nodeclaim ${claim} could not be told of it: ${String(told.error)}`, { cluster: deps.cluster })
}

async function writeFailed(deps: ClusterDeps, name: NodeClaimName, failed: Problem, signal: AbortSignalLike): Promise<void> {
  const claim = await deps.api.getClaim(name, signal)
  if (claim === undefined || !isOurs(claim.spec.nodeClassRef)) return
  const about = { cluster: deps.cluster, nodePool: claim.meta.labels[LABEL.nodePool], nodeClaim: name, errorCode: failed.code }
  deps.telemetry.event('nodeclaim.failed', about, traceIn(claim))
  for (const action of reportFailedStep({ claim, now: deps.clock.now(), settings: deps.settings }, failed)) {
    if (action.kind === 'publish') await deps.api.publish(action.event, signal)
    // Another writer was faster. The next failed step reports it.
    else if (!(await deps.api.patchClaimStatus(claim, action.status, signal)).ok) return
  }
}
