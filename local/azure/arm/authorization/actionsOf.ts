import { ownValue } from '../../../../shared/base/values.ts'
import { linkedActions } from './linkedActions.ts'
import type { Needed } from './needed.ts'

const VERBS: { readonly [method: string]: string } = {
  GET: 'read',
  HEAD: 'read',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'delete',
}

/**
 * Returns the actions that a request needs. `body` is the body of the request. `held` is the resource as it is, for requests whose effect depends
 * on it.
 *
 * The path gives the action: the types in the path without the names, and a verb for the method. A list is a read of its type on the scope that the
 * path names before the type (`.../resourceGroups/g/providers/Microsoft.Network` in Azure/CloudShell issue 561, 2025-07). A POST names its own
 * action.
 */
export function actionsOf(method: string, path: string, body: unknown, held?: unknown): Needed {
  const segments = path.split('/').filter((segment) => segment !== '')
  const { namespace, rest, names } = resourceIn(segments)
  const types = rest.filter((_, at) => at % 2 === 0)
  const type = [namespace, ...types].join('/')
  const scope = `/${segments.slice(0, segments.length - names).join('/')}`
  const action = method === 'POST' ? `${type}/action` : `${type}/${ownValue(VERBS, method) ?? method.toLowerCase()}`
  return { own: { action, scope }, linked: linkedActions(type, method, { id: scope, body, held }) }
}

type Resource = {
  readonly namespace: string
  /** Types and names in turn. */
  readonly rest: readonly string[]
  /** How many segments at the end belong to the action and not to the scope. */
  readonly names: number
}

/** A path without a provider belongs to Microsoft.Resources. */
function resourceIn(segments: readonly string[]): Resource {
  const at = segments.findLastIndex((segment) => segment.toLowerCase() === 'providers')
  if (at === -1) return { namespace: 'Microsoft.Resources', rest: segments, names: segments.length % 2 }
  const [namespace, ...rest] = segments.slice(at + 1)
  // The path is the list of providers, or the registration of one.
  if (namespace === undefined || rest.length === 0)
    return { namespace: 'Microsoft.Resources', rest: ['subscriptions', '', 'providers'], names: segments.length - at }
  return { namespace, rest, names: rest.length % 2 }
}
