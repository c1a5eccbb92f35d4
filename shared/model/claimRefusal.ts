/**
 * NodeClaims that the API server refused: no claim of that NodePool is made for pods that add the same to a claim, until a time is over or the NodePool
 * changes. Each further refusal soon after doubles the time.
 */
import { stableHash } from '../base/stableHash.ts'
import type { NodeName, NodePoolName, Uid } from './ids.ts'
import type { NodePool } from './nodePool.ts'
import type { Pod, PodRef } from './pod.ts'
import { durationMs, type EpochMs, epochMs, later } from './units.ts'

/** What pods add to a claim, in short. Pods that add the same get the same claims, and the same refusals. */
export type ClaimAsk = string

export type ClaimRefusal = {
  readonly nodePool: NodePoolName
  /** The NodePool that was refused, as it was then. */
  readonly uid: Uid
  readonly generation: number
  readonly ask: ClaimAsk
  /** The text of the API server. */
  readonly message: string
  /** The number of refusals in a row. */
  readonly times: number
  readonly until: EpochMs
}

/** The claim of a static NodePool, to which no pod adds anything. */
export const ASK_OF_NOBODY: ClaimAsk = 'none'

/** Amounts and labels of the node are what a pod adds to a claim. */
export function claimAskOf({
  requests,
  nodeSelector,
  requiredNodeTerms,
  preferredNodeTerms,
}: Pick<Pod, 'requests' | 'nodeSelector' | 'requiredNodeTerms' | 'preferredNodeTerms'>): ClaimAsk {
  return stableHash([requests, nodeSelector, requiredNodeTerms ?? null, preferredNodeTerms])
}

const FIRST_MS = 30_000
const LONGEST_MS = 3_600_000
/** For how long a refusal is remembered after its end. The next refusal within this time counts as a further one. */
const REMEMBERED = durationMs(2 * 3_600_000)
/** Ends of blocks are moved to full steps, so that one decision answers several. */
const STEP_MS = 5_000
/** The most refusals that are remembered. Those that end last are kept. */
const MOST_REMEMBERED = 1_000

/** The refusal holds for the NodePool as it is now. */
export function isInForce(refusal: ClaimRefusal, pool: Pick<NodePool, 'name' | 'meta'>, now: EpochMs): boolean {
  return refusal.until > now && isOf(refusal, pool)
}

/** Reports whether the refusal is of this NodePool, and the NodePool has not changed since. */
export function isOf({ nodePool, uid, generation }: ClaimRefusal, { name, meta }: Pick<NodePool, 'name' | 'meta'>): boolean {
  return nodePool === name && uid === meta.uid && generation === meta.generation
}

/** One claim that the API server refused. `asks`: of its pods, each once. */
export type RefusedClaim = { readonly pool: Pick<NodePool, 'name' | 'meta'>; readonly asks: readonly ClaimAsk[]; readonly message: string }

/**
 * The refusals after those of one decision. Which of several pods a claim was refused for is not known. So these are let in again one after another,
 * the first at once: pods that no rule of the server is about get their claim then.
 */
export function withRefusedClaims(known: readonly ClaimRefusal[], refused: readonly RefusedClaim[], now: EpochMs): readonly ClaimRefusal[] {
  const kept = new Map(known.filter(({ until }) => now < later(until, REMEMBERED)).map((each) => [askKeyOf(each), each]))
  const fewestFirst = [...refused].sort((one, other) => one.asks.length - other.asks.length)
  const seen = new Set<string>()
  for (const { pool, asks, message } of fewestFirst) {
    const { uid, generation } = pool.meta
    for (const [place, ask] of [...asks].sort().entries()) {
      const one = { nodePool: pool.name, uid, generation, ask, message }
      const key = askKeyOf(one)
      if (seen.has(key)) continue
      seen.add(key)
      const before = kept.get(key)
      const times = before !== undefined && isOf(before, pool) ? before.times + 1 : 1
      const share = asks.length === 1 ? 1 : place / asks.length
      kept.set(key, { ...one, times, until: endOf(now, times, share) })
    }
  }
  return [...kept.values()].sort((one, other) => other.until - one.until).slice(0, MOST_REMEMBERED)
}

function endOf(now: EpochMs, times: number, share: number): EpochMs {
  const length = Math.min(FIRST_MS * 2 ** (times - 1), LONGEST_MS) * share
  return epochMs(now + Math.ceil(length / STEP_MS) * STEP_MS)
}

function askKeyOf({ nodePool, ask }: Pick<ClaimRefusal, 'nodePool' | 'ask'>): string {
  return `${nodePool} ${ask}`
}

/** The refusals without those that a claim of the same kind has outlived: the API server has taken it. */
export function withoutTaken(
  known: readonly ClaimRefusal[],
  taken: readonly { readonly nodePool: NodePoolName; readonly asks: readonly ClaimAsk[] }[],
): readonly ClaimRefusal[] {
  const over = new Set(taken.flatMap(({ nodePool, asks }) => asks.map((ask) => askKeyOf({ nodePool, ask }))))
  const left = known.filter((each) => !over.has(askKeyOf(each)))
  return left.length === known.length ? known : left
}

/**
 * A pod that kube-scheduler leaves without a node, although a node that is up takes it by all rules that planning knows. The pod is watched at first.
 * If it stays without a node, the scheduler refuses it.
 */
export type SchedulerRefusal = {
  readonly pod: PodRef
  /** A hash of what the scheduler decides by: the spec of the pod and its volumes. With other inputs, the pod is planned as any other. */
  readonly inputs: string
  /** Undefined if planning has no node that is up for the pod. */
  readonly watched?: WatchedPod
  /** The newest refusal. Undefined if the pod is watched for the first time. */
  readonly refused?: RefusedPlace
}

export type WatchedPod = {
  /** Since when the pod could have been bound. */
  readonly begunAt: EpochMs
  /** The node that takes the pod, and since when no other pod was bound there. Undefined while the scheduler makes volumes for the pod. */
  readonly place?: { readonly node: NodeName; readonly since: EpochMs }
}

export type RefusedPlace = {
  readonly node: NodeName
  /** How often the scheduler has refused the pod. */
  readonly times: number
  /** No place is planned for the pod before this time. */
  readonly until: EpochMs
  /** The scheduler's own text. Undefined until it is read. */
  readonly message?: string
}

/** Reports whether the pod gets no place now, since the scheduler has refused it. */
export function isLeftOut({ refused }: SchedulerRefusal, now: EpochMs): boolean {
  return refused !== undefined && now < refused.until
}
