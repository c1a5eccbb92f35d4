import { err, ok, type Result } from '../../base/result.ts'
import { ownValue } from '../../base/values.ts'
import { unknownText } from '../../model/inWords.ts'
import type { NodeSelectorTerm } from '../../model/pod.ts'
import { type Problem, type ProblemCode, problem } from '../../model/problem.ts'
import { resourceAmount } from '../../model/quantity.ts'
import type { Operator, RequirementSpec } from '../../model/requirements.ts'
import type { Resources } from '../../model/resources.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { type Finding, isObject, NO_ITEMS, fail as note, prepend, type Trail } from '../codec.ts'
import { NO_LABELS } from '../objects/shared.ts'

/**
 * A reader of Kubernetes JSON. It returns a value of its type even if the input is wrong, and records the failure in the trail. So the code that
 * builds an object needs no check after each member.
 */
export type KubeRead<Value> = (json: unknown, trail: Trail) => Value

export type KubeObject = Readonly<Record<string, unknown>>

const NOTHING: KubeObject = Object.freeze({})

/** Runs a reader on a whole object. A problem names the object, the field and the rule. */
export function readKube<Value>(
  read: KubeRead<Value>,
  json: unknown,
  subject: { kind: string; code: ProblemCode },
): Result<Value, Problem> {
  const trail: Trail = { failure: undefined }
  const value = read(json, trail)
  if (!trail.failure) return ok(value)
  const { rule } = trail.failure
  const path = pathOf(json, trail.failure)
  const object = `${subject.kind.toLowerCase()}/${kubeKey(json)}`
  const message = path === '' ? `${object}: ${rule}` : `${object}: ${path} ${rule}`
  return err(problem(subject.code, message, { object, ...(path === '' ? {} : { path }) }))
}

