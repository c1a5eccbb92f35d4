import { settle } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import { purposeText } from '../../model/inWords.ts'
import { type Intent, intentName } from '../../model/ledger.ts'
import type { Problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { logRefused, problemOf } from '../deps/doEach.ts'
import type { ClusterState } from '../state/clusterState.ts'

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
