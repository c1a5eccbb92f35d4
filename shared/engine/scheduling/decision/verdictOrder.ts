/** Which of several verdicts a user reads: of the alternatives of one pod, and of NodePools. */
import type { ProblemCode } from '../../../model/problem.ts'
import type { Verdict } from './verdict.ts'
import { codeOf } from './verdictTable.ts'

/**
 * From least to most telling. It is the order in which a NodePool is checked: the later the check that refuses, the less has to change. An entry is a
 * kind of verdict. Where verdicts of one kind differ in how telling they are, an entry is a code, or a kind and what it is about.
 */
export const VERDICT_ORDER = [
  // The NodePool takes no part in the decision.
  'POOL.STATIC',
  'NODECLASS.NOT_FOUND',
  'NODECLASS.NOT_READY',
  'POOL.NOT_READY',
  'POOL.PAUSED',
  'POOL.NO_INSTANCE_TYPE',
  // Taints and labels keep the pod away.
  'taints',
  'noTerm',
  'labels of pods',
  'labels of volumes',
  'sizes for pods',
  'sizes for volumes',
  // No offering can be bought. A quota says what to raise.
  'offering',
  'AZURE.QUOTA.SPOT',
  'AZURE.QUOTA.FAMILY',
  'AZURE.QUOTA.REGION',
  // No instance type has room.
  'daemons',
  'disks',
  'amount',
  'device',
  'ports',
  'daemonNeighbours',
  // One more machine is more than the NodePool may have, or instance types have too few values.
  'reservation',
  'limit',
  'minValues',
  // The claim itself is not accepted.
  'claim',
  // Rules about neighbours leave no domain, or domains where another check refuses.
  'SCHEDULING.ANTI_AFFINITY',
  'SCHEDULING.AFFINITY',
  'SCHEDULING.SPREAD',
  'neighboursLeave',
  // Nothing is in the way any more.
  'noRoom',
] as const

/** The place of the verdict in the order: the larger, the more telling. -1 for a code that the order does not have. */
export function verdictRank(verdict: Verdict): number {
  const order: readonly string[] = VERDICT_ORDER
  return order.indexOf(entryOf(verdict))
}

/** Compiles only if the order has an entry for each kind of verdict. */
function entryOf(verdict: Verdict): (typeof VERDICT_ORDER)[number] | ProblemCode {
  const { kind } = verdict
  if (kind === 'pool' || kind === 'quota') return verdict.code
  if (kind === 'neighbours' || kind === 'neighboursTogether') return codeOf(verdict)
  if (kind === 'labels') return verdict.whose === 'volumes' ? 'labels of volumes' : 'labels of pods'
  if (kind === 'sizes') return verdict.whose === 'volumes' ? 'sizes for volumes' : 'sizes for pods'
  return kind === 'atOnce' ? 'amount' : kind
}

/** A NodePool, and why it makes no machine for a pod. */
export type PoolVerdict = {
  readonly pool: string
  readonly verdict: Verdict
  /** The pod selects the NodePool by name. Or the NodePool takes no part and would admit the pod: then it is the one to put right. */
  readonly isAskedFor?: true
}

/**
 * One verdict for each NodePool. A NodePool has a pool option for each reservation and one without. Its most telling verdict counts, and the last
 * of several that are equally telling.
 */
export function mostTellingOfPools(verdicts: readonly PoolVerdict[]): readonly PoolVerdict[] {
  return [...Map.groupBy(verdicts, ({ pool }) => pool).values()].map((own) =>
    own.reduce((best, each) => (rankOf(each) >= rankOf(best) ? each : best)),
  )
}

/** The most telling first. Verdicts that are equally telling keep their order. */
export function inVerdictOrder(verdicts: readonly PoolVerdict[]): readonly PoolVerdict[] {
  return [...verdicts].sort((one, other) => rankOf(other) - rankOf(one))
}

/** The larger, the more telling. A NodePool that the pod asks for comes just above labels and sizes, or higher if its own verdict does. */
function rankOf({ verdict, isAskedFor }: PoolVerdict): number {
  const rank = verdictRank(verdict)
  const ofAsked = VERDICT_ORDER.indexOf('sizes for volumes') + (rank + 1) / (VERDICT_ORDER.length + 1)
  return isAskedFor === true ? Math.max(rank, ofAsked) : rank
}
