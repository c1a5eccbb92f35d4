import { canonicalJson } from '../../../shared/base/json.ts'
import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, type JsonObject } from '../object/json.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import { memberSchema } from '../schema/validateValue.ts'
import { type Child, childrenOf, join, type Paths, sharingOf } from './fieldPaths.ts'

/** Merges the applied value into the live value. Shared values are merged, atomic values are replaced. */
export function mergeApplied(live: Json | undefined, applied: Json, schema: StructuralSchema | undefined): Json {
  const sharing = sharingOf(applied, schema)
  if (live === undefined || sharing !== sharingOf(live, schema)) return applied
  if (sharing === 'members' && isObject(live) && isObject(applied)) return mergeMembers(live, applied, schema)
  if ((sharing === 'items' || sharing === 'values') && isList(live) && isList(applied)) return mergeItems(live, applied, schema)
  return applied
}

function mergeMembers(live: JsonObject, applied: JsonObject, schema: StructuralSchema | undefined): JsonObject {
  const merged: Record<string, Json | undefined> = { ...live }
  for (const [key, value] of Object.entries(applied)) {
    if (value !== undefined) setOwnValue(merged, key, mergeApplied(ownValue(live, key), value, schema && memberSchema(schema, key)))
  }
  return merged
}

function mergeItems(live: readonly Json[], applied: readonly Json[], schema: StructuralSchema | undefined): readonly Json[] {
  const given = new Map(childrenOf(applied, schema).map((child) => [child.step, child]))
  const kept = childrenOf(live, schema).map(({ step, value }) => {
    const over = given.get(step)
    given.delete(step)
    return over ? mergeApplied(value, over.value, over.schema) : value
  })
  return [...kept, ...[...given.values()].map((child) => child.value)]
}

/** Returns a copy without the fields at the paths. Objects and lists that become empty are removed too. */
export function withoutPaths(value: Json, schema: StructuralSchema | undefined, gone: Paths, path = ''): Json | undefined {
  if (gone.has(path)) return undefined
  const children = childrenOf(value, schema)
  if (children.length === 0) return value
  const left = children.flatMap((child) => {
    const kept =
      child.step.startsWith('v:') && !gone.has(join(path, child.step))
        ? child.value
        : withoutPaths(child.value, child.schema, gone, join(path, child.step))
    return kept === undefined ? [] : [{ ...child, value: kept }]
  })
  if (left.length === children.length && left.every((child, index) => child.value === children[index]?.value)) return value
  if (left.length === 0) return undefined
  return rebuilt(value, left)
}

function rebuilt(value: Json, children: readonly Child[]): Json {
  return isList(value)
    ? children.map((child) => child.value)
    : Object.fromEntries(children.map((child) => [child.step.slice(2), child.value]))
}

/** Returns the value at every owned path, to find the fields that differ. For an item of a keyed list only its presence counts. */
export function valuesOf(value: Json, schema: StructuralSchema | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (here: Json, shape: StructuralSchema | undefined, path: string): void => {
    const children = childrenOf(here, shape)
    if (children.length === 0) found.set(path, canonicalJson(here))
    for (const child of children) {
      const inner = join(path, child.step)
      if (!child.step.startsWith('v:')) visit(child.value, child.schema, inner)
      if (!child.step.startsWith('f:')) found.set(inner, '')
    }
  }
  visit(value, schema, '')
  return found
}
