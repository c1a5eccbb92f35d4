import type { User } from '../access/user.ts'
import { conflict, MODIFIED_MEANWHILE, notFound } from '../http/statusError.ts'
import { type Json, sameJson, without } from '../object/json.ts'
import { type KubeObject, withMember, withMeta } from '../object/kubeObject.ts'
import { mayLeave } from '../resources/coreStrategies.ts'
import { validateMeta, validateMetaUpdate } from '../resources/metaRules.ts'
import { asStored, type Resource } from '../resources/resource.ts'
import { invalid, invalidObject } from '../schema/fieldError.ts'
import { type Api, type Target, writeContext } from './api.ts'
import { storeNew, type Written } from './create.ts'
import { admitFields } from './customFields.ts'
import { decodeObject } from './decode.ts'
import { keepManagers } from './fieldManagement.ts'
import type { WriteOptions } from './writeOptions.ts'

/** PUT: replaces an object, or only its status. */
export function updateObject(api: Api, target: Target, body: Json, user: User, options: WriteOptions): Written {
  const decoded = decodeObject(body, target)
  const { object, warnings } = admitFields(decoded, target, options.fieldValidation)
  const { resource } = target
  const existing = api.store.get(resource.storedAs, target.namespace, target.name)
  if (!existing) {
    if (resource.strategy.allowsCreateOnUpdate !== true || target.subresource !== '') throw notFound(resource, target.name)
    return { object: storeNew(api, target, object, user, options), warnings, created: true }
  }
  if (resource.custom && (object.metadata.resourceVersion ?? '') === '') {
    throw invalidObject(resource.group, resource.kind, target.name, [
      { type: 'FieldValueInvalid', path: 'metadata.resourceVersion', body: 'Invalid value: 0x0: must be specified for an update' },
    ])
  }
  return { object: storeChanged(api, { target, existing, next: object, user, options }), warnings, created: false }
}

export interface Change {
  readonly target: Target
  readonly existing: KubeObject
  readonly next: KubeObject
  readonly user: User
  readonly options: WriteOptions
  /** True if the next version already holds the managers of its fields. */
  readonly managed?: true
}

/** Stores the new version of an object: checks preconditions and rules, raises the generation, and removes the object after its last finalizer. */
export function storeChanged(api: Api, change: Change): KubeObject {
  const { target, existing, options } = change
  const { resource } = target
  checkPreconditions(resource, existing, change.next)
  const bumped = bumpGeneration(resource, prepare(api, change), existing)
  const prepared = change.managed === true ? bumped : keepManagers(api, target, { existing, next: bumped }, options)
  const errors = validate(target, prepared, existing)
  if (errors.length > 0) throw invalidObject(resource.group, resource.kind, target.name, errors)
  const stored = asStored(resource, prepared)
  if (sameJson(stored, existing)) return existing
  const leaves = mayLeave(stored) && (stored.metadata.deletionGracePeriodSeconds ?? 0) === 0
  if (options.dryRun) return stored
  const replaced = leaves ? api.store.remove(resource.storedAs, stored) : api.store.replace(resource.storedAs, stored)
  return replaced
}

function validate(target: Target, next: KubeObject, existing: KubeObject): ReturnType<typeof validateMeta> {
  const { strategy, custom } = target.resource
  const own =
    target.subresource === 'status' ? (strategy.validateStatus?.(next, existing) ?? []) : (strategy.validate?.(next, existing) ?? [])
  return [...validateMeta(next, strategy, custom), ...validateMetaUpdate(next, existing), ...own]
}

function checkPreconditions(resource: Resource, existing: KubeObject, next: KubeObject): void {
  const name = existing.metadata.name ?? ''
  const { uid, resourceVersion } = next.metadata
  if (uid !== undefined && uid !== '' && uid !== existing.metadata.uid) {
    throw conflict(resource, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing.metadata.uid ?? ''}`)
  }
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === existing.metadata.resourceVersion) return
  if (!/^\d+$/.test(resourceVersion)) {
    throw invalidObject(resource.group, resource.kind, name, [
      invalid('metadata.resourceVersion', resourceVersion, `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`),
    ])
  }
  throw conflict(resource, name, MODIFIED_MEANWHILE)
}

/** Keeps the old values of metadata that only the server writes, whatever a client sends. */
function prepare(api: Api, change: Change): KubeObject {
  const { target, existing, user } = change
  const { strategy, custom, subresources } = target.resource
  const kept = existing.metadata
  const next = withMeta(change.next, {
    uid: kept.uid,
    resourceVersion: kept.resourceVersion,
    generation: kept.generation,
    creationTimestamp: kept.creationTimestamp,
    deletionTimestamp: kept.deletionTimestamp,
    deletionGracePeriodSeconds: kept.deletionGracePeriodSeconds,
    generateName: kept.generateName,
    managedFields: change.managed === true ? change.next.metadata.managedFields : kept.managedFields,
  })
  const context = writeContext(api, user)
  if (target.subresource === 'status') {
    if (custom) return withMember(withMeta(existing, { managedFields: next.metadata.managedFields }), 'status', next['status'])
    return strategy.prepareForStatus?.(next, existing, context) ?? next
  }
  if (target.subresource !== '') return next
  const defaulted = strategy.defaults?.(next) ?? next
  if (strategy.prepareForUpdate) return strategy.prepareForUpdate(defaulted, existing, context)
  return subresources.includes('status') ? withMember(defaulted, 'status', existing['status']) : defaulted
}

function bumpGeneration(resource: Resource, next: KubeObject, existing: KubeObject): KubeObject {
  if (resource.strategy.hasGeneration !== true) return next
  const strip = (object: KubeObject) => {
    const bare = without(without(object, 'metadata'), 'apiVersion')
    return resource.subresources.includes('status') ? without(bare, 'status') : bare
  }
  if (sameJson(strip(next), strip(existing))) return next
  return withMeta(next, { generation: (existing.metadata.generation ?? 0) + 1 })
}
