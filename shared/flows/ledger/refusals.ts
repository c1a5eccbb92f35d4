/** What the ledger remembers of NodeClaims that the API server refused, so that they are not made again at once, by this process or the next. */
import { mapBounded, settle } from '../../base/concurrency.ts'
import { defined } from '../../base/values.ts'
import { bufferSource } from '../../engine/scheduling/model/pods/buffers.ts'
import {
  ASK_OF_NOBODY,
  type ClaimAsk,
  claimAskOf,
  isLeftOut,
  type SchedulerRefusal,
  withoutTaken,
  withRefusedClaims,
} from '../../model/claimRefusal.ts'
import { purposeText } from '../../model/inWords.ts'
import { type Intent, intentName, type Ledger } from '../../model/ledger.ts'
import type { Pod } from '../../model/pod.ts'
import type { Problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { CALLS_AT_ONCE, type ClusterDeps, logRefused, problemOf } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** An intent that was given up since the API server does not accept its claim. */
export type RefusedIntent = { readonly refused: Intent; readonly why: Problem }

type Outcomes = { readonly made: readonly Intent[]; readonly refused: readonly RefusedIntent[] }

/** The ledger after claims were made and refused. It is the same object if that changes nothing. */
export function withClaimOutcomes(ledger: Ledger, state: ClusterState, { made, refused }: Outcomes, now: EpochMs): Ledger {
  const { claimRefusals: before, ...others } = ledger
  if (refused.length === 0 && before === undefined) return ledger
  const taken = before === undefined ? [] : made.map((intent) => ({ nodePool: intent.action.draft.nodePool, asks: asksOf(state, intent) }))
  const given = refused.flatMap(({ refused: intent, why }) => {
    const pool = state.find('nodePool', intent.action.draft.nodePool)
    return pool === undefined ? [] : [{ pool, asks: asksOf(state, intent), message: textOf(why, intent) }]
  })
  const kept = withoutTaken(before ?? [], taken)
  const after = given.length === 0 ? kept : withRefusedClaims(kept, given, now)
  if (after === before) return ledger
  return after.length === 0 ? others : { ...others, claimRefusals: after }
}

/** What the pods of the claim add to it, each once. Pods that are gone add nothing any more. */
function asksOf(state: ClusterState, { action: { pods, buffers = [] } }: Intent): readonly ClaimAsk[] {
  if (pods.length + buffers.length === 0) return [ASK_OF_NOBODY]
  const ofPods = pods.flatMap(({ key }) => state.find('pod', key) ?? [])
  const ofBuffers = buffers.flatMap(({ buffer }) => shapeOf(state, buffer) ?? [])
  return [...new Set([...ofPods, ...ofBuffers].map(claimAskOf))]
}

function shapeOf(state: ClusterState, key: string) {
  const buffer = state.find('capacityBuffer', key)
  if (buffer === undefined) return undefined
  const source = bufferSource(buffer, {
    capacityBuffer: [buffer],
    podTemplate: state.list('podTemplate'),
    deployment: state.list('deployment'),
    statefulSet: state.list('statefulSet'),
    replicaSet: state.list('replicaSet'),
    replicationController: state.list('replicationController'),
  })
  return source.kind === 'resolved' ? source.shape : undefined
}

/** The text of the API server without the name of the claim, which is another one at each try. */
function textOf({ message, object }: Problem, intent: Intent): string {
  const name = intentName(intent)
  const said = object === undefined ? message : message.replace(`create ${object}: `, '')
  return said
    .replace(new RegExp(`^nodeclaims?\\.karpenter\\.sh "${name}" is (invalid|forbidden): `, 'i'), '')
    .replaceAll(name, 'the nodeclaim')
}

/** The most texts that one decision reads. Pods that one workload owns share a text. The next decisions read the others. */
const MOST_READ = 20

/**
 * The refusals of the ledger whose pods still wait. The text of a new refusal is read from the pod, since the change log does not have it. If the
 * scheduler does not refuse the pod any more, the refusal is dropped.
 */
export async function schedulerRefusalsOf(
  deps: ClusterDeps,
  state: ClusterState,
  { schedulerRefusals = [] }: Ledger,
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<readonly SchedulerRefusal[]> {
  const waiting = schedulerRefusals.filter(({ pod }) => state.isPending(pod.uid))
  const unread = waiting.filter((each) => isLeftOut(each, now) && each.refused?.message === undefined)
  if (unread.length === 0) return waiting
  const groups = [...Map.groupBy(unread, (each) => groupOf(each, state.find('pod', each.pod.key)))].slice(0, MOST_READ)
  const texts = await mapBounded(groups, CALLS_AT_ONCE, async ([, own]) => own[0] && schedulerMessageOf(deps, own[0], signal))
  const textOfEach = new Map(
    groups.flatMap(([, own], at) => own.map((each, place) => [each, { text: texts[at], isRead: place === 0 }] as const)),
  )
  return waiting.flatMap((each) => {
    const { text, isRead } = textOfEach.get(each) ?? {}
    if (text === undefined || each.refused === undefined) return [each]
    if (text === 'not refused') return isRead === true ? [] : [each]
    return [{ ...each, refused: { ...each.refused, message: text.message } }]
  })
}

function groupOf({ pod }: SchedulerRefusal, found: Pick<Pod, 'owner'> | undefined): string {
  return found?.owner?.uid ?? pod.uid
}

/** Undefined if the text cannot be read now. */
async function schedulerMessageOf(
  deps: ClusterDeps,
  { pod }: SchedulerRefusal,
  signal: AbortSignalLike,
): Promise<'not refused' | { readonly message: string } | undefined> {
  const read = await settle(() => deps.api.getSchedulerMessage(pod, signal))
  if (read.ok) return read.value === undefined ? 'not refused' : { message: read.value }
  logRefused(deps, `the look at pod ${pod.key}, which kube-scheduler refuses,`, problemOf(read.error))
  return undefined
}

export type Refused = {
  /** The answer to the creation. Its message is shown to people. */
  readonly why: Problem
  readonly outcome: 'given up' | { readonly triedUntil: EpochMs }
}

const REASON = 'NodeClaimRefused'

/**
 * Reports that a claim cannot be created, as an Event on its NodePool and in the log. All claims with the same kind of answer share one Event. An
 * Event that cannot be written is only logged.
 */
export async function reportRefusedIntent(
  deps: ClusterDeps,
  state: ClusterState,
  intent: Intent,
  { why, outcome }: Refused,
  signal: AbortSignalLike,
): Promise<void> {
  const { nodePool } = intent.action.draft
  const isOver = outcome === 'given up'
  const next = isOver ? givenUp(why) : `tried again until ${new Date(outcome.triedUntil).toISOString()}`
  const message = `nodeclaim ${intentName(intent)}${purposeOf(intent)} could not be made: ${why.message}; ${next}`
  deps.telemetry[isOver ? 'error' : 'warn'](message, { cluster: deps.cluster, code: why.code, claim: intentName(intent), nodePool })
  const published = await settle(() =>
    deps.api.publish(
      {
        subject: { kind: 'nodePool', name: nodePool },
        ...defined({ uid: state.find('nodePool', nodePool)?.meta.uid }),
        type: 'Warning',
        reason: REASON,
        message,
        key: `${why.code} ${isOver ? 'given up' : 'tried again'}`,
      },
      signal,
    ),
  )
  if (!published.ok) logRefused(deps, `an event about nodepool ${nodePool}`, problemOf(published.error))
}

function givenUp({ code }: Problem): string {
  if (code !== 'KUBE.INVALID') return 'given up, its pods are planned again'
  return 'given up, its pods are planned again without such a nodeclaim of the nodepool for a while, or until the nodepool is changed'
}

/** The claim of a static NodePool is for no pods. */
function purposeOf({ action: { pods, buffers = [] } }: Intent): string {
  return pods.length + buffers.length === 0 ? '' : ` for ${purposeText(pods.length, buffers)}`
}
