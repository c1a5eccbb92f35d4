import { expect } from 'vitest'
import { fleetSnapshotOf } from '../../shared/engine/cluster/fleet.ts'
import { createMarkers } from '../../shared/engine/markers/decideMarkers.ts'
import type { Action } from '../../shared/model/decision.ts'
import { NODE_CLASS_HASH_VERSION, NODE_POOL_HASH_VERSION, nodeClassHash, nodePoolHash } from '../../shared/model/driftHash.ts'
import { ANNOTATION, type Labels } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { durationMs } from '../../shared/model/units.ts'
import { ago, HOUR, MINUTE } from './clock.ts'
import { condition } from './condition.ts'
import { node } from './node.ts'
import { nodeClaim } from './nodeClaim.ts'
import { nodeClass } from './nodeClass.ts'
import { nodePool } from './nodePool.ts'
import { type SnapshotShape, snapshot } from './snapshot.ts'

export type Mark = Extract<Action, { readonly kind: 'markClaim' }>

export const POOL = nodePool({ disruption: { consolidateAfter: durationMs(MINUTE) } })
export const CLASS = nodeClass()
/** The hashes of a claim that was made from this pool and class. */
export const STAMPS = {
  [ANNOTATION.nodePoolHash]: nodePoolHash(POOL),
  [ANNOTATION.nodePoolHashVersion]: NODE_POOL_HASH_VERSION,
  [ANNOTATION.nodeClassHash]: nodeClassHash(CLASS),
  [ANNOTATION.nodeClassHashVersion]: NODE_CLASS_HASH_VERSION,
}
const QUIET = condition('Consolidatable')

/** A claim that was made from the present pool and class, has long been quiet, and is marked so. */
export function markedClaim(annotations: Labels = STAMPS, more: Parameters<typeof nodeClaim>[0] = {}): NodeClaim {
  const made = nodeClaim({ ...more, meta: { createdAt: ago(2 * HOUR), annotations, ...more.meta } })
  return { ...made, status: { ...made.status, conditions: [...made.status.conditions, QUIET] } }
}

/** The one mark that a decision about the claim makes. Undefined if it makes none. */
export function markOf(given: NodeClaim, { objects, ...shape }: SnapshotShape = {}): Mark | undefined {
  const all = { nodePool: [POOL], nodeClass: [CLASS], nodeClaim: [given], node: [node({ claim: given.name })], ...objects }
  const { actions } = createMarkers()(fleetSnapshotOf(snapshot({ ...shape, objects: all })))
  expect(actions.length).toBeLessThanOrEqual(1)
  const [mark] = actions
  return mark?.kind === 'markClaim' ? mark : undefined
}

/** The drift that the mark writes, as `True ImageDrift: the message`. */
export function driftIn(mark: Mark | undefined): string | undefined {
  const found = mark?.conditions?.find(({ type }) => type === 'Drifted')
  return found && `${found.status} ${found.reason}: ${found.message}`
}
