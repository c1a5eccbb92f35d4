import { err, ok, type Result } from '../../base/result.ts'
import type { Labels, Meta } from '../../model/labels.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { ClusterObjects } from './clusterObjects.ts'

type Named = { readonly name: string; readonly meta: Meta }

/** The metadata that a patch may change. */
export type MetaPatch = {
  readonly labels?: Labels
  readonly annotations?: Labels
  readonly labelsGone?: readonly string[]
  readonly annotationsGone?: readonly string[]
  readonly finalizers?: readonly string[]
}

/** The stored object, if it has the uid and version that the caller saw, else a Problem. An object without a version is guarded by its uid only. */
export function guarded<Kind extends Named>(what: string, seen: Named, stored: Kind | undefined): Result<Kind, Problem> {
  const object = `${what}/${seen.name}`
  if (stored === undefined) return err(problem('KUBE.NOT_FOUND', `${object} does not exist`, { object }))
  if (stored.meta.uid !== seen.meta.uid) return err(problem('KUBE.CONFLICT', `${object} is another object of that name`, { object }))
  if (seen.meta.resourceVersion !== '' && stored.meta.resourceVersion !== seen.meta.resourceVersion) {
    return err(problem('KUBE.CONFLICT', `${object} changed since it was read: read it again`, { object, retryAfterMs: 0 }))
  }
  return ok(stored)
}

/** The patched metadata. Labels and annotations are merged, and finalizers are replaced. An object that is being deleted accepts no new finalizer. */
export function patchedMeta(object: string, meta: Meta, patch: MetaPatch): Result<Meta, Problem> {
  const finalizers = patch.finalizers ?? meta.finalizers
  if (meta.deletedAt !== undefined && finalizers.some((finalizer) => !meta.finalizers.includes(finalizer))) {
    return err(problem('KUBE.INVALID', `${object} metadata.finalizers: nothing may be added while the object is being deleted`, { object }))
  }
  return ok({
    ...meta,
    labels: without({ ...meta.labels, ...patch.labels }, patch.labelsGone ?? []),
    annotations: without({ ...meta.annotations, ...patch.annotations }, patch.annotationsGone ?? []),
    finalizers,
  })
}

function without(labels: Labels, keys: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !keys.includes(key)))
}

/** Stores the object. Removes it instead if it is being deleted and has no finalizer left. */
export function settle<Kind extends 'node' | 'nodeClaim' | 'nodeClass'>(
  objects: ClusterObjects,
  kind: Kind,
  object: Parameters<typeof objects.put<Kind>>[1],
): typeof object {
  if (object.meta.deletedAt === undefined || object.meta.finalizers.length > 0) return objects.put(kind, object)
  objects.remove(kind, object.name)
  return object
}
