import { ownValue, setOwnValue } from '../../base/values.ts'
import { isObject } from '../codec.ts'
import type { Kept, KeptMembers, KeptRule, Test } from './kept.ts'

/** Returns what is kept of an object. */
export type Prune = (object: unknown) => unknown

/** Returns what is kept of a value, or undefined for nothing. `root` is the whole object. */
type Pruner = (value: unknown, root: unknown) => unknown

/** Prepares the list, so that each object costs little. */
export function createPrune(kept: Kept): Prune {
  const prune = prunerOf(kept)
  return (object) => prune(object, object)
}

function prunerOf(kept: Kept): Pruner {
  if (kept === true) return (value) => value
  return isRules(kept) ? byRules(kept) : byMembers(kept)
}

export function isRules(kept: Kept): kept is readonly KeptRule[] {
  return Array.isArray(kept)
}

/** Of a scalar in the place of an object nothing stays but whether it is empty. Null is as good as nothing. */
function byMembers(kept: KeptMembers): Pruner {
  const takers = takersOf(kept)
  const prune: Pruner = (value, root) => {
    if (Array.isArray(value)) return value.map((item: unknown) => prune(item, root))
    if (!isObject(value)) return value === null || value === undefined ? value : Boolean(value)
    const result: Record<string, unknown> = {}
    for (const take of takers) take(value, result, root)
    return result
  }
  return prune
}

type Taker = (source: Record<string, unknown>, result: Record<string, unknown>, root: unknown) => void

function takersOf(kept: KeptMembers): readonly Taker[] {
  const names = Object.entries(kept).map(([name, inner]) => ({ name, prune: prunerOf(inner) }))
  const named = new Set(names.filter(({ name }) => !name.endsWith('*')).map(({ name }) => name))
  return names.map(({ name, prune }): Taker => {
    if (named.has(name)) return (source, result, root) => put(result, name, prune(ownValue(source, name), root))
    const prefix = name.slice(0, -1)
    return (source, result, root) => {
      for (const other of Object.keys(source)) {
        if (other.startsWith(prefix) && !named.has(other)) put(result, other, prune(ownValue(source, other), root))
      }
    }
  })
}

function put(result: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) setOwnValue(result, name, value)
}

function byRules(rules: readonly KeptRule[]): Pruner {
  const ready = rules.map(({ where = [], when = [], keep }) => ({ where, when, prune: prunerOf(keep) }))
  const pruneOne: Pruner = (value, root) => {
    const rule = ready.find(({ where, when }) => where.every((test) => holds(test, value)) && when.every((test) => holds(test, root)))
    return rule?.prune(value, root)
  }
  return (value, root) => {
    if (!Array.isArray(value)) return pruneOne(value, root)
    const items: readonly unknown[] = value
    const kept = items.map((item) => pruneOne(item, root)).filter((item) => item !== undefined)
    return kept.length === 0 ? undefined : kept
  }
}

function holds(test: Test, value: unknown): boolean {
  const values: readonly unknown[] = valuesAt(value, test.at, 0)
  if ('is' in test) return test.is.some((wanted) => values.includes(wanted))
  return !test.not.some((other) => values.includes(other))
}

function valuesAt(value: unknown, path: readonly string[], from: number): readonly unknown[] {
  if (Array.isArray(value)) {
    const found = value.flatMap((item: unknown) => valuesAt(item, path, from))
    return found.length === 0 ? [null] : found
  }
  const name = path[from]
  if (name === undefined) return [value ?? null]
  return isObject(value) ? valuesAt(ownValue(value, name), path, from + 1) : [null]
}
