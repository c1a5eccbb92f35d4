import { hash } from 'node:crypto'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { KubeObject } from '../kube/listObjects.ts'

/** Reduces an object to what is sent of it. */
export type Reducer = (kind: ObjectKind, object: KubeObject) => unknown

/** An object reduced to what is sent: the members of its change that follow number and time, and a fingerprint of them. */
export type ReducedVersion = {
  readonly op: 'put' | 'delete'
  readonly fingerprint: number
  /** JSON of `"object":…`; empty for a deletion. */
  readonly text: string
  /** The scheduler could not place the pod. The pod is sent again and again until that changes. */
  readonly pending: boolean
}

/** No fingerprint of 48 bits is negative. */
export const DELETED: ReducedVersion = { op: 'delete', fingerprint: -1, text: '', pending: false }

/**
 * Reduces an object. A finished pod counts as deleted, because no decision depends on it. So does the ReplicaSet of an older revision, which its
 * Deployment keeps at no replicas.
 */
export function reduceVersion(reduce: Reducer, kind: ObjectKind, object: KubeObject): ReducedVersion {
  if ((kind === 'pod' && isFinished(object)) || (kind === 'replicaSet' && isOlderRevision(object))) return DELETED
  const text = `"object":${JSON.stringify(reduce(kind, object))}`
  return { op: 'put', fingerprint: fingerprintOf(text), text, pending: kind === 'pod' && isPending(object) }
}

/** The reason of the condition counts, not its status. A pod with a scheduling gate has another reason. */
function isPending({ spec, status }: KubeObject): boolean {
  const conditions = status?.conditions
  const isRefused = Array.isArray(conditions) && conditions.some((each) => each?.type === 'PodScheduled' && each.reason === 'Unschedulable')
  return isRefused && (spec?.nodeName ?? '') === ''
}

/**
 * A fingerprint of 48 bits. Two different versions of one object have the same fingerprint once in 3e14 changes, and the next snapshot corrects that.
 */
function fingerprintOf(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, 6)
}

function isFinished(object: KubeObject): boolean {
  return object.status?.phase === 'Succeeded' || object.status?.phase === 'Failed'
}

function isOlderRevision(object: KubeObject): boolean {
  return (object.metadata.ownerReferences?.length ?? 0) > 0 && object.spec?.replicas === 0
}
