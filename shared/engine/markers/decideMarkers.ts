/** What NodeClaims say about their own end: `Drifted` and `Consolidatable`, as Karpenter has them, and the hashes that drift is judged by. */
import { canonicalJson } from '../../base/canonicalJson.ts'
import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { byKey } from '../../base/order.ts'
import { type Condition, clearCondition, findCondition, isTrue, setCondition } from '../../model/condition.ts'
import type { Action, Decision } from '../../model/decision.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { Sight } from '../cluster/sight.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { quietAt } from '../disruption/candidate.ts'
import { type Drift, driftOf, type Origin, originOf, restamped, typeKnownAt } from './driftOf.ts'

/** What was worked out about a machine, and from what: it holds while all of that is the same. */
type Judged = {
  readonly origin: Origin
  readonly drift: Drift | undefined
  readonly stamps: Labels | undefined
  /** Undefined: the claim never becomes consolidatable as things are. */
  readonly quietAt: EpochMs | undefined
  /** The verdict on drift may change by the time alone from then on. Undefined: it does not. */
  readonly until: EpochMs | undefined
}

/**
 * Marks claims where they do not say what is so. A claim counts as soon as it is launched. What a machine was found to be is kept with it, so
 * that a decision looks closely at changed machines alone.
 */
export function createMarkers(): (sight: Sight) => Decision {
  const known = new WeakMap<StateNode, Judged>()
  const held = new Map<string, Origin>()

  function judge(machine: StateNode, claim: NodeClaim, origin: Origin, { takenAt }: Sight): Judged {
    const before = known.get(machine)
    if (before?.origin === origin && (before.until === undefined || takenAt < before.until)) return before
    const { node } = machine
    const { pool } = origin
    const judged: Judged = {
      origin,
      drift: driftOf(claim, origin, takenAt),
      stamps: isTrue(claim.status.conditions, DRIFTED) ? undefined : restamped(claim, origin),
      quietAt: node !== undefined && isUp(claim) && pool.replicas === undefined ? quietAt({ machine, node, claim, pool }) : undefined,
      until: takenAt < typeKnownAt(claim) ? typeKnownAt(claim) : undefined,
    }
    known.set(machine, judged)
    return judged
  }

  return (sight) => {
    const origins = originsOf(sight, held)
    const marks: Mark[] = []
    const wakes: EpochMs[] = []
    for (const machine of sight.fleet.all()) {
      const { claim } = machine
      const origin = origins(sight.fleet.poolOf(machine), claim)
      if (claim === undefined || origin === undefined || machine.isGoing || !isTrue(claim.status.conditions, 'Launched')) continue
      const judged = judge(machine, claim, origin, sight)
      const mark = markOf(claim, judged, sight.takenAt)
      if (mark !== undefined) marks.push(mark)
      if (judged.quietAt !== undefined && judged.quietAt > sight.takenAt) wakes.push(judged.quietAt)
    }
    const actions = marks.sort(byKey(({ claim }) => claim))
    return { actions, reasons: [], ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
  }
}

type Mark = Extract<Action, { readonly kind: 'markClaim' }>

const DRIFTED = 'Drifted'
const CONSOLIDATABLE = 'Consolidatable'

function markOf(claim: NodeClaim, { drift, stamps, quietAt: quiet }: Judged, now: EpochMs): Mark | undefined {
  const { conditions } = claim.status
  const isQuiet = quiet !== undefined && quiet <= now
  const isMarked = findCondition(conditions, DRIFTED)
  const isSaid = drift === undefined ? isMarked === undefined : isMarked?.status === 'True' && isMarked.reason === drift.reason
  const isRight =
    isSaid && isQuiet === isTrue(conditions, CONSOLIDATABLE) && (isQuiet || findCondition(conditions, CONSOLIDATABLE) === undefined)
  if (isRight && stamps === undefined) return undefined
  const { generation, createdAt } = claim.meta
  const set = (all: readonly Condition[], type: string, update: { readonly reason?: string; readonly message?: string } | undefined) =>
    update === undefined
      ? clearCondition(all, type)
      : setCondition(all, { type, status: 'True', ...update }, { generation, createdAt }, now)
  const next = set(set(conditions, DRIFTED, drift), CONSOLIDATABLE, isQuiet ? {} : undefined)
  return defined({ kind: 'markClaim' as const, claim: claim.name, conditions: isRight ? undefined : next, annotations: stamps })
}

const NO_TYPES: Origin['instanceTypes'] = []

function isUp({ status }: NodeClaim): boolean {
  return isTrue(status.conditions, 'Initialized')
}

/** As far as a verdict depends on it: the status of a pool changes with each of its machines. */
function isSame(first: Origin, second: Origin): boolean {
  const isPool = first.poolHash === second.poolHash && saysOf(first.pool) === saysOf(second.pool)
  return isPool && first.nodeClass?.hash === second.nodeClass?.hash && first.instanceTypes === second.instanceTypes
}

function saysOf({ template, disruption, replicas }: NodePool): string {
  return canonicalJson([template.requirements, disruption.consolidateAfter, replicas ?? null])
}

/**
 * Pool and class of a claim; undefined for claims of other providers, and where the pool is gone. `held` are those of the decision before: one
 * that is the same stays the same object.
 */
function originsOf(
  { objects, instanceTypes }: Sight,
  held: Map<string, Origin>,
): (pool: string, claim: NodeClaim | undefined) => Origin | undefined {
  const pools = new Map<string, NodePool>(objects.nodePool.map((pool) => [pool.name, pool]))
  const classes = new Map(objects.nodeClass.map((nodeClass) => [nodeClass.name, nodeClass]))
  const found = new Map<string, Origin>()
  return (name, claim) => {
    const pool = pools.get(name)
    if (pool === undefined || claim === undefined || !isOurs(claim.spec.nodeClassRef)) return undefined
    const known = found.get(name)
    if (known !== undefined) return known
    const nodeClass = pool.template.nodeClassRef.name
    const made = originOf(pool, classes.get(nodeClass), instanceTypes.get(nodeClass) ?? NO_TYPES)
    const before = held.get(name)
    const origin = before !== undefined && isSame(before, made) ? before : made
    held.set(name, origin)
    found.set(name, origin)
    return origin
  }
}