/** Returns `name` or `namespace/name`, as far as the object has them. */
function kubeKey(json: unknown): string {
  const metadata = isObject(json) ? json['metadata'] : undefined
  const { name, namespace } = isObject(metadata) ? metadata : NOTHING
  const shown = typeof name === 'string' ? name : '?'
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${shown}` : shown
}

export const text: KubeRead<string> = (json, trail) => (typeof json === 'string' ? json : fail(trail, 'must be a text', ''))
export const integer: KubeRead<number> = (json, trail) => (Number.isSafeInteger(json) ? Number(json) : fail(trail, 'must be an integer', 0))
export const flag: KubeRead<boolean> = (json, trail) => (typeof json === 'boolean' ? json : fail(trail, 'must be true or false', false))
export const object: KubeRead<KubeObject> = (json, trail) => (isObject(json) ? json : fail(trail, 'must be an object', NOTHING))

export const instant: KubeRead<EpochMs> = (json, trail) => {
  const ms = typeof json === 'string' ? Date.parse(json) : Number.NaN
  return Number.isSafeInteger(ms) ? epochMs(ms) : fail(trail, 'must be a time as in 2026-01-31T12:00:00Z', epochMs(0))
}

export function oneOf<const Values extends readonly [string, ...string[]]>(...values: Values): KubeRead<Values[number]> {
  return (json, trail) => {
    const found = values.find((value) => value === json)
    return found ?? fail(trail, `must be one of ${values.join(', ')}`, values[0])
  }
}

/**
 * One of the values. Another text is read as `instead` and noted in the trail: a later version of the resource may have more values, and the rest of
 * the object is read all the same. The holder of the object must not act on the part.
 */
export function knownOr<const Instead, const Values extends readonly string[]>(
  instead: Instead,
  ...values: Values
): KubeRead<Values[number] | Instead> {
  return (json, trail) => {
    const found = values.find((value) => value === json)
    if (found !== undefined) return found
    if (typeof json !== 'string') return fail(trail, `must be one of ${values.join(', ')}`, instead)
    trail.unknown ??= []
    trail.unknown.push({ path: '', rule: unknownText([json], values) })
    return instead
  }
}

/** The values of later versions in the object, each with its place, as many as a condition can tell. Empty if there are none. */
export function unknownValues(root: unknown, { unknown }: Trail): { readonly unknownValues?: readonly string[] } {
  if (unknown === undefined) return {}
  const told = unknown.slice(0, MOST_TOLD).map((each) => `${pathOf(root, each)}: ${each.rule}`)
  return { unknownValues: unknown.length > MOST_TOLD ? [...told, `${unknown.length - MOST_TOLD} more values are not known`] : told }
}

const MOST_TOLD = 10

export function listOf<Item>(item: KubeRead<Item>): KubeRead<readonly Item[]> {
  return (json, trail) => {
    if (!Array.isArray(json)) return fail(trail, 'must be a list', [])
    return json.map((value: unknown, index) => under(trail, `[${index}]`, () => item(value, trail)))
  }
}

/** Reads a dictionary. `keep` drops keys that no decision depends on. */
export function mapOf<Item>(item: KubeRead<Item>, keep?: (key: string) => boolean): KubeRead<{ readonly [key: string]: Item }> {
  return (json, trail) => {
    const source = object(json, trail)
    const keys = Object.keys(source)
    const kept = keep ? keys.filter(keep) : keys
    if (kept.length === 0) return NO_LABELS as { readonly [key: string]: Item }
    return Object.fromEntries(kept.map((key) => [key, under(trail, `["${key}"]`, () => item(ownValue(source, key), trail))]))
  }
}

/** Reads an optional member. Kubernetes writes some missing members as null. */
export function maybe<Value>(json: KubeObject, name: string, read: KubeRead<Value>, trail: Trail): Value | undefined {
  const member = ownValue(json, name) ?? undefined
  return member === undefined ? undefined : readMember(json, name, read, trail)
}

/** Reads a required member. */
export function need<Value>(json: KubeObject, name: string, read: KubeRead<Value>, trail: Trail): Value {
  const before = trail.failure
  if ((ownValue(json, name) ?? undefined) === undefined) note(trail, 'is missing')
  if (!before) place(trail.failure, json, name)
  return readMember(json, name, read, trail)
}

export function items<Item>(json: KubeObject, name: string, item: KubeRead<Item>, trail: Trail): readonly Item[] {
  const list = maybe(json, name, listOf(item), trail)
  return list === undefined || list.length === 0 ? NO_ITEMS : list
}

export const resources: KubeRead<Resources> = (json, trail) => {
  const source = object(json, trail)
  const names = Object.keys(source)
  return Object.fromEntries(names.map((name) => [name, under(trail, `["${name}"]`, () => amount(name, ownValue(source, name), trail))]))
}

/** The amounts, and the names and rules of those that are no quantities. These are 0. */
export const quantities: KubeRead<{
  readonly amounts: Resources
  readonly unreadable: readonly (readonly [name: string, why: string])[]
}> = (json, trail) => {
  const source = object(json, trail)
  const unreadable: (readonly [name: string, why: string])[] = []
  const read = (name: string): number => {
    const value = ownValue(source, name)
    const parsed = typeof value === 'string' ? resourceAmount(name, value) : undefined
    if (parsed === undefined || parsed.ok) return amount(name, value, trail)
    unreadable.push([name, parsed.error.message])
    return 0
  }
  const amounts = Object.fromEntries(Object.keys(source).map((name) => [name, under(trail, `["${name}"]`, () => read(name))]))
  return { amounts, unreadable }
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'] as const
const operator: KubeRead<Operator> = oneOf(...OPERATORS)

export const requirementSpec: KubeRead<RequirementSpec> = (json, trail) => {
  const source = object(json, trail)
  const minValues = maybe(source, 'minValues', integer, trail)
  return {
    key: need(source, 'key', text, trail),
    operator: need(source, 'operator', operator, trail),
    values: items(source, 'values', text, trail),
    ...(minValues === undefined ? {} : { minValues }),
  }
}

const knownOperator = knownOr(undefined, ...OPERATORS)

/** The requirements of a custom resource. One with the operator of a later version is left out and noted. */
export function requirements(json: KubeObject, trail: Trail): readonly RequirementSpec[] {
  const all = items(json, 'requirements', knownRequirement, trail).filter((each) => each !== undefined)
  return all.length === 0 ? NO_ITEMS : all
}

const knownRequirement: KubeRead<RequirementSpec | undefined> = (json, trail) => {
  const noted = trail.unknown?.length
  const operator = need(object(json, trail), 'operator', knownOperator, trail)
  return operator === undefined && trail.unknown?.length !== noted ? undefined : requirementSpec(json, trail)
}

export const selectorTerm: KubeRead<NodeSelectorTerm> = (json, trail) => {
  const source = object(json, trail)
  return {
    matchExpressions: items(source, 'matchExpressions', requirementSpec, trail),
    matchFields: items(source, 'matchFields', requirementSpec, trail),
  }
}

export function fail<Value>(trail: Trail, rule: string, instead: Value): Value {
  note(trail, rule)
  return instead
}

function readMember<Value>(json: KubeObject, name: string, read: KubeRead<Value>, trail: Trail): Value {
  const { failure: before, unknown } = trail
  const noted = unknown?.length
  const value = read(ownValue(json, name), trail)
  if (!before) place(trail.failure, json, name)
  if (trail.unknown?.length !== noted) for (const each of trail.unknown ?? []) place(each, json, name)
  return value
}

/** Reads an item of a list or a dictionary. The step becomes part of the path, until the member that holds the list or dictionary sets the base. */
function under<Value>(trail: Trail, step: string, read: () => Value): Value {
  const before = trail.failure
  const value = read()
  // The failure of an earlier item has its path already.
  if (!before && trail.failure && !trail.failure.base) prepend(trail.failure, step)
  return value
}

/** Ties a new finding to the object whose member it is about. The position of that object in the document is computed only for the message. */
function place(finding: Finding | undefined, json: KubeObject, name: string): void {
  if (finding === undefined || finding.base) return
  prepend(finding, name)
  finding.base = json
}

function pathOf(root: unknown, { path, base }: Finding): string {
  const before = base ? pathTo(root, base) : undefined
  return before ? `${before}.${path}` : path
}

/** Returns the path of an object in the document. */
function pathTo(json: unknown, wanted: object): string | undefined {
  if (json === wanted) return ''
  if (typeof json !== 'object' || json === null) return undefined
  const isList = Array.isArray(json)
  for (const [key, member] of Object.entries(json)) {
    const below = pathTo(member, wanted)
    if (below === undefined) continue
    const step = isList ? `[${key}]` : key
    return below === '' ? step : below.startsWith('[') ? `${step}${below}` : `${step}.${below}`
  }
  return undefined
}

function amount(name: string, json: unknown, trail: Trail): number {
  if (typeof json !== 'string' && typeof json !== 'number') return fail(trail, 'must be a quantity', 0)
  const parsed = resourceAmount(name, json)
  return parsed.ok ? parsed.value : fail(trail, `is no quantity (${parsed.error.message})`, 0)
}
