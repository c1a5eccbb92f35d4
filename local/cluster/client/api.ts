import { err, ok, type Result } from '../../../shared/base/result.ts'
import { Fault, type ProblemCode, problem } from '../../../shared/model/problem.ts'
import type { KubeClient, Refusal } from './kubeClient.ts'
import type { Stored } from './objects.ts'
import { collectionPath, objectPath, type Ref, type Resource } from './resource.ts'

export type PatchKind = 'merge' | 'strategic' | 'json'

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
} as const satisfies { [Kind in PatchKind]: string }

export type DeleteOptions = { readonly uid?: string; readonly graceSeconds?: number; readonly propagation?: 'Background' | 'Orphan' }

/** The verbs of the API, typed by resource. */
export interface KubeApi {
  get<Item extends Stored>(resource: Resource<Item>, ref: Ref): Promise<Result<Item, Refusal>>
  list<Item extends Stored>(resource: Resource<Item>, query?: ListQuery): Promise<Result<ObjectList<Item>, Refusal>>
  create<Item extends Stored>(resource: Resource<Item>, object: object, namespace?: string): Promise<Result<Item, Refusal>>
  /** Any other POST, such as a binding. */
  post(path: string, body: object): Promise<Result<unknown, Refusal>>
  replace<Item extends Stored>(resource: Resource<Item>, object: Item, subresource?: string): Promise<Result<Item, Refusal>>
  patch<Item extends Stored>(
    resource: Resource<Item>,
    ref: Ref,
    patch: object,
    kind: PatchKind,
    subresource?: string,
  ): Promise<Result<Item, Refusal>>
  /** Returns the object if it still waits for its end, or undefined if it is gone already. */
  remove<Item extends Stored>(resource: Resource<Item>, ref: Ref, options?: DeleteOptions): Promise<Result<Item | undefined, Refusal>>
}

export type ListQuery = { readonly [name: string]: string }
export type ObjectList<Item> = { readonly metadata: { readonly resourceVersion: string }; readonly items: readonly Item[] }

export function createApi(client: KubeClient, signal: AbortSignal): KubeApi {
  return {
    get: (resource, ref) => client.send({ method: 'GET', path: objectPath(resource, ref), signal }),
    list: (resource, query = {}) => client.send({ method: 'GET', path: collectionPath(resource), query, signal }),
    create: (resource, object, namespace) =>
      client.send({ method: 'POST', path: collectionPath(resource, namespace), body: { ...head(resource), ...object }, signal }),
    post: (path, body) => client.send({ method: 'POST', path, body, signal }),
    replace: (resource, object, subresource) => {
      const path = objectPath(resource, object.metadata, subresource)
      return client.send({ method: 'PUT', path, body: { ...head(resource), ...object }, signal })
    },
    patch: (resource, ref, body, kind, subresource) =>
      client.send({ method: 'PATCH', path: objectPath(resource, ref, subresource), body, contentType: PATCH_TYPES[kind], signal }),
    remove: async <Item extends Stored>(resource: Resource<Item>, ref: Ref, options: DeleteOptions = {}) => {
      const path = objectPath(resource, ref)
      const answer = await client.send<Item | { kind: 'Status' }>({ method: 'DELETE', path, body: deleteBody(options), signal })
      if (!answer.ok) return answer
      const left = answer.value
      return ok('metadata' in left && left.metadata.deletionTimestamp !== undefined ? left : undefined)
    },
  }
}

function head(resource: Resource<Stored>): { apiVersion: string; kind: string } {
  return { apiVersion: resource.apiVersion, kind: resource.kind }
}

function deleteBody(options: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(options.uid === undefined ? {} : { preconditions: { uid: options.uid } }),
    ...(options.graceSeconds === undefined ? {} : { gracePeriodSeconds: options.graceSeconds }),
    ...(options.propagation === undefined ? {} : { propagationPolicy: options.propagation }),
  }
}

/** Returns the value. Throws a Fault otherwise, so that the work queue tries again. */
export function must<Value>(operation: string, result: Result<Value, Refusal>): Value {
  if (result.ok) return result.value
  throw faultOf(operation, result.error)
}

/** Returns the value, or undefined if the object is gone or is another object than the one we read. */
export function mustUnlessGone<Value>(operation: string, result: Result<Value, Refusal>): Value | undefined {
  if (result.ok) return result.value
  if (result.error.code === 404 || result.error.code === 409) return undefined
  throw faultOf(operation, result.error)
}

/** Returns refusals with these codes as values, and throws all others. */
export function mustUnless<Value>(operation: string, codes: readonly number[], result: Result<Value, Refusal>): Result<Value, Refusal> {
  if (result.ok) return result
  if (codes.includes(result.error.code)) return err(result.error)
  throw faultOf(operation, result.error)
}

function faultOf(operation: string, refusal: Refusal): Fault {
  const codes: { readonly [code: number]: ProblemCode } = { 404: 'KUBE.NOT_FOUND', 409: 'KUBE.CONFLICT', 429: 'KUBE.EVICTION_BLOCKED' }
  return new Fault(operation, problem(codes[refusal.code] ?? 'KUBE.INVALID', `${refusal.code} ${refusal.reason}: ${refusal.message}`))
}
