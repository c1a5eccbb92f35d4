import type { Result } from '../../base/result.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import type { Problem } from '../../model/problem.ts'
import { nodeFromKube } from '../../wire/kube/node.ts'
import { objectFromKube } from '../../wire/kube/object.ts'

/**
 * An object as read from the API server to be written to: with its resourceVersion, which the watched form of a node
 * leaves out.
 */
export function liveFromKube<Kind extends ObjectKind>(kind: Kind, json: unknown): Result<ObjectByKind[Kind], Problem> {
  // the kind is `node`, so its model type is Node
  return kind === 'node' ? (nodeFromKube(json) as Result<ObjectByKind[Kind], Problem>) : objectFromKube(kind, json)
}
