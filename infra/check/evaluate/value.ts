// The values of expressions. Most values are known before anything is deployed. A value that only Azure can tell stays open (`Open`) and holds the
// paths that it reads.
import type { Place } from '../parse/syntax.ts'
import type { Scope } from './scope.ts'

export type ValueObject = { readonly [key: string]: Value }
export type Value = null | boolean | number | string | readonly Value[] | Open | ResourceHandle | ModuleHandle | Lambda | ValueObject
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A property of a resource that is read while the deployment runs, such as `properties.defaultHostName`. */
export type Read = Place & {
  readonly resourceId: string
  readonly type: string
  readonly apiVersion: string
  readonly path: readonly (string | number)[]
}

/** Returns what Azure answers for a read. */
export type Answer = (read: Read) => Json

/** A value that is known once its reads are answered. `text` is for people and for sorting. */
export class Open {
  readonly text: string
  readonly reads: readonly Read[]
  /** Set if the value is exactly one read, so that a member of the value is a read with a longer path. Else undefined. */
  readonly read: Read | undefined
  readonly resolve: (answer: Answer) => Value

  constructor(text: string, reads: readonly Read[], resolve: (answer: Answer) => Value, read?: Read) {
    this.text = text
    this.reads = reads
    this.resolve = resolve
    this.read = read
  }
}

export class Lambda {
  readonly arity: number
  readonly call: (...given: readonly Value[]) => Value

  constructor(arity: number, call: (...given: readonly Value[]) => Value) {
    this.arity = arity
    this.call = call
  }
}

/** What the name of a resource stands for. */
export type ResourceFacts = {
  readonly type: string
  readonly apiVersion: string
  /** The last part of the name, as it is declared. */
  readonly name: string
  /** Includes the names of its parents: `account/default/container`. */
  readonly fullName: string
  readonly id: string
  /** Set if the name depends on other modules. `name`, `fullName` and `id` then hold a stand-in. */
  readonly laterName: Open | undefined
  readonly scope: Scope
  readonly isExisting: boolean
  /** False if its condition does not hold. */
  readonly isDeployed: boolean
  readonly place: Place
}

export class ResourceHandle {
  readonly id: string
  readonly facts: ResourceFacts
  /** Returns the nested resources of this name: one handle, or a list. */
  readonly child: (name: string, place: Place) => Value

  constructor(facts: ResourceFacts, child: (name: string, place: Place) => Value) {
    this.id = facts.id
    this.facts = facts
    this.child = child
  }
}

export class ModuleHandle {
  readonly id: string
  readonly name: string
  readonly isDeployed: boolean
  /** Runs the module, once. Returns its outputs by name. */
  readonly outputs: () => ValueObject
  /** Returns the ids of the resources that the module deploys. Runs the module, too. */
  readonly made: () => readonly string[]

  constructor(id: string, name: string, isDeployed: boolean, outputs: () => ValueObject, made: () => readonly string[]) {
    this.id = id
    this.name = name
    this.isDeployed = isDeployed
    this.outputs = outputs
    this.made = made
  }
}

/** Reports whether the value is a plain object: no handle, no lambda, no open value. */
export function isObject(value: Value): value is ValueObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

export function openRead(read: Read): Open {
  const text = `<${read.resourceId}#${read.path.join('.')}>`
  return new Open(text, [read], (answer) => answer(read), read)
}

/** Returns an open value that is computed from values of which some are open. */
export function openOf(name: string, inputs: readonly Value[], compute: (inputs: readonly Value[]) => Value): Open {
  const text = `<${name}(${inputs.map(describe).join(', ')})>`
  return new Open(text, inputs.flatMap(readsOf), (answer) => settle(compute(inputs.map((input) => settle(input, answer))), answer))
}

/** Returns all reads in a value, however deep. */
export function readsOf(value: Value): readonly Read[] {
  if (value instanceof Open) return value.reads
  if (isList(value)) return value.flatMap(readsOf)
  return isObject(value) ? Object.values(value).flatMap(readsOf) : []
}

export const isOpen = (value: Value): boolean => readsOf(value).length > 0

/** Returns the value with every read answered. */
export function settle(value: Value, answer: Answer): Value {
  if (value instanceof Open) return settle(value.resolve(answer), answer)
  if (isList(value)) return value.map((item) => settle(item, answer))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, settle(item, answer)]))
}

/** Returns the value as JSON. An open value becomes its text. */
export function toJson(value: Value): Json {
  if (value instanceof Open) return value.text
  if (isList(value)) return value.map(toJson)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]))
  if (typeof value === 'object' && value !== null) return describe(value)
  return value
}

export function kindOf(value: Value): string {
  if (value === null) return 'null'
  if (value instanceof Open) return 'a value that is read while the deployment runs'
  if (isList(value)) return 'array'
  if (isObject(value)) return 'object'
  if (typeof value === 'number') return 'int'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return value instanceof Lambda ? 'lambda' : 'resource or module'
}

function describe(value: Value): string {
  if (value instanceof Open) return value.text
  if (isList(value) || isObject(value) || typeof value !== 'object' || value === null)
    return JSON.stringify(value === null ? null : toJson(value))
  return value instanceof Lambda ? 'lambda' : value.id
}

/** Returns the resources that a name stands for: one, or all of a loop. */
export const resourcesIn = (value: Value): readonly ResourceHandle[] =>
  value instanceof ResourceHandle ? [value] : isList(value) ? value.flatMap(resourcesIn) : []

export const modulesIn = (value: Value): readonly ModuleHandle[] =>
  value instanceof ModuleHandle ? [value] : isList(value) ? value.flatMap(modulesIn) : []
