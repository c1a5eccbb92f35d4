import { err, ok, type Result } from '../base/result.ts'
import { sightOf } from '../engine/cluster/sight.ts'
import { explainNode } from '../engine/scheduling/explain/explainNode.ts'
import { explainPod } from '../engine/scheduling/explain/explainPod.ts'
import type { ClaimExplanation, PodExplanation } from '../engine/scheduling/explain/explanation.ts'
import { renderExplanation } from '../engine/scheduling/explain/render.ts'
import { decideStatus } from '../engine/status/decideStatus.ts'
import { withStatus } from '../engine/status/withStatus.ts'
import type { ObjectKey } from '../model/ids.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import { createClusterReader } from './catchUp.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { emptyLedger } from './intents.ts'
import { NOTHING_KNOWN } from './seenNumbers.ts'
import { takeSnapshot } from './snapshot.ts'

/** A claim may be asked for by its own name or by that of its node. */
export type Question = { readonly kind: 'pod'; readonly key: ObjectKey } | { readonly kind: 'nodeClaim'; readonly name: string }

export type Answer = {
  readonly explanation: PodExplanation | ClaimExplanation
  /** The same in words, line by line. */
  readonly text: readonly string[]
}

const MISSING_RETRY_MS = 1_000

/** What a decision made now would do, and why. Decides nothing, takes no lease, and holds up nobody who does. */
export async function explain(deps: ClusterDeps, question: Question, signal: AbortSignalLike): Promise<Result<Answer, Problem>> {
  const now = deps.clock.now()
  // A state of its own: the one that decisions are made on may be in use.
  const [{ state, missing }, loaded] = await Promise.all([createClusterReader(deps.log).catchUp(now, signal), deps.ledger.load(signal)])
  if (missing !== undefined) {
    const what = missing === NOTHING_KNOWN ? missing : `the picture of the cluster has a hole: ${missing}`
    const message = `${what}; the shim is asked for it, ask again in a moment`
    return err(problem('STORE.LOG_GAP', message, { retryAfterMs: MISSING_RETRY_MS }))
  }
  if (!loaded.ok) return loaded
  const seen = await takeSnapshot(deps, state, loaded.value?.value ?? emptyLedger(deps.cluster), now, signal)
  const snapshot = withStatus(seen, decideStatus(sightOf(seen)))
  const result = question.kind === 'pod' ? explainPod(snapshot, question.key) : explainNode(snapshot, question.name)
  return result.ok ? ok({ explanation: result.value, text: renderExplanation(result.value, now) }) : result
}
