/**
 * Stops drift moves of a pool whose new nodes have drifted when they come up: each further replacement would drift as well, and pods would move for
 * nothing without an end. The new nodes themselves are the record of it, so every process sees the same.
 */
import { largestOf } from '../../../base/lists.ts'
import { byText, inOrder } from '../../../base/order.ts'
import { findCondition, isTrue } from '../../../model/condition.ts'
import { nodesHash } from '../../../model/driftHash.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { DRIFTED, type NodeClaim } from '../../../model/nodeClaim.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'

/** The number of moves in a row whose replacements have drifted when they come up, before drift moves stop. */
const IN_A_ROW = 2
/** A node that drifts later than this after its initialization was right when it came up. All looks at a new node come sooner. */
const AT_BIRTH_MS = 10 * 60_000

/**
 * The annotation of a claim of the pool that replaces the drifted claims: the move, a hash of what the claim is made from, and how many replacements
 * before it, each in the place of the other, had drifted when they came up. Undefined if the NodeClass is gone.
 */
export function replacesDrifted(
  move: string,
  pool: string,
  drifted: readonly NodeClaim[],
  snapshot: Pick<FleetSnapshot, 'objects' | 'settings'>,
): string | undefined {
  const hash = presentHash(pool, snapshot)
  if (hash === undefined) return undefined
  const before = drifted.map((claim) => (markOf(claim).hash === hash && driftedAtBirth(claim) ? markOf(claim).before + 1 : 0))
  return `${move} ${hash} ${largestOf([0, ...before])}`
}

/**
 * Why drifted nodes of the pool are not replaced. Undefined if they are. Only replacements that were made from the present template and facts count,
 * so that a change of either begins anew. Replacements that still come up say nothing yet.
 */
export function driftBrake(pool: Pick<NodePool, 'name'>, snapshot: FleetSnapshot): string | undefined {
  const { replacements } = snapshot.fleet.counted(pool.name)
  if (replacements === undefined) return undefined
  const hash = presentHash(pool.name, snapshot)
  const present = replacements.filter((claim) => markOf(claim).hash === hash && isTrue(claim.status.conditions, 'Initialized'))
  const moves = [...Map.groupBy(present.toSorted(newestFirst), (claim) => markOf(claim).move).values()]
  const latest = moves.slice(0, IN_A_ROW).map((claims) => claims.find(driftedAtBirth))
  const [last] = latest
  if (last === undefined) return undefined
  if (markOf(last).before + 1 >= IN_A_ROW) return messageOf(pool, [last])
  const born = latest.filter((claim) => claim !== undefined)
  return born.length < IN_A_ROW ? undefined : messageOf(pool, born)
}

const newestFirst = inOrder<NodeClaim>(
  (first, second) => second.meta.createdAt - first.meta.createdAt,
  (first, second) => byText(second.name, first.name),
)

function presentHash(name: string, { objects, settings }: Pick<FleetSnapshot, 'objects' | 'settings'>): string | undefined {
  const pool = objects.nodePool.find((each) => each.name === name)
  const of = objects.nodeClass.find((each) => each.name === pool?.template.nodeClassRef.name)
  return pool && of && nodesHash(pool, of, settings)
}

type Mark = { readonly move: string; readonly hash: string; readonly before: number }

function markOf({ meta }: NodeClaim): Mark {
  const [move = '', hash = '', before] = meta.annotations[ANNOTATION.replacesDrifted]?.split(' ') ?? []
  return { move, hash, before: Number(before) || 0 }
}

function driftedAtBirth({ status: { conditions } }: NodeClaim): boolean {
  const [drifted, initialized] = [findCondition(conditions, DRIFTED), findCondition(conditions, 'Initialized')]
  if (drifted?.status !== 'True' || initialized === undefined) return false
  return drifted.lastTransitionAt - initialized.lastTransitionAt <= AT_BIRTH_MS
}

function messageOf({ name }: Pick<NodePool, 'name'>, born: readonly NodeClaim[]): string {
  const [names, them] = [born.map((claim) => claim.name).join(' and '), born.length === 1 ? 'that nodeclaim' : 'both nodeclaims']
  const drift = born.map(({ status }) => findCondition(status.conditions, DRIFTED)).find((each) => each !== undefined)
  const why = drift === undefined ? '' : `${drift.reason}: ${drift.message}`.slice(0, 300)
  return `nodepool ${name}: the last replacements of drifted nodes had drifted when they came up, lately ${names} (${why}), so no drifted node of it is replaced; correct the cause in the nodepool or its aksnodeclass, or delete ${them} to try again`
}
