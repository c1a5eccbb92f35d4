import { stableName } from '../../../shared/base/stableHash.ts'
import type { User } from '../access/user.ts'
import { alreadyExists, forbidden, notFound, StatusError } from '../http/statusError.ts'
import type { Json } from '../object/json.ts'
import { isDeleting, type KubeObject, withMember, withMeta } from '../object/kubeObject.ts'
import { validateMeta } from '../resources/metaRules.ts'
import { asStored, type Resource } from '../resources/resource.ts'
import { invalidObject } from '../schema/fieldError.ts'
import { type Api, type Target, timestamp, writeContext } from './api.ts'
import { admitFields } from './customFields.ts'
import { decodeObject } from './decode.ts'
import type { WriteOptions } from './writeOptions.ts'

export interface Written {
  readonly object: KubeObject
  readonly warnings: readonly string[]
  readonly created: boolean
}

/** POST: creates an object as the API server does. */
export function createObject(api: Api, target: Target, body: Json, user: User, options: WriteOptions): Written {
  const decoded = decodeObject(body, target)
  const { object, warnings } = admitFields(decoded, target, options.fieldValidation)
  return { object: storeNew(api, target, object, user, options), warnings, created: true }
}

export function storeNew(api: Api, target: Target, object: KubeObject, user: User, options: WriteOptions): KubeObject {
  const { resource } = target
  const named = identify(api, resource, object)
  const name = named.metadata.name ?? ''
  checkNamespace(api, target, name)
  const prepared = prepare(api, target, named, user)
  const errors = [
    ...validateMeta(prepared, resource.strategy, resource.custom),
    ...(resource.strategy.validate?.(prepared, undefined) ?? []),
  ]
  if (errors.length > 0) throw invalidObject(resource.group, resource.kind, name, errors)
  const stored = asStored(resource, prepared)
  if (api.store.get(resource.storedAs, target.namespace, name)) throw alreadyExists(resource, name)
  return options.dryRun ? stored : api.store.add(resource.storedAs, stored)
}

function identify(api: Api, resource: Resource, object: KubeObject): KubeObject {
  if ((object.metadata.resourceVersion ?? '') !== '') {
    throw new StatusError({ code: 500, reason: '', message: 'resourceVersion should not be set on objects to be created' })
  }
  const uid = api.newUid()
  const prefix = object.metadata.generateName ?? ''
  const name = object.metadata.name || (prefix === '' ? undefined : `${prefix.slice(0, 58)}${stableName(uid, 5)}`)
  return withMeta(object, {
    name,
    uid,
    creationTimestamp: timestamp(api.now()),
    resourceVersion: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    generation: resource.strategy.hasGeneration === true ? 1 : undefined,
  })
}

function checkNamespace(api: Api, target: Target, name: string): void {
  const { resource, namespace } = target
  if (!resource.namespaced) return
  const found = api.store.get('namespaces', '', namespace)
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  if (!isDeleting(found)) return
  throw forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ])
}

function prepare(api: Api, target: Target, object: KubeObject, user: User): KubeObject {
  const { strategy, subresources } = target.resource
  const defaulted = strategy.defaults?.(object) ?? object
  if (strategy.prepareForCreate) return strategy.prepareForCreate(defaulted, writeContext(api, user))
  const resets = subresources.includes('status') && strategy.keepsStatusAtCreate !== true
  return resets ? withMember(defaulted, 'status', undefined) : defaulted
}
