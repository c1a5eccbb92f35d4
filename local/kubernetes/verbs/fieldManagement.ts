import { isInside, type Paths } from '../apply/fieldPaths.ts'
import { isSameManager, type Manager, ownable, printManagers, readManagers, withManager, without } from '../apply/managers.ts'
import { valuesOf } from '../apply/mergeApplied.ts'
import { type KubeObject, withMeta } from '../object/kubeObject.ts'
import { builtinSchema, metadataSchema } from '../resources/builtinSchema.ts'
import { apiVersionOf } from '../resources/resource.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import { type Api, type Target, timestamp } from './api.ts'
import type { WriteOptions } from './writeOptions.ts'

export function withManagers(object: KubeObject, managers: readonly Manager[]): KubeObject {
  return withMeta(object, { managedFields: printManagers(managers) })
}

export function managerOf(api: Api, target: Target, options: WriteOptions, operation: Manager['operation'], paths: Paths): Manager {
  const apiVersion = apiVersionOf(target.resource.group, target.version.name)
  return { name: options.manager, operation, apiVersion, subresource: target.subresource, time: timestamp(api.now()), paths }
}

/** Returns the schema by which managers share fields: the schema of the kind, with the metadata that every kind has. */
export function sharedSchema({ resource, version }: Target): StructuralSchema {
  const own = version.schema ?? builtinSchema(resource.kind, version.name) ?? {}
  return { ...own, properties: { ...own.properties, metadata: metadataSchema() } }
}

/**
 * Updates the owners of fields after a write that is not an apply. The writer owns the fields that it changed, and removed fields have no owner.
 * Objects that were never applied have no owners.
 */
export function keepManagers(
  api: Api,
  target: Target,
  change: { readonly existing: KubeObject; readonly next: KubeObject },
  options: WriteOptions,
): KubeObject {
  const { existing, next } = change
  const managers = readManagers(existing)
  if (managers.length === 0) return next
  const schema = sharedSchema(target)
  const before = valuesOf(ownable(existing, '', false), schema)
  const after = valuesOf(ownable(next, '', false), schema)
  const changed = new Set([...after].filter(([path, value]) => before.get(path) !== value).map(([path]) => path))
  const gone = new Set([...before.keys()].filter((path) => !after.has(path) && ![...after.keys()].some((left) => isInside(left, path))))
  if (changed.size === 0 && gone.size === 0) return next
  const lost = new Set([...changed, ...gone])
  const kept = managers.map((manager) => ({ ...manager, paths: without(manager.paths, lost) }))
  const entry = managerOf(api, target, options, 'Update', changed)
  const former = kept.find((manager) => isSameManager(manager, entry))
  return withManagers(next, withManager(kept, { ...entry, paths: new Set([...(former?.paths ?? []), ...changed]) }))
}
