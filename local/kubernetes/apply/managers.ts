import { asText, at, type Json, type JsonObject, listAt, objectAt, textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { fromFields, isInside, type Paths, toFields } from './fieldPaths.ts'

/** An entry of managedFields: a manager, its operation, and the fields that it owns. */
export interface Manager {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  readonly time: string
  readonly paths: Paths
}

export function readManagers(object: KubeObject): readonly Manager[] {
  return listAt(object, 'metadata', 'managedFields').map((entry) => ({
    name: textAt(entry, 'manager'),
    operation: textAt(entry, 'operation') === 'Apply' ? 'Apply' : 'Update',
    apiVersion: textAt(entry, 'apiVersion'),
    subresource: textAt(entry, 'subresource'),
    time: textAt(entry, 'time'),
    paths: fromFields(at(entry, 'fieldsV1')),
  }))
}

export function printManagers(managers: readonly Manager[]): readonly JsonObject[] {
  return managers
    .filter((manager) => manager.paths.size > 0)
    .map(({ name, operation, apiVersion, subresource, time, paths }) => ({
      manager: name,
      operation,
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: toFields(paths),
      ...(subresource === '' ? {} : { subresource }),
    }))
}

export function isSameManager(first: Manager, second: Manager): boolean {
  return first.name === second.name && first.operation === second.operation && first.subresource === second.subresource
}

/** Returns the managers with the entry put in place of its earlier version. Its time stays if its fields have not changed. */
export function withManager(managers: readonly Manager[], entry: Manager): readonly Manager[] {
  const former = managers.find((manager) => isSameManager(manager, entry))
  if (!former) return [...managers, entry]
  const same = former.paths.size === entry.paths.size && [...entry.paths].every((path) => former.paths.has(path))
  return managers.map((manager) => (manager === former ? { ...entry, time: same ? former.time : entry.time } : manager))
}

export function without(paths: Paths, gone: Paths): Paths {
  return new Set([...paths].filter((path) => !gone.has(path)))
}

/** Reports whether any manager owns the field or a field inside it. */
export function isOwned(managers: readonly Manager[], path: string): boolean {
  return managers.some(({ paths }) => paths.has(path) || [...paths].some((owned) => isInside(owned, path)))
}

const OWNED_META = ['labels', 'annotations', 'finalizers', 'ownerReferences']

/** Returns the part of an object that has owners. Members that only the server writes have none. */
export function ownable(object: JsonObject, subresource: string, hasStatus: boolean): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata, status, ...rest } = object
  if (subresource === 'status') return status === undefined ? {} : { status }
  const meta = Object.entries(objectAt({ metadata }, 'metadata')).filter(([key]) => OWNED_META.includes(key))
  return {
    ...rest,
    ...(meta.length === 0 ? {} : { metadata: Object.fromEntries(meta) }),
    ...(hasStatus || status === undefined ? {} : { status }),
  }
}

/** The owner of all fields of an object that was never applied before. */
export function firstManager(paths: Paths, apiVersion: string, time: Json | undefined): Manager {
  return { name: 'before-first-apply', operation: 'Update', apiVersion, subresource: '', time: asText(time), paths }
}
