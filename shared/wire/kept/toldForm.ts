import { OBJECT_KINDS, type ObjectKind } from '../../model/clusterObjects.ts'
import { isObject } from '../codec.ts'
import { KEPT_PATHS } from './keptPaths.ts'
import { mayKeep } from './mayKeep.ts'
import { createPrune } from './prune.ts'
import type { KeptLists, KindLists } from './told.ts'

/** Lists are at most this deep: the members of a pod are about ten deep. */
const DEEPEST = 40

/**
 * Why a shim cannot follow lists that another program tells: they have not the form that this program knows, or lose the key of an object. Undefined:
 * it can. A later form is refused as a whole, because lists that are followed in part keep too much or too little.
 */
export function wrongInTold(told: unknown): string | undefined {
  if (!isObject(told) || !Number.isSafeInteger(told['number'])) return 'they have no number'
  const kinds = told['kinds']
  if (!isObject(kinds)) return 'they have no kinds'
  const strange = OBJECT_KINDS.find((kind) => kinds[kind] !== undefined && !isKept(kinds[kind], DEEPEST))
  if (strange !== undefined) return `the list of ${strange} has another form`
  const nameless = OBJECT_KINDS.find((kind) => losesKey(kind, kinds as KindLists))
  return nameless === undefined ? undefined : `the list of ${nameless} loses the key of the object`
}

export function isKeptLists(told: unknown): told is KeptLists {
  return wrongInTold(told) === undefined
}

function isKept(value: unknown, deepest: number): boolean {
  if (value === true) return true
  if (deepest === 0) return false
  if (Array.isArray(value)) return value.every((rule: unknown) => isRule(rule, deepest - 1))
  return isObject(value) && Object.values(value).every((inner) => isKept(inner, deepest - 1))
}

function isRule(value: unknown, deepest: number): boolean {
  if (!isObject(value)) return false
  const { where = [], when = [], keep, ...others } = value
  return isNone(others) && [where, when].every((tests) => isListOf(tests, isTest)) && isKept(keep, deepest)
}

function isTest(value: unknown): boolean {
  if (!isObject(value)) return false
  const { at, ...others } = value
  const [[name, scalars] = [], ...more] = Object.entries(others)
  return isListOf(at, isText) && (name === 'is' || name === 'not') && more.length === 0 && isListOf(scalars, isScalar)
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function isNone(members: object): boolean {
  return Object.keys(members).length === 0
}

/** A put names no key: the object has it. */
function losesKey(kind: ObjectKind, kinds: KindLists): boolean {
  const list = kinds[kind]
  if (list === undefined) return false
  const namespace = mayKeep(KEPT_PATHS[kind], ['metadata', 'namespace']) ? { namespace: 'a' } : {}
  const key = { metadata: { name: 'b', ...namespace } }
  const pruned: unknown = createPrune(list)(key)
  const metadata = isObject(pruned) ? pruned['metadata'] : undefined
  return !isObject(metadata) || metadata['name'] !== 'b' || (namespace.namespace !== undefined && metadata['namespace'] !== 'a')
}
