import { hash } from 'node:crypto'
import { defined } from '../../shared/base/defined.ts'
import type { Result } from '../../shared/base/result.ts'
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { Problem } from '../../shared/model/problem.ts'
import type { KubeObject } from '../kube/kubeJson.ts'

/** Turns Kubernetes JSON into the compact JSON that is sent. `pending` says whether it is a pod that the scheduler could not place. */
export type Reducer = (kind: ObjectKind, json: unknown) => Result<Reduced, Problem>

export type Reduced = { readonly value?: ObjectByKind[ObjectKind]; readonly compact: unknown; readonly pending: boolean }

/** An object reduced to what is sent: the members of its change that follow number and time, and a fingerprint of them. */
export type ReducedVersion = {
  readonly op: 'put' | 'delete' | 'invalid'
  readonly fingerprint: number
  /** JSON of `"object":…` or `"problem":…`; empty for a deletion. */
  readonly text: string
  /** The scheduler could not place the pod. The pod is sent again and again until that changes. */
  readonly pending: boolean
  /** The object for the metrics. It is not kept with the version. */
  readonly value?: ObjectByKind[ObjectKind]
}

/** No fingerprint of 48 bits is negative. */
export const DELETED: ReducedVersion = { op: 'delete', fingerprint: -1, text: '', pending: false }

/**
 * Reduces an object. A finished pod counts as deleted, because no decision depends on it. So does the ReplicaSet of an older revision, which its
 * Deployment keeps at no replicas.
 */
export function reduceVersion(reduce: Reducer, kind: ObjectKind, object: KubeObject): ReducedVersion {
  if ((kind === 'pod' && isFinished(object)) || (kind === 'replicaSet' && isOlderRevision(object))) return DELETED
  const reduced = reduce(kind, object)
  if (!reduced.ok) {
    const text = `"problem":${JSON.stringify(reduced.error)}`
    return { op: 'invalid', fingerprint: fingerprintOf(text), text, pending: false }
  }
  const { value, compact, pending } = reduced.value
  const text = `"object":${JSON.stringify(compact)}`
  return defined({ op: 'put' as const, fingerprint: fingerprintOf(text), text, pending, value })
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
