// Functions of arrays and objects, and those that take a lambda.
import { Refusal } from '../../parse/syntax.ts'
import { isEqual } from '../operators.ts'
import { isList, isObject, kindOf, type Value, type ValueObject } from '../value.ts'
import { asLambda, asList, asNumber, asObject, asText, type BuiltIns, fn, shapeFn } from './builtIn.ts'

export const LISTS: BuiltIns = {
  length: shapeFn(1, 1, ([value = null], { place }) => {
    if (typeof value === 'string' || isList(value)) return value.length
    return Object.keys(asObject(value, place)).length
  }),
  empty: shapeFn(1, 1, ([value = null], { place }) => {
    if (value === null) return true
    if (typeof value === 'string' || isList(value)) return value.length === 0
    return Object.keys(asObject(value, place)).length === 0
  }),
  contains: shapeFn(2, 2, ([whole = null, part = null], { place }) => {
    if (isObject(whole)) return Object.hasOwn(whole, asText(part, place))
    if (isList(whole)) return whole.some((item) => isEqual(item, part))
    return asText(whole, place).includes(asText(part, place))
  }),
  first: shapeFn(1, 1, ([value = null], { place }) => (typeof value === 'string' ? value.slice(0, 1) : (asList(value, place)[0] ?? null))),
  last: shapeFn(1, 1, ([value = null], { place }) => (typeof value === 'string' ? value.slice(-1) : (asList(value, place).at(-1) ?? null))),
  take: shapeFn(2, 2, ([value = null, count], { place }) => {
    const end = Math.max(0, asNumber(count, place))
    return typeof value === 'string' ? value.slice(0, end) : asList(value, place).slice(0, end)
  }),
  skip: shapeFn(2, 2, ([value = null, count], { place }) => {
    const start = Math.max(0, asNumber(count, place))
    return typeof value === 'string' ? value.slice(start) : asList(value, place).slice(start)
  }),
  concat: shapeFn(1, 30, (given, { place }) =>
    typeof given[0] === 'string' ? given.map((each) => asText(each, place)).join('') : given.flatMap((each) => asList(each, place)),
  ),
  array: shapeFn(1, 1, ([value = null]) => (isList(value) ? value : [value])),
  range: fn(2, 2, ([from, count], { place }) => {
    const start = asNumber(from, place)
    return Array.from({ length: asNumber(count, place) }, (_, at) => start + at)
  }),
  flatten: shapeFn(1, 1, ([list], { place }) => asList(list, place).flatMap((each) => asList(each, place))),
  union: shapeFn(2, 30, (given, { place }) => {
    const [head = null] = given
    if (isObject(head)) return given.reduce<ValueObject>((merged, each) => mergeDeep(merged, asObject(each, place)), {})
    return given
      .flatMap((each) => asList(each, place))
      .reduce<readonly Value[]>((kept, each) => (kept.some((other) => isEqual(other, each)) ? kept : [...kept, each]), [])
  }),
  intersection: fn(2, 30, (given, { place }) => {
    const [head, ...others] = given.map((each) => asList(each, place))
    return (head ?? []).filter((each) => others.every((list) => list.some((item) => isEqual(item, each))))
  }),
  items: shapeFn(1, 1, ([value], { place }) =>
    Object.entries(asObject(value, place))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => ({ key, value: item })),
  ),
  objectKeys: shapeFn(1, 1, ([value], { place }) => Object.keys(asObject(value, place)).sort()),
  min: fn(1, 30, (given, { place }) => Math.min(...numbers(given).map((each) => asNumber(each, place)))),
  max: fn(1, 30, (given, { place }) => Math.max(...numbers(given).map((each) => asNumber(each, place)))),
  map: shapeFn(2, 2, ([list, each], { place }) => {
    const lambda = asLambda(each, place)
    return asList(list, place).map((item, at) => (lambda.arity > 1 ? lambda.call(item, at) : lambda.call(item)))
  }),
  filter: shapeFn(2, 2, ([list, each], { place }) => {
    const lambda = asLambda(each, place)
    return asList(list, place).filter((item, at) => {
      const kept = lambda.call(item, at)
      if (typeof kept !== 'boolean') throw new Refusal(place, `the lambda of filter answers with true or false, not ${kindOf(kept)}`)
      return kept
    })
  }),
  reduce: shapeFn(3, 3, ([list, start = null, each], { place }) => {
    const lambda = asLambda(each, place)
    return asList(list, place).reduce((sum, item) => lambda.call(sum, item), start)
  }),
  sort: shapeFn(2, 2, ([list, each], { place }) => {
    const lambda = asLambda(each, place)
    return [...asList(list, place)].sort((left, right) =>
      lambda.call(left, right) === true ? -1 : lambda.call(right, left) === true ? 1 : 0,
    )
  }),
  toObject: shapeFn(2, 3, ([list, key, value], { place }) => {
    const keyOf = asLambda(key, place)
    const valueOf = value === undefined ? undefined : asLambda(value, place)
    return Object.fromEntries(
      asList(list, place).map((item) => [asText(keyOf.call(item), place), valueOf === undefined ? item : valueOf.call(item)]),
    )
  }),
  mapValues: shapeFn(2, 2, ([value, each], { place }) => {
    const lambda = asLambda(each, place)
    return Object.fromEntries(Object.entries(asObject(value, place)).map(([key, item]) => [key, lambda.call(item)]))
  }),
  shallowMerge: shapeFn(1, 1, ([list], { place }) => Object.assign({}, ...asList(list, place).map((each) => asObject(each, place)))),
  any: shapeFn(1, 1, ([value = null]) => value),
}

/** Merges as ARM does: objects are merged into each other, all other values are replaced. */
function mergeDeep(into: ValueObject, from: ValueObject): ValueObject {
  const merged: Record<string, Value> = { ...into }
  for (const [key, value] of Object.entries(from)) {
    const before = merged[key]
    merged[key] = before !== undefined && isObject(before) && isObject(value) ? mergeDeep(before, value) : value
  }
  return merged
}

const numbers = (given: readonly Value[]): readonly Value[] =>
  given.length === 1 && given[0] !== undefined && isList(given[0]) ? given[0] : given
