import { ANNOTATION } from '../model/labels.ts'
import { type Intent, intentName } from '../model/ledger.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import type { ClusterState } from './clusterState.ts'

/**
 * Makes the NodeClaims of intents, and starts the chain of lifecycle steps of each. Names are deterministic, so a repeated
 * creation finds its earlier self. Returns the intents that stand: a claim the API server refuses as invalid is given up.
 */
export async function createClaims(
  deps: ClusterDeps,
  state: ClusterState,
  intents: readonly Intent[],
  signal: AbortSignalLike,
): Promise<readonly Intent[]> {
  const outcomes = await Promise.all(intents.map((intent) => createOne(deps, state, intent, signal)))
  return outcomes.flatMap((intent) => (intent ? [intent] : []))
}

async function createOne(deps: ClusterDeps, state: ClusterState, intent: Intent, signal: AbortSignalLike): Promise<Intent | undefined> {
  const { draft } = intent.action
  const dated = { ...draft, annotations: { ...draft.annotations, [ANNOTATION.decidedAt]: String(intent.decidedAt) } }
  const created = await deps.api.createClaim(dated, state.find('nodePool', draft.nodePool), signal)
  if (!created.ok) {
    deps.telemetry.error(`nodeclaim ${draft.name} was refused: ${created.error.message}`, {
      cluster: deps.cluster,
      code: created.error.code,
    })
    return undefined
  }
  const sentAt = deps.clock.now()
  await deps.queue.send(
    { kind: 'nodeClaim', cluster: deps.cluster, claim: intentName(intent), follow: true, sentAt, attempt: 0 },
    0,
    signal,
  )
  deps.telemetry.measure('claim_created_ms', sentAt - intent.decidedAt, {
    cluster: deps.cluster,
    claim: draft.name,
    decision: intent.decision,
  })
  return { ...intent, createdAt: sentAt }
}
