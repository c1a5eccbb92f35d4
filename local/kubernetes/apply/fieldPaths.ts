import { ownValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, type JsonObject } from '../object/json.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import { memberSchema } from '../schema/validateValue.ts'

/** Fields as paths. A path is its steps in the notation of `fieldsV1` (`f:spec`, `k:{"name":"main"}`, `v:"x"`), joined. */
export type Paths = ReadonlySet<string>

const JOINT = '\u0000'

/** How managers share the ownership of a value: member by member, item by item, or only as a whole. */
type Sharing = 'members' | 'items' | 'values' | 'whole'

export function sharingOf(value: Json | undefined, schema: StructuralSchema | undefined): Sharing {
  if (isObject(value)) return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'whole' : 'members'
  if (!isList(value)) return 'whole'
  const type = schema?.['x-kubernetes-list-type']
  return type === 'map' ? 'items' : type === 'set' ? 'values' : 'whole'
}

/** Returns the paths that an owner of the value owns: each field that is not shared further, and each item of a keyed list. */
export function pathsOf(value: Json, schema: StructuralSchema | undefined, path = ''): Set<string> {
  const found = new Set<string>()
  collect(value, schema, path, found)
  // The root has no owner.
  found.delete('')
  return found
}

function collect(value: Json, schema: StructuralSchema | undefined, path: string, found: Set<string>): void {
  const children = childrenOf(value, schema)
  if (children.length === 0) found.add(path)
  for (const child of children) {
    const here = join(path, child.step)
    if (!child.step.startsWith('f:')) found.add(here)
    if (!child.step.startsWith('v:')) collect(child.value, child.schema, here, found)
  }
}

export interface Child {
  readonly step: string
  readonly value: Json
  readonly schema: StructuralSchema | undefined
}

/** Returns the parts of a value that can have different owners. */
export function childrenOf(value: Json, schema: StructuralSchema | undefined): readonly Child[] {
  switch (sharingOf(value, schema)) {
    case 'members':
      return Object.entries(isObject(value) ? value : {}).flatMap(([key, member]) =>
        member === undefined ? [] : [{ step: `f:${key}`, value: member, schema: schema && memberSchema(schema, key) }],
      )
    case 'items':
      return (isList(value) ? value : []).map((item) => ({ step: itemStep(item, schema), value: item, schema: schema?.items }))
    case 'values':
      return (isList(value) ? value : []).map((item) => ({ step: `v:${JSON.stringify(item)}`, value: item, schema: undefined }))
    case 'whole':
      return []
  }
}

/** Defaults of keys that are not written. */
const KEY_DEFAULTS: JsonObject = { protocol: 'TCP' }

function itemStep(item: Json, schema: StructuralSchema | undefined): string {
  const keys = [...(schema?.['x-kubernetes-list-map-keys'] ?? [])].sort()
  const read = (key: string): Json =>
    isObject(item)
      ? (ownValue(item, key) ?? ownValue(schema?.items?.properties, key)?.default ?? ownValue(KEY_DEFAULTS, key) ?? null)
      : null
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, read(key)])))}`
}

export function join(path: string, step: string): string {
  return path === '' ? step : `${path}${JOINT}${step}`
}

/** Reports whether a path is inside another path. */
export function isInside(path: string, outer: string): boolean {
  return path.startsWith(`${outer}${JOINT}`)
}

/** A path as messages write it: `.spec.containers[name="main"].image`. */
export function printPath(path: string): string {
  return path
    .split(JOINT)
    .map((step) => {
      const rest = step.slice(2)
      if (step.startsWith('f:')) return `.${rest}`
      if (step.startsWith('v:')) return `[=${rest}]`
      const keys: JsonObject = JSON.parse(rest)
      return `[${Object.entries(keys)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(',')}]`
    })
    .join('')
}

/** Returns the paths as the nested `fieldsV1` of an entry of managedFields. */
export function toFields(paths: Paths): JsonObject {
  const root: Branch = { own: false, steps: new Map() }
  for (const path of [...paths].sort()) {
    let here = root
    for (const step of path.split(JOINT)) {
      const next = here.steps.get(step) ?? { own: false, steps: new Map<string, Branch>() }
      here.steps.set(step, next)
      here = next
    }
    here.own = true
  }
  return printBranch(root)
}

interface Branch {
  own: boolean
  readonly steps: Map<string, Branch>
}

function printBranch({ own, steps }: Branch): JsonObject {
  const inside = [...steps].map(([step, branch]) => [step, printBranch(branch)] as const)
  return own && inside.length > 0 ? { '.': {}, ...Object.fromEntries(inside) } : Object.fromEntries(inside)
}

export function fromFields(fields: Json | undefined, path = ''): Set<string> {
  const found = new Set<string>()
  for (const [step, inside] of Object.entries(isObject(fields) ? fields : {})) {
    const here = step === '.' ? path : join(path, step)
    if (step === '.' || !isObject(inside) || Object.keys(inside).length === 0) found.add(here)
    else for (const inner of fromFields(inside, here)) found.add(inner)
  }
  return found
}
