// Scopes of deployments, and the ids that follow from them.
import { type Place, Refusal } from '../parse/syntax.ts'
import type { Scope } from './scope.ts'
import { isObject, ResourceHandle, type Value } from './value.ts'

export const subscriptionScope = (subscriptionId: string): Scope => ({
  kind: 'subscription',
  id: `/subscriptions/${subscriptionId}`,
  subscriptionId,
})

export const groupScope = (subscriptionId: string, name: string): Scope => ({
  kind: 'resourceGroup',
  id: `/subscriptions/${subscriptionId}/resourceGroups/${name}`,
  subscriptionId,
  name,
})

/** Returns the scope that a `scope:` property names: a resource, or the result of `resourceGroup()` and similar functions. */
export function scopeOf(value: Value, place: Place): Scope {
  const id = value instanceof ResourceHandle ? value.id : isObject(value) ? value['id'] : undefined
  if (typeof id !== 'string') throw new Refusal(place, 'a scope is a resource, resourceGroup(...), subscription(...) or tenant()')
  const parts = id.split('/')
  const [, , subscriptionId, , group] = parts
  if (id === '/') return { kind: 'tenant', id: '' }
  if (parts.length === 3 && subscriptionId !== undefined) return subscriptionScope(subscriptionId)
  if (parts.length === 5 && subscriptionId !== undefined && group !== undefined) return groupScope(subscriptionId, group)
  return { kind: 'resource', id }
}

/** Returns the id of a resource of this type and name in a scope. The name has one part for each part of the type after the provider. */
export function resourceIdIn(scope: Scope, type: string, name: string, place: Place): string {
  if (type.toLowerCase() === 'microsoft.resources/resourcegroups') return `${scope.id}/resourceGroups/${name}`
  const [provider = '', ...types] = type.split('/')
  const names = name.split('/')
  if (types.length !== names.length)
    throw new Refusal(place, `the name "${name}" has ${names.length} parts, and the type ${type} needs ${types.length}`)
  return `${scope.id}/providers/${provider}${types.map((each, at) => `/${each}/${names[at]}`).join('')}`
}
