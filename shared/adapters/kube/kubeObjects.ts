import type { Rank } from '../../base/concurrency.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { listAll } from '../../kubeclient/collections.ts'
import { faultOf, isObjectMissing, isSuccess, type KubeAnswer } from '../../kubeclient/status.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { AsOf } from '../../ports/clusterApi.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { problemOf } from './kubeStatus.ts'
import type { KubeCall, KubeTransport } from './kubeTransport.ts'
import { liveFromKube } from './liveFromKube.ts'
import { platformSignal } from './platformSignal.ts'

/** Reads and writes typed objects over the transport. */
export interface KubeObjects {
  call(call: KubeCall, signal: AbortSignalLike): Promise<KubeAnswer>
  get<Kind extends ObjectKind>(kind: Kind, path: string, signal: AbortSignalLike): Promise<ObjectByKind[Kind] | undefined>
  /** Lists all objects, page by page. An object that cannot be parsed is left out and logged. */
  list<Kind extends ObjectKind>(request: ListRequest<Kind>, signal: AbortSignalLike): Promise<readonly ObjectByKind[Kind][]>
  /** Writes an object and returns it as it is after the write. */
  write<Kind extends ObjectKind>(request: WriteRequest<Kind>, signal: AbortSignalLike): Promise<Result<ObjectByKind[Kind], Problem>>
  /** Deletes an object. Returns it as it is being deleted, or undefined if the server shows none, for example because it is gone at once. */
  removeObject<Kind extends ObjectKind>(
    kind: Kind,
    request: RemoveRequest,
    signal: AbortSignalLike,
  ): Promise<ObjectByKind[Kind] | undefined>
  /** Deletes an object. Returns false if the object, or the object with that uid, is already gone. */
  remove(request: RemoveRequest, signal: AbortSignalLike): Promise<boolean>
}

export type ListRequest<Kind extends ObjectKind> = {
  readonly kind: Kind
  readonly path: string
  readonly fieldSelector?: string
  /** Default: `now`. */
  readonly asOf?: AsOf | undefined
  /** True if the CRD may not be installed. Then the list is empty. */
  readonly optional?: boolean
  /**
   * Reduced forms of an item that cannot be parsed, the most complete first. With `outlines` no item is left out: if no form can be parsed, it
   * throws.
   */
  readonly outlines?: (item: unknown) => readonly unknown[]
}
export type WriteRequest<Kind extends ObjectKind> = KubeCall & {
  readonly kind: Kind
  readonly operation: string
  readonly object: string
  /** The Problem of a refusal. Default: `problemOf`. */
  readonly refusal?: typeof problemOf
}
export type RemoveRequest = {
  readonly path: string
  readonly object: string
  readonly uid?: string
  readonly gracePeriodSeconds?: number
  readonly rank?: Rank
}

const PAGE = 500
/** With version 0 the server answers from its cache, in a single page. Without a version, it reads the list from its database. */
const FROM_MEMORY = { resourceVersion: '0' }

export function createKubeObjects(transport: KubeTransport, telemetry: Telemetry): KubeObjects {
  const call: KubeObjects['call'] = (request, signal) => transport(request, platformSignal(signal))

  function parsed<Kind extends ObjectKind>(kind: Kind, json: unknown, object: string): ObjectByKind[Kind] {
    const result = liveFromKube(kind, json)
    if (result.ok) return result.value
    throw new Fault(`read ${object}`, result.error)
  }

  return {
    call,
    async get(kind, path, signal) {
      const answer = await call({ method: 'GET', path }, signal)
      if (isObjectMissing(answer)) return undefined
      if (!isSuccess(answer)) throw faultOf(answer, 'read', path)
      return parsed(kind, answer.json, path)
    },
    async list(request, signal) {
      const { path, fieldSelector, asOf, optional = false } = request
      const inPages = asOf === 'recent' ? { query: { fieldSelector, ...FROM_MEMORY } } : { query: { fieldSelector }, limit: PAGE }
      const listed = await listAll(transport, { path, ...inPages }, platformSignal(signal))
      if (listed.ok) return understood(request, listed.value, telemetry)
      if (listed.error.status === 404 && optional) return []
      throw faultOf(listed.error, 'list', path)
    },
    async write({ kind, operation, object, refusal: understand = problemOf, ...request }, signal) {
      const answer = await call(request, signal)
      return isSuccess(answer) ? ok(parsed(kind, answer.json, object)) : err(understand(answer, operation, object))
    },
    async removeObject(kind, request, signal) {
      const answer = await removing(call, request, signal)
      const result = answer && liveFromKube(kind, answer.json)
      return result?.ok ? result.value : undefined
    },
    remove: async (request, signal) => (await removing(call, request, signal)) !== undefined,
  }
}

/** The answer of a deletion. Undefined if the object, or the object with that uid, is already gone. */
async function removing(
  call: KubeObjects['call'],
  { path, object, uid, gracePeriodSeconds, rank }: RemoveRequest,
  signal: AbortSignalLike,
): Promise<KubeAnswer | undefined> {
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...preconditions, ...grace }
  const answer = await call({ method: 'DELETE', path, body, ...defined({ rank }) }, signal)
  if (isSuccess(answer)) return answer
  // 409: another object has the name now
  if (answer.status === 404 || answer.status === 409) return undefined
  throw faultOf(answer, 'delete', object)
}

function understood<Kind extends ObjectKind>(
  { kind, path, outlines }: ListRequest<Kind>,
  items: readonly unknown[],
  telemetry: Telemetry,
): readonly ObjectByKind[Kind][] {
  const values: ObjectByKind[Kind][] = []
  for (const item of items) {
    const result = liveFromKube(kind, item)
    if (result.ok) {
      values.push(result.value)
      continue
    }
    const because = result.error.message
    const found = (outlines?.(item) ?? []).map((form) => liveFromKube(kind, form)).find((form) => form.ok)
    if (found?.ok) values.push(found.value)
    else if (outlines !== undefined) throw new Fault(`list ${path}`, result.error)
    const what = found?.ok ? 'is known by its metadata only' : 'is left out'
    telemetry.warn(`an object cannot be understood and ${what}`, { code: result.error.code, kind, because })
  }
  return values
}
