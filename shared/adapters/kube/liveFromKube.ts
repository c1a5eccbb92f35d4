import type { Result } from '../../base/result.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import type { Problem } from '../../model/problem.ts'
import { nodeFromKube } from '../../wire/kube/node.ts'
import { objectFromKube } from '../../wire/kube/object.ts'

type Readers = { readonly [Kind in ObjectKind]?: (json: unknown) => Result<ObjectByKind[Kind], Problem> }

/** The parsers of objects that are read for a write. The watched form of a node has no resourceVersion, which a write needs. */
const LIVE: Readers = { node: nodeFromKube }

/** Parses an object that was read from the API server, in the form that a write needs. */
export function liveFromKube<Kind extends ObjectKind>(kind: Kind, json: unknown): Result<ObjectByKind[Kind], Problem> {
  const read: Readers[Kind] = LIVE[kind]
  return read ? read(json) : objectFromKube(kind, json)
}
