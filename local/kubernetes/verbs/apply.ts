import type { User } from '../access/user.ts'
import { pathsOf, printPath } from '../apply/fieldPaths.ts'
import { firstManager, isOwned, isSameManager, type Manager, ownable, readManagers, withManager, without } from '../apply/managers.ts'
import { mergeApplied, valuesOf, withoutPaths } from '../apply/mergeApplied.ts'
import { badRequest, notFound, StatusError } from '../http/statusError.ts'
import { isObject, type Json, type JsonObject } from '../object/json.ts'
import { type KubeObject, withMeta } from '../object/kubeObject.ts'
import { invalidObject, required } from '../schema/fieldError.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import type { Api, Target } from './api.ts'
import { storeNew, type Written } from './create.ts'
import { admitFields } from './customFields.ts'
import { decodeObject } from './decode.ts'
import { managerOf, sharedSchema, withManagers } from './fieldManagement.ts'
import { storeChanged } from './update.ts'
import type { WriteOptions } from './writeOptions.ts'

/** Server-side apply. Merges the applied fields of a manager with the fields of others, and records the manager as owner of its fields. */
export function applyObject(api: Api, target: Target, body: Json, user: User, options: WriteOptions): Written {
  if (options.fieldManager === '') {
    throw invalidObject('meta.k8s.io', 'PatchOptions', '', [required('fieldManager', 'is required for apply patch')])
  }
  if (!isObject(body)) throw badRequest('what is applied must be an object')
  const applied = decodeObject(body, target)
  const { resource } = target
  const existing = api.store.get(resource.storedAs, target.namespace, target.name)
  const schema = sharedSchema(target)
  const mine = ownable(applied, target.subresource, resource.subresources.includes('status'))
  const paths = pathsOf(mine, schema)
  const entry = managerOf(api, target, options, 'Apply', paths)
  if (!existing) {
    if (target.subresource !== '') throw notFound(resource, target.name)
    const { object, warnings } = admitFields(applied, target, options.fieldValidation)
    return { object: storeNew(api, target, withManagers(object, [entry]), user, options), warnings, created: true }
  }
  const { merged, managers } = merge({ existing, applied: mine, schema, entry, target, force: options.force })
  const resourceVersion = applied.metadata.resourceVersion
  const next = withMeta(decodeObject({ ...merged, apiVersion: applied.apiVersion, kind: applied.kind }, target), { resourceVersion })
  const { object, warnings } = admitFields(next, target, options.fieldValidation)
  const stored = storeChanged(api, { target, existing, next: withManagers(object, managers), user, options, managed: true })
  return { object: stored, warnings, created: false }
}

interface Merge {
  readonly existing: KubeObject
  readonly applied: JsonObject
  readonly schema: StructuralSchema
  readonly entry: Manager
  readonly target: Target
  readonly force: boolean
}

function merge({ existing, applied, schema, entry, target, force }: Merge): { merged: JsonObject; managers: readonly Manager[] } {
  const known = readManagers(existing)
  const live = ownable(existing, '', false)
  const all = pathsOf(ownable(existing, '', target.resource.subresources.includes('status')), schema)
  const managers = known.length > 0 ? known : [firstManager(all, entry.apiVersion, existing.metadata.creationTimestamp)]
  const former = managers.find((manager) => isSameManager(manager, entry))
  const others = managers.filter((manager) => manager !== former)
  const taken = conflicts(others, differing(live, applied, schema))
  if (taken.length > 0 && !force) throw conflicted(taken)
  const lost = new Set(taken.map(({ path }) => path))
  const kept = others.map((other) => ({ ...other, paths: without(other.paths, lost) }))
  const given = [...kept, entry]
  const gone = new Set([...(former?.paths ?? [])].filter((path) => !isOwned(given, path)))
  const left = withoutPaths(live, schema, gone)
  const merged = mergeApplied(left ?? {}, applied, schema)
  const whole = isObject(merged) ? merged : {}
  const metadata = { ...existing.metadata, labels: undefined, annotations: undefined, finalizers: undefined, ownerReferences: undefined }
  const mergedMeta = isObject(whole['metadata']) ? whole['metadata'] : {}
  const ordered = managers.map((manager) => kept.find((other) => isSameManager(other, manager)) ?? manager)
  return { merged: { ...whole, metadata: { ...metadata, ...mergedMeta } }, managers: withManager(ordered, entry) }
}

/** Returns the paths of applied fields that change the live object. */
function differing(live: JsonObject, applied: JsonObject, schema: StructuralSchema): readonly string[] {
  const before = valuesOf(live, schema)
  return [...valuesOf(applied, schema)].filter(([path, value]) => before.get(path) !== value).map(([path]) => path)
}

interface Taken {
  readonly path: string
  readonly manager: Manager
}

function conflicts(others: readonly Manager[], changed: readonly string[]): readonly Taken[] {
  return others.flatMap((manager) => changed.filter((path) => manager.paths.has(path)).map((path) => ({ path, manager })))
}

function conflicted(taken: readonly Taken[]): StatusError {
  const who = ({ manager }: Taken): string => `conflict with ${JSON.stringify(manager.name)} using ${manager.apiVersion}`
  const causes = taken.map((one) => ({ reason: 'FieldManagerConflict', message: who(one), field: printPath(one.path) }))
  const list = causes.map(({ message, field }) => `${message}: ${field}`).join('\n')
  const count = taken.length === 1 ? '1 conflict' : `${taken.length} conflicts`
  return new StatusError({ code: 409, reason: 'Conflict', message: `Apply failed with ${count}: ${list}`, details: { causes } })
}
