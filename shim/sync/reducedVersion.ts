import { hash } from 'node:crypto'
import type { Result } from '../../shared/base/result.ts'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { Problem } from '../../shared/model/problem.ts'
import type { KubeObject } from '../kube/kubeJson.ts'

/** Kubernetes JSON to the compact JSON that is sent, and whether it is a pod the scheduler has given up. */
export type Reducer = (kind: ObjectKind, json: unknown) => Result<{ readonly compact: unknown; readonly pending: boolean }, Problem>

/** An object reduced to what is sent: the members of its change after number and time, and a fingerprint of them. */
export type ReducedVersion = {
  readonly op: 'put' | 'delete' | 'invalid'
  readonly fingerprint: number
  /** JSON of `"object":…` or `"problem":…`; empty for a deletion. */
  readonly text: string
  /** The scheduler has given the pod up: it is sent again until that changes. */
  readonly pending: boolean
}

/** No fingerprint of 48 bits is negative. */
export const DELETED: ReducedVersion = { op: 'delete', fingerprint: -1, text: '', pending: false }

/**
 * A finished pod holds nothing that a decision could depend on, so for the app it is gone. Neither does the ReplicaSet of an older revision, which
 * its Deployment keeps at no replicas.
 */
export function reduceVersion(reduce: Reducer, kind: ObjectKind, object: KubeObject): ReducedVersion {
  if ((kind === 'pod' && isFinished(object)) || (kind === 'replicaSet' && isOlderRevision(object))) return DELETED
  const reduced = reduce(kind, object)
  if (!reduced.ok) {
    const text = `"problem":${JSON.stringify(reduced.error)}`
    return { op: 'invalid', fingerprint: fingerprintOf(text), text, pending: false }
  }
  const text = `"object":${JSON.stringify(reduced.value.compact)}`
  return { op: 'put', fingerprint: fingerprintOf(text), text, pending: reduced.value.pending }
}

/**
 * 48 bits: two versions of one object that differ look equal once in 3e14 changes, and the next snapshot heals it.
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
