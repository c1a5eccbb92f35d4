import type { User } from '../access/user.ts'
import type { Catalogue, Served } from '../resources/catalogue.ts'
import type { WriteContext } from '../resources/resource.ts'
import type { Store } from '../store/store.ts'

/** What all verbs work on. */
export interface Api {
  readonly store: Store
  readonly catalogue: Catalogue
  readonly now: () => number
  /** Returns a random hexadecimal uid. */
  readonly newUid: () => string
}

/** The target of a request: a resource, an object of it, or a subresource of the object. */
export interface Target extends Served {
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}

export function writeContext(api: Api, user: User): WriteContext {
  return {
    now: timestamp(api.now()),
    user,
    find: (resource, namespace, name) => api.store.get(resource, namespace, name),
    findAll: (resource, namespace) => api.store.list(resource, namespace),
  }
}
