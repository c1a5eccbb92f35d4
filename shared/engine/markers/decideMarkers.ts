/** Markers on NodeClaims about their own end: `Drifted` and `Consolidatable`, as in Karpenter, and the hashes that drift is judged by. */
import { canonicalJson } from '../../base/json.ts'
import { byKey, byText, leastOf } from '../../base/lists.ts'
import { defined, isSame as isSameData } from '../../base/values.ts'
import { type Condition, clearCondition, findCondition, isTrue, setCondition } from '../../model/condition.ts'
import type { Action, Decision } from '../../model/decision.ts'
import type { Labels } from '../../model/labels.ts'
import { DRIFTED, type NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { createFindings, type Finding } from '../cluster/findings.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { quietAt } from '../disruption/candidates/candidate.ts'
import { type Drift, driftOf, type Origin, originOf, restamped, typeKnownAt } from './driftOf.ts'

/** The most marks of one decision: as many writes as a look can make. The next looks make the rest. */
const MOST_MARKED = 200
const NEXT_LOOK = durationMs(1_000)

/** Marks claims whose conditions or hashes are not up to date. A claim is marked as soon as it is launched. */
export function createMarkers(): (snapshot: FleetSnapshot) => Decision {
  const findings = createFindings<Mark>()
  const origins = createOrigins()
  return (snapshot) => {
    const { takenAt, fleet } = snapshot
    const { of, isChanged } = origins(snapshot)
    const rule = (machine: StateNode) => markOf(machine, of(fleet.poolOf(machine)), takenAt)
    const { found, wakeAt } = findings(
      fleet,
      takenAt,
      rule,
      isChanged === undefined ? undefined : (machine) => isChanged(fleet.poolOf(machine)),
    )
    const marks = found.toSorted(byKey(({ claim }) => claim))
    const wakes = [...(wakeAt === undefined ? [] : [wakeAt]), ...(marks.length > MOST_MARKED ? [later(takenAt, NEXT_LOOK)] : [])]
    return { actions: marks.slice(0, MOST_MARKED), reasons: [], ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
  }
}

type Mark = Extract<Action, { readonly kind: 'markClaim' }>

const CONSOLIDATABLE = 'Consolidatable'

/** Found: the marks that the claim should have. Until: when it should have other marks although nothing changes. */
function markOf(machine: StateNode, origin: Origin | undefined, now: EpochMs): Finding<Mark> {
  const { claim } = machine
  if (claim === undefined || origin === undefined || machine.isDeleting || !isOurs(claim.spec.nodeClassRef)) return {}
  const quiet = quietTimeOf(machine, claim, origin.pool)
  const isQuiet = quiet !== undefined && quiet <= now
  const found = marksOf(claim, { ...comparisonOf(machine, claim, origin, now), isQuiet, now })
  return found === undefined ? nextTime(claim, quiet, now) : { found }
}

/** When the claim becomes consolidatable. Undefined if it never does as things are. */
function quietTimeOf(machine: StateNode, claim: NodeClaim, pool: NodePool): EpochMs | undefined {
  const { node } = machine
  return node !== undefined && isUp(claim) && pool.replicas === undefined ? quietAt({ machine, node, claim, pool }) : undefined
}

function nextTime(claim: NodeClaim, quiet: EpochMs | undefined, now: EpochMs): Finding<Mark> {
  const wakeAt = quiet !== undefined && quiet > now ? quiet : undefined
  // Any look after that time finds that a type is no longer sold, so no look is planned for it.
  const known = typeKnownAt(claim) > now ? typeKnownAt(claim) : undefined
  const times = [wakeAt, known].filter((time) => time !== undefined)
  return times.length === 0 ? {} : defined({ until: epochMs(leastOf(times)), wakeAt })
}

type Comparison = { readonly drift?: Drift; readonly versions?: Labels }
const NO_DIFFERENCE: Comparison = {}
type WantedMarks = Comparison & { readonly isQuiet: boolean; readonly now: EpochMs }

/** The drift of the claim, and the hashes that it should get. A claim that is not launched has nothing to compare. */
function comparisonOf({ node }: StateNode, claim: NodeClaim, origin: Origin, now: EpochMs): Comparison {
  const { conditions } = claim.status
  if (!isTrue(conditions, 'Launched')) return NO_DIFFERENCE
  const versions = isTrue(conditions, DRIFTED) ? undefined : restamped(claim, origin)
  const drift = driftOf(claim, node, origin, now)
  return drift === undefined && versions === undefined ? NO_DIFFERENCE : defined({ drift, versions })
}

/** The marks that the claim lacks. Undefined if it lacks none. */
function marksOf(claim: NodeClaim, { drift, versions, isQuiet, now }: WantedMarks): Mark | undefined {
  const { conditions } = claim.status
  const isRight = saysDrift(conditions, drift) && saysQuiet(conditions, isQuiet)
  if (isRight && versions === undefined) return undefined
  const { generation, createdAt } = claim.meta
  const set = (all: readonly Condition[], type: string, update: { readonly reason?: string; readonly message?: string } | undefined) =>
    update === undefined
      ? clearCondition(all, type)
      : setCondition(all, { type, status: 'True', ...update }, { generation, createdAt }, now)
  const next = set(set(conditions, DRIFTED, drift), CONSOLIDATABLE, isQuiet ? {} : undefined)
  return defined({ kind: 'markClaim' as const, claim: claim.name, conditions: isRight ? undefined : next, annotations: versions })
}

function saysDrift(conditions: readonly Condition[], drift: Drift | undefined): boolean {
  const said = findCondition(conditions, DRIFTED)
  return drift === undefined ? said === undefined : said?.status === 'True' && said.reason === drift.reason
}

function saysQuiet(conditions: readonly Condition[], isQuiet: boolean): boolean {
  const said = findCondition(conditions, CONSOLIDATABLE)
  return isQuiet ? said?.status === 'True' : said === undefined
}

const NO_TYPES: Origin['instanceTypes'] = []

function isUp({ status }: NodeClaim): boolean {
  return isTrue(status.conditions, 'Initialized')
}

/** Reports whether both give the same verdicts. The status of the pool does not count: it changes with each of its machines. */
function isSame(first: Origin, second: Origin): boolean {
  const isPool = first.asked?.poolHash === second.asked?.poolHash && verdictFieldsOf(first.pool) === verdictFieldsOf(second.pool)
  return isPool && first.instanceTypes === second.instanceTypes && isSameClass(first.nodeClass, second.nodeClass)
}

/** Compares all fields, so that no verdict is kept although a field has changed that it depends on. */
function isSameClass(first: Origin['nodeClass'], second: Origin['nodeClass']): boolean {
  return isSameData(dataOf(first), dataOf(second))
}

function dataOf(nodeClass: Origin['nodeClass']): unknown {
  return nodeClass && { ...nodeClass, images: [...nodeClass.images].sort(byText) }
}

function verdictFieldsOf({ template, disruption, replicas }: NodePool): string {
  return canonicalJson([template.requirements, disruption.consolidateAfter, replicas ?? null])
}

type Origins = {
  readonly of: (pool: string) => Origin | undefined
  /** Undefined if each pool has the same origin as at the look before. */
  readonly isChanged?: (pool: string) => boolean
}

/** Finds the pool and NodeClass of claims, by pool. Undefined if the pool is gone. An origin that has not changed stays the same object. */
function createOrigins(): (snapshot: FleetSnapshot) => Origins {
  let held = new Map<string, Origin>()
  return ({ objects, instanceTypes, settings }) => {
    const classes = new Map(objects.nodeClass.map((nodeClass) => [nodeClass.name, nodeClass]))
    const found = new Map<string, Origin>()
    const changed = new Set(held.keys())
    for (const pool of objects.nodePool) {
      const nodeClass = pool.template.nodeClassRef.name
      const made = originOf(pool, classes.get(nodeClass), instanceTypes.get(nodeClass) ?? NO_TYPES, settings)
      const before = held.get(pool.name)
      const origin = before !== undefined && isSame(before, made) ? before : made
      found.set(pool.name, origin)
      if (origin === before) changed.delete(pool.name)
      else changed.add(pool.name)
    }
    held = found
    const of = (pool: string) => found.get(pool)
    return changed.size === 0 ? { of } : { of, isChanged: (pool) => changed.has(pool) }
  }
}
