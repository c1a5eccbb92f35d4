import { settle } from '../../base/concurrency.ts'
import { defined } from '../../base/values.ts'
import type { BackOff, DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { Problem } from '../../model/problem.ts'
import { type DemotedSize, demotedSizes } from '../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { KnownFacts } from '../../ports/clusterFactsSource.ts'
import type { DecisionRecord } from '../../ports/decisionStore.ts'
import { type ClusterDeps, problemOf } from '../deps/clusterDeps.ts'

export type ClusterStatus = {
  readonly cluster: ClusterId
  readonly at: EpochMs
  /** Why parts of the status could not be read. The fields of a part that could not be read are absent. */
  readonly problems: readonly Problem[]
  readonly epoch?: number
  readonly decisions?: number
  readonly openIntents?: readonly string[]
  /** Disruption commands under way. */
  readonly moves?: readonly DisruptionCommand[]
  /** Disruption commands that failed and whose nodes are in back-off. */
  readonly restingMoves?: readonly BackOff[]
  /** What Azure refused and is not asked for now. Shared by the clusters of the subscription and region. */
  readonly refusedOfferings?: readonly UnavailableOffering[]
  /** Sizes that decisions weigh at a multiple of their price, with the cause. Shared by the clusters of the subscription and region. */
  readonly demotedSizes?: readonly DemotedSize[]
  /** Why no decision can be made now. Absent if the log of the cluster has no gap, or could not be read. */
  readonly missing?: string
  readonly latest?: readonly DecisionRecord[]
  /** The facts that Azure gives about the cluster, with the time of the read. Absent if they could not be read. */
  readonly facts?: KnownFacts['read']
}

const LATEST = 5

/**
 * Reads what an operator asks first: whether decisions are made, what the latest ones did, and whether anything is stuck. A part that cannot be
 * read does not keep the other parts from being read.
 */
export async function readStatus(deps: ClusterDeps, signal: AbortSignalLike): Promise<ClusterStatus> {
  const problems: Problem[] = []
  const now = deps.clock.now()
  async function read<Value>(part: () => Promise<Value>): Promise<Value | undefined> {
    const outcome = await settle(part)
    if (!outcome.ok) problems.push(problemOf(outcome.error))
    return outcome.ok ? outcome.value : undefined
  }
  const [loaded, missing, latest, facts, refused, reports] = await Promise.all([
    read(() => deps.ledger.load(signal)),
    read(() => deps.log.snapshotRequest(signal)),
    read(() => deps.decisions.latest(LATEST, signal)),
    read(() => deps.facts.load(signal)),
    read(() => deps.offerings.unavailable(now, signal)),
    read(() => deps.offerings.reports(now, signal)),
  ])
  if (loaded && !loaded.ok) problems.push(loaded.error)
  if (facts?.problem !== undefined) problems.push(facts.problem)
  const ledger = loaded?.ok ? tell(loaded.value?.value, deps.clock.now()) : {}
  const refusedOfferings = refused?.filter(({ until }) => until > now)
  return {
    cluster: deps.cluster,
    at: deps.clock.now(),
    problems,
    ...ledger,
    ...defined({ refusedOfferings, demotedSizes: reports && demotedSizes(reports, now), missing, latest, facts: facts?.read }),
  }
}

/** Returns the fields that come from the ledger. A cluster without a decision has no ledger yet. */
function tell(
  ledger: Ledger | undefined,
  now: EpochMs,
): Pick<ClusterStatus, 'epoch' | 'decisions' | 'openIntents' | 'moves' | 'restingMoves'> {
  if (ledger === undefined) return { epoch: 0, decisions: 0, openIntents: [], moves: [], restingMoves: [] }
  const { epoch, decisions, intents, commands, backOffs } = ledger
  const openIntents = intents.map((intent) => intent.action.draft.name)
  return { epoch, decisions, openIntents, moves: commands, restingMoves: backOffs.filter(({ until }) => until > now) }
}
