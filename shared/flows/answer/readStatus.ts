import { settle } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import type { BackOff, DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { Problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { KnownFacts } from '../../ports/clusterFactsSource.ts'
import type { DecisionRecord } from '../../ports/decisionStore.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { problemOf } from '../deps/doEach.ts'

export type ClusterStatus = {
  readonly cluster: ClusterId
  readonly at: EpochMs
  /** What could not be read, and why. What it would have said is absent below. */
  readonly problems: readonly Problem[]
  readonly epoch?: number
  readonly decisions?: number
  readonly openIntents?: readonly string[]
  /** Moves under way, and moves that came to nothing and whose nodes rest. */
  readonly moves?: readonly DisruptionCommand[]
  readonly restingMoves?: readonly BackOff[]
  /** Why no decision can be made now. */
  readonly missing?: string
  readonly latest?: readonly DecisionRecord[]
  /** What Azure says of the cluster, and since when; absent while nobody could read it. */
  readonly facts?: KnownFacts['read']
}

const LATEST = 5

/** What an operator asks first: does it decide, what did it decide last, is anything stuck. Each part stands for itself. */
export async function readStatus(deps: ClusterDeps, signal: AbortSignalLike): Promise<ClusterStatus> {
  const problems: Problem[] = []
  async function read<Value>(part: () => Promise<Value>): Promise<Value | undefined> {
    const outcome = await settle(part)
    if (!outcome.ok) problems.push(problemOf(outcome.error))
    return outcome.ok ? outcome.value : undefined
  }
  const [loaded, missing, latest, facts] = await Promise.all([
    read(() => deps.ledger.load(signal)),
    read(() => deps.log.snapshotWanted(signal)),
    read(() => deps.decisions.latest(LATEST, signal)),
    read(() => deps.facts.load(signal)),
  ])
  if (loaded && !loaded.ok) problems.push(loaded.error)
  if (facts?.problem !== undefined) problems.push(facts.problem)
  const ledger = loaded?.ok ? tell(loaded.value?.value, deps.clock.now()) : {}
  return { cluster: deps.cluster, at: deps.clock.now(), problems, ...ledger, ...defined({ missing, latest, facts: facts?.read }) }
}

/** A cluster that never decided has no ledger yet. */
function tell(
  ledger: Ledger | undefined,
  now: EpochMs,
): Pick<ClusterStatus, 'epoch' | 'decisions' | 'openIntents' | 'moves' | 'restingMoves'> {
  if (ledger === undefined) return { epoch: 0, decisions: 0, openIntents: [], moves: [], restingMoves: [] }
  const { epoch, decisions, intents, commands, backOffs } = ledger
  const openIntents = intents.map((intent) => intent.action.draft.name)
  return { epoch, decisions, openIntents, moves: commands, restingMoves: backOffs.filter(({ until }) => until > now) }
}
