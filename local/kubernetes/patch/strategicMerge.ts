import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { badRequest } from '../http/statusError.ts'
import { isList, isObject, type Json, type JsonObject, sameJson } from '../object/json.ts'
import type { MergeShape } from './mergeKeys.ts'

const PATCH = '$patch'
const RETAIN = '$retainKeys'
const DELETE_FROM = '$deleteFromPrimitiveList/'
const ORDER = '$setElementOrder/'

type Mutable = Record<string, Json | undefined>

/** Applies a strategic merge patch: a merge patch that merges lists by their merge keys and follows the `$` directives. */
export function strategicMerge(target: JsonObject, patch: JsonObject, shape: MergeShape): JsonObject {
  const directive = patch[PATCH]
  if (directive === 'delete') return {}
  if (directive === 'replace') return strip(patch)
  if (directive !== undefined && directive !== 'merge') throw badRequest(`unknown patch type found: ${JSON.stringify(directive)}`)
  const merged: Mutable = { ...target }
  retain(merged, patch)
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || name.startsWith('$')) continue
    if (value === null) delete merged[name]
    else setOwnValue(merged, name, mergeMember(ownValue(merged, name), value, ownValue(shape.fields, name)))
  }
  applyListDirectives(merged, patch, shape)
  return merged
}

function retain(merged: Mutable, patch: JsonObject): void {
  const kept = patch[RETAIN]
  if (!isList(kept)) return
  for (const name of Object.keys(merged)) if (!kept.includes(name)) delete merged[name]
}

function mergeMember(current: Json | undefined, value: Json, shape: MergeShape | undefined): Json {
  if (isObject(value)) return strategicMerge(isObject(current) ? current : {}, value, innerShape(shape))
  if (!isList(value)) return value
  if (shape?.key === undefined) return value.filter((item) => !isDirective(item))
  if (value.some((item) => isDirective(item) && isObject(item) && item[PATCH] === 'replace'))
    return value.filter((item) => !isDirective(item))
  const list = isList(current) ? current : []
  return shape.key === '' ? mergeSet(list, value) : mergeByKey(list, value, shape.key, shape)
}

/** `{$patch: replace}` alone in a list is a directive for the list. With more members it is an item. */
function isDirective(item: Json): boolean {
  return isObject(item) && item[PATCH] === 'replace' && Object.keys(item).length === 1
}

function mergeSet(current: readonly Json[], added: readonly Json[]): Json[] {
  return [...current, ...added.filter((item) => !current.some((known) => sameJson(known, item)))]
}

function mergeByKey(current: readonly Json[], patches: readonly Json[], key: string, shape: MergeShape): Json[] {
  let items = [...current]
  for (const patch of patches) {
    if (!isObject(patch)) throw badRequest('a list merged by key holds an item that is not an object')
    const id = ownValue(patch, key)
    if (id === undefined) throw badRequest(`map: ${JSON.stringify(patch)} does not contain declared merge key: ${key}`)
    const isSame = (item: Json): boolean => isObject(item) && sameJson(ownValue(item, key), id)
    if (patch[PATCH] === 'delete') items = items.filter((item) => !isSame(item))
    else if (items.some(isSame))
      items = items.map((item) => (isSame(item) && isObject(item) ? strategicMerge(item, patch, innerShape(shape)) : item))
    else items.push(strategicMerge({}, patch, innerShape(shape)))
  }
  return items
}

function innerShape(shape: MergeShape | undefined): MergeShape {
  return shape?.fields ? { fields: shape.fields } : {}
}

/** Applies `$deleteFromPrimitiveList/x`, which removes values of a set, and `$setElementOrder/x`, which gives the order of items. */
function applyListDirectives(merged: Mutable, patch: JsonObject, shape: MergeShape): void {
  for (const [name, value] of Object.entries(patch)) {
    if (!isList(value)) continue
    if (name.startsWith(DELETE_FROM)) {
      const member = name.slice(DELETE_FROM.length)
      const current = ownValue(merged, member)
      if (isList(current))
        setOwnValue(
          merged,
          member,
          current.filter((item) => !value.some((gone) => sameJson(gone, item))),
        )
    } else if (name.startsWith(ORDER)) {
      const member = name.slice(ORDER.length)
      const current = ownValue(merged, member)
      if (isList(current)) setOwnValue(merged, member, inOrder(current, value, ownValue(shape.fields, member)?.key ?? ''))
    }
  }
}

/** Items named in the order take their places in this order. All other items stay behind the item that they followed. */
function inOrder(items: readonly Json[], order: readonly Json[], key: string): Json[] {
  const idOf = (item: Json): string => JSON.stringify(key !== '' && isObject(item) ? (ownValue(item, key) ?? null) : item)
  const places = new Map(order.map((item, index) => [idOf(item), index]))
  const named = items
    .filter((item) => places.has(idOf(item)))
    .sort((first, second) => (places.get(idOf(first)) ?? 0) - (places.get(idOf(second)) ?? 0))
  const result: Json[] = []
  let next = 0
  for (const item of items) {
    const taken = places.has(idOf(item)) ? named[next++] : item
    if (taken !== undefined) result.push(taken)
  }
  return result
}

function strip(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => !name.startsWith('$')))
}
