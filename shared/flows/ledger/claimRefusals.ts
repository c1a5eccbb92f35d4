/** What the ledger remembers of NodeClaims that the API server refused, so that they are not made again at once, by this process or the next. */
import { bufferSource } from '../../engine/scheduling/model/pods/bufferSource.ts'
import { ASK_OF_NOBODY, type ClaimAsk, claimAskOf, withoutTaken, withRefusedClaims } from '../../model/claimRefusal.ts'
import { type Intent, intentName, type Ledger } from '../../model/ledger.ts'
import type { Problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
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
