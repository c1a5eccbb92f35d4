import type { ObjectByKind, ObjectKind } from './clusterObjects.ts'
import type { Subject } from './decision.ts'
import type { Problem } from './problem.ts'
import type { EpochMs } from './units.ts'

/**
 * The position of a change in the order of all changes: the term of the shim leader that sent it, then its number within the term. The later of two
 * versions of an object is valid, so batches may be duplicated or out of order.
 */
export type Version = { readonly term: number; readonly seq: number }

export type Change = PutOf<ObjectKind> | DeleteChange | InvalidChange

export type PutOf<Kind extends ObjectKind> = Kind extends ObjectKind
  ? ChangeHead & { readonly op: 'put'; readonly kind: Kind; readonly object: ObjectByKind[Kind] }
  : never

export type DeleteChange = ChangeHead & { readonly op: 'delete'; readonly kind: ObjectKind }

/** The object exists but cannot be parsed. The app reports this on the object and decides without it. */
export type InvalidChange = ChangeHead & { readonly op: 'invalid'; readonly kind: ObjectKind; readonly problem: Problem }

export type ChangeHead = {
  readonly seq: number
  /** When the shim saw the change. */
  readonly at: EpochMs
  /** `name`, or `namespace/name`. */
  readonly key: string
}

export function compareVersions(first: Version, second: Version): number {
  return first.term - second.term || first.seq - second.seq
}

const KINDS: ReadonlySet<string> = new Set<Subject['kind']>([
  'pod',
  'nodePool',
  'nodeClass',
  'nodeClaim',
  'node',
  'nodeOverlay',
  'capacityBuffer',
])

/** The object as the subject of Events and reasons. Undefined for kinds that get neither. */
export function subjectOf(kind: ObjectKind | 'instanceType', name: string): Subject | undefined {
  return isKind(kind) && name !== '' ? { kind, name } : undefined
}

function isKind(kind: string): kind is Subject['kind'] {
  return KINDS.has(kind)
}
