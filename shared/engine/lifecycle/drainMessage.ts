/** The messages of a drain that goes on: how many pods are left, and what holds them. */
import { byKey } from '../../base/order.ts'
import type { ClaimAction, ClaimObservation, HeldPod } from '../../model/claimStep.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import type { EpochMs } from '../../model/units.ts'
import { isDoNotDisrupt } from '../pod/podPredicates.ts'
import { statusActions, staysOpen } from './claimStatus.ts'
import { waitingPods } from './drain.ts'
import { nodeEvent, warning } from './ending.ts'
import { unreadableDeadline } from './unreadable.ts'

type ReportAction = Extract<ClaimAction, { readonly kind: 'patchStatus' | 'publish' }>

/** The condition and events after the evictions of a step were answered. `held`: the pods whose eviction the API server refused, and why. */
export function drainReports(observation: ClaimObservation, held: readonly HeldPod[]): readonly ReportAction[] {
  const { claim, nodes } = observation
  const waiting = waitingPods(observation)
  const holders = holdersOf(waiting, held, observation)
  const told = holders.flatMap(({ by, pods }): readonly ReportAction[] => {
    const message = `${by} holds ${named(pods)}; the drain goes on when it lets them go`
    const event = { ...warning(claim, 'FailedDraining', message), key: `FailedDraining ${by}` }
    return [{ kind: 'publish', event }, ...nodes.map((node): ReportAction => ({ kind: 'publish', event: nodeEvent(node, event) }))]
  })
  return [...statusActions(observation, [staysOpen('Drained', 'Draining', claimMessage(observation, waiting, holders))]), ...told]
}

/** The condition as the drain begins, before any eviction was tried. */
export function beginDrain(
  observation: Omit<ClaimObservation, 'nodes' | 'pods' | 'instanceTypes' | 'unavailable'>,
  waiting: readonly Pod[],
): readonly ClaimAction[] {
  return statusActions(observation, [
    staysOpen('Drained', 'Draining', claimMessage(observation, waiting, holdersOf(waiting, [], observation))),
  ])
}

/** The state of the drain in words, for a node without a claim. */
export function drainBlockers(waiting: readonly Pod[], held: readonly HeldPod[], now: EpochMs): string {
  return drainMessage(waiting, holdersOf(waiting, held, { now }))
}

type Holder = { readonly by: string; readonly pods: readonly string[] }

function holdersOf(waiting: readonly Pod[], held: readonly HeldPod[], { now }: Pick<ClaimObservation, 'now'>): readonly Holder[] {
  const ofUsers = waiting
    .filter((pod) => isDoNotDisrupt(pod, now))
    .map(({ key }): HeldPod => ({ pod: key, by: `annotation ${ANNOTATION.doNotDisrupt}` }))
  const groups = Map.groupBy([...held, ...ofUsers], ({ by }) => by)
  return [...groups].map(([by, own]) => ({ by, pods: own.map(({ pod }) => pod).sort() })).sort(byKey(({ by }) => by))
}

function claimMessage({ claim }: Pick<ClaimObservation, 'claim'>, waiting: readonly Pod[], holders: readonly Holder[]): string {
  const unreadable = unreadableDeadline(claim)
  const message = drainMessage(waiting, holders)
  return unreadable === undefined ? message : `${message}; there is no deadline: ${unreadable}`
}

function drainMessage(waiting: readonly Pod[], holders: readonly Holder[]): string {
  if (waiting.length === 0) return 'waiting for late pods'
  const left = waiting.length === 1 ? '1 pod is waiting to be evicted' : `${waiting.length} pods are waiting to be evicted`
  return [left, ...holders.map(({ by, pods }) => `${by} holds ${named(pods)}`)].join('; ')
}

function named(pods: readonly string[]): string {
  const more = pods.length > MOST_NAMED ? ` and ${pods.length - MOST_NAMED} more` : ''
  return `${pods.length === 1 ? 'pod' : 'pods'} ${pods.slice(0, MOST_NAMED).join(', ')}${more}`
}

const MOST_NAMED = 3
