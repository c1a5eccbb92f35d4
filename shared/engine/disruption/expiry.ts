/** Expiry: which machines have reached their age (`expireAfter`). They end whatever runs on them. */
import { byText, leastOf } from '../../base/lists.ts'
import { stableNumber } from '../../base/stableHash.ts'
import type { Action, Decision } from '../../model/decision.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { formatDuration } from '../../model/time.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { createFindings, type Finding } from '../cluster/findings.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { isEnding, type StateNode } from '../cluster/stateNode.ts'
import { allowanceOf } from './budgets/budgets.ts'
import { factsOf } from './candidates/candidate.ts'

/** Machines that were made together do not end together: each ends at its own time within the last tenth of its life, or the last day. */
const SPREAD_SHARE = 0.1
const LONGEST_SPREAD = durationMs(24 * 3_600_000)
const NUMBERS = 2 ** 32

type Aging = { readonly machine: StateNode; readonly claim: NodeClaim; readonly maxAge: DurationMs; readonly oldest: EpochMs }

/**
 * Decides which machines expire. The maximum age is a promise, so no budget, pod or annotation holds a machine that has reached it. Each machine has
 * an earlier time that follows from its claim's uid. From this time on it goes if those budgets of its pool that apply to every reason allow it.
 * Karpenter ends all machines at the maximum age.
 */
export function createExpiry(): (snapshot: FleetSnapshot) => Decision {
  const findings = createFindings<Aging>()
  return (snapshot) => {
    const { takenAt, fleet } = snapshot
    const { found, wakeAt } = findings(fleet, takenAt, (machine) => aged(machine, takenAt))
    const over = found.filter(({ oldest }) => oldest <= takenAt)
    const early = found.filter(({ oldest }) => oldest > takenAt)
    const ending = [...over, ...allowed(early, snapshot, over)].sort((first, second) => byText(first.claim.name, second.claim.name))
    const held = early.filter((each) => !ending.includes(each)).map(({ oldest }) => oldest)
    const wakes = wakeAt === undefined ? held : [...held, wakeAt]
    return { actions: ending.flatMap(endOf), reasons: [], ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
  }
}

/** Finds a machine that has reached its age, or its own time before. */
function aged(machine: StateNode, now: EpochMs): Finding<Aging> {
  const aging = agingOf(machine)
  if (aging === undefined) return {}
  if (now >= aging.oldest) return { found: aging }
  // A move under way takes the machine, and counts for the budgets.
  if (machine.isDeleting) return waitUntil(aging.oldest)
  if (now < spreadFrom(aging)) return waitUntil(spreadFrom(aging))
  return now < ownTime(aging) ? waitUntil(ownTime(aging)) : { found: aging }
}

function waitUntil(until: EpochMs): Finding<Aging> {
  return { until, wakeAt: until }
}

function agingOf(machine: StateNode): Aging | undefined {
  const { claim } = machine
  if (claim === undefined || isEnding(claim) || !isOurs(claim.spec.nodeClassRef)) return undefined
  const { expireAfter } = claim.spec
  return expireAfter === 'Never' ? undefined : { machine, claim, maxAge: expireAfter, oldest: later(claim.meta.createdAt, expireAfter) }
}

function spreadFrom({ oldest, maxAge }: Aging): EpochMs {
  return epochMs(oldest - spreadOf(maxAge))
}

function ownTime({ claim, oldest, maxAge }: Aging): EpochMs {
  return epochMs(oldest - Math.floor((stableNumber(claim.meta.uid) / NUMBERS) * spreadOf(maxAge)))
}

function spreadOf(maxAge: DurationMs): number {
  return Math.min(maxAge * SPREAD_SHARE, LONGEST_SPREAD)
}

/**
 * The machines that may end early: of each pool, the oldest first, as many as its budgets allow beside the machines that end now in any case. A claim
 * without a pool has no budget.
 */
function allowed(early: readonly Aging[], { objects, fleet, takenAt }: FleetSnapshot, over: readonly Aging[]): readonly Aging[] {
  const pools = new Map<string | undefined, NodePool>(objects.nodePool.map((pool) => [pool.name, pool]))
  const groups = Map.groupBy(early, ({ machine }) => pools.get(fleet.poolOf(machine)))
  return [...groups].flatMap(([pool, own]) => {
    if (pool === undefined) return own
    const gone = over.filter(({ machine }) => fleet.poolOf(machine) === pool.name).length
    const remaining = allowanceOf(pool, undefined, { fleet, takenAt })?.remaining ?? own.length
    const oldestFirst = own.toSorted((first, second) => first.oldest - second.oldest || byText(first.claim.name, second.claim.name))
    return oldestFirst.slice(0, Math.max(0, remaining - gone))
  })
}

function endOf({ machine, claim, maxAge }: Aging): readonly Action[] {
  const { node } = machine
  const message = `Expired: nodeclaim ${claim.name} reaches its expireAfter of ${formatDuration(maxAge)}`
  const event = { type: 'Normal', reason: 'DisruptionTerminating', message } as const
  return [
    { kind: 'expireClaim', claim: claim.name, uid: claim.meta.uid, pods: factsOf(machine).pods.length },
    { kind: 'publish', event: { ...event, subject: { kind: 'nodeClaim', name: claim.name }, uid: claim.meta.uid } },
    ...(node === undefined
      ? []
      : [{ kind: 'publish', event: { ...event, subject: { kind: 'node', name: node.name }, uid: node.meta.uid } } as const]),
  ]
}
