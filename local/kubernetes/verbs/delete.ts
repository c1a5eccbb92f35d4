import { badRequest, conflict, forbidden, notFound, type Subject } from '../http/statusError.ts'
import { asText, isObject, type Json, type JsonObject, listAt, textAt } from '../object/json.ts'
import { finalizersOf, isDeleting, type KubeObject, uidOf, withMember, withMeta } from '../object/kubeObject.ts'
import { mayLeave } from '../resources/coreStrategies.ts'
import type { Resource } from '../resources/resource.ts'
import { type Api, timestamp } from './api.ts'

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly propagation: 'Background' | 'Foreground' | 'Orphan'
  readonly uid: string
  readonly resourceVersion: string
  readonly dryRun: boolean
}

/** Reads the options of a delete, which come in the body, in the query, or in both. */
export function readDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const given: JsonObject = isObject(body) ? body : {}
  return {
    gracePeriodSeconds: readGrace(given, query),
    propagation: readPropagation(given, query),
    uid: textAt(given, 'preconditions', 'uid'),
    resourceVersion: textAt(given, 'preconditions', 'resourceVersion'),
    dryRun: listAt(given, 'dryRun').includes('All') || query.getAll('dryRun').includes('All'),
  }
}

function readGrace(given: JsonObject, query: URLSearchParams): number | undefined {
  const written = given['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined
  const grace = typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : written
  if (grace === undefined || (typeof grace === 'number' && Number.isInteger(grace) && grace >= 0)) return grace
  throw badRequest(`gracePeriodSeconds must be a non-negative integer, not ${asText(written)}`)
}

function readPropagation(given: JsonObject, query: URLSearchParams): DeleteOptions['propagation'] {
  if (given['orphanDependents'] === true || query.get('orphanDependents') === 'true') return 'Orphan'
  const policy = textAt(given, 'propagationPolicy') || (query.get('propagationPolicy') ?? '')
  if (policy === '') return 'Background'
  if (policy === 'Background' || policy === 'Foreground' || policy === 'Orphan') return policy
  throw badRequest(`invalid propagationPolicy ${JSON.stringify(policy)}: must be Foreground, Background or Orphan`)
}

export interface Deleted {
  readonly object: KubeObject
  /** False while finalizers or a grace period keep the object. */
  readonly gone: boolean
}

export function deleteObject(api: Api, resource: Resource, key: { namespace: string; name: string }, options: DeleteOptions): Deleted {
  const existing = api.store.get(resource.storedAs, key.namespace, key.name)
  if (!existing) throw notFound(resource, key.name)
  const kept = resource.strategy.keptBecause?.(existing)
  if (kept !== undefined) throw forbidden(resource, key.name, kept)
  checkPreconditions(resource, existing, options)
  const marked = mark(api, resource, existing, options)
  if (mayLeave(marked) && (marked.metadata.deletionGracePeriodSeconds ?? 0) === 0) {
    return { object: options.dryRun ? existing : api.store.remove(resource.storedAs, existing), gone: true }
  }
  if (options.dryRun || marked === existing) return { object: marked, gone: false }
  return { object: api.store.replace(resource.storedAs, marked), gone: false }
}

function checkPreconditions(resource: Subject, existing: KubeObject, options: DeleteOptions): void {
  const name = existing.metadata.name ?? ''
  if (options.uid !== '' && options.uid !== uidOf(existing)) {
    throw conflict(resource, name, `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uidOf(existing)}`)
  }
  const version = existing.metadata.resourceVersion ?? ''
  if (options.resourceVersion !== '' && options.resourceVersion !== version) {
    throw conflict(
      resource,
      name,
      `Precondition failed: ResourceVersion in precondition: ${options.resourceVersion}, ResourceVersion in object meta: ${version}`,
    )
  }
}

/** Returns the object marked for deletion: with deletion time, grace period, and the finalizer of the requested propagation. */
function mark(api: Api, resource: Resource, existing: KubeObject, options: DeleteOptions): KubeObject {
  const finalizers = propagationFinalizers(existing, options)
  const grace = resource.strategy.graceSeconds?.(existing, options.gracePeriodSeconds) ?? 0
  if (isDeleting(existing)) return shorten(api, existing, finalizers, grace)
  const generation = existing.metadata.generation
  const marked = withMeta(existing, {
    deletionTimestamp: timestamp(api.now() + grace * 1000),
    deletionGracePeriodSeconds: grace,
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    generation: generation === undefined ? undefined : generation + 1,
  })
  return existing.kind === 'Namespace' ? withMember(marked, 'status', { phase: 'Terminating' }) : marked
}

function shorten(api: Api, existing: KubeObject, finalizers: readonly string[], grace: number): KubeObject {
  const before = existing.metadata.deletionGracePeriodSeconds ?? 0
  const sameFinalizers = finalizers.length === finalizersOf(existing).length
  if (grace >= before && sameFinalizers) return existing
  const seconds = Math.min(grace, before)
  return withMeta(existing, {
    deletionGracePeriodSeconds: seconds,
    deletionTimestamp: grace < before ? timestamp(api.now() + seconds * 1000) : existing.metadata.deletionTimestamp,
    finalizers: finalizers.length === 0 ? undefined : finalizers,
  })
}

function propagationFinalizers(existing: KubeObject, options: DeleteOptions): readonly string[] {
  const others = finalizersOf(existing).filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion')
  if (options.propagation === 'Orphan') return [...others, 'orphan']
  if (options.propagation === 'Foreground') return [...others, 'foregroundDeletion']
  return isDeleting(existing) ? finalizersOf(existing) : others
}

/** Returns the answer of a delete that removed the object. */
export function deletedStatus(resource: Resource, object: KubeObject): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: object.metadata.name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: uidOf(object),
    },
  }
}

/** The options of a delete by the server's own controllers. */
export const BACKGROUND: DeleteOptions = {
  gracePeriodSeconds: undefined,
  propagation: 'Background',
  uid: '',
  resourceVersion: '',
  dryRun: false,
}
