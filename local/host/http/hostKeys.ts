import { randomBytes, timingSafeEqual } from 'node:crypto'
import { parsedJson } from '../../../shared/base/json.ts'
import { ownValue } from '../../../shared/base/values.ts'
import type { AuthLevel } from '../app/hostFunction.ts'
import { HostError } from '../base/hostError.ts'

export type HostKeys = {
  /** Gives access to everything. */
  readonly master: string
  /** The host's `default` key. Gives access to all functions of level `function`. */
  readonly host: string
  /** `eventgrid_extension`. Gives access to the Event Grid webhook. */
  readonly system: string
  /** By function name. Each gives access to its function if its level is `function`. */
  readonly functions: { readonly [name: string]: string }
}

/** Reads keys that a parent process gives as JSON. */
export function readKeys(text: string): Partial<HostKeys> {
  const value = parsedJson(text)
  if (typeof value !== 'object' || value === null)
    throw new HostError('--keys must be a JSON object with master, host, system and functions')
  return value // its members are strings by contract with the parent process
}

/** Returns the given keys, with new random keys for those that are missing. */
export function completeKeys(given: Partial<HostKeys>, functionNames: readonly string[]): HostKeys {
  const functions = functionNames.map((name) => [name, ownValue(given.functions, name) ?? randomKey()])
  return {
    master: given.master ?? randomKey(),
    host: given.host ?? randomKey(),
    system: given.system ?? randomKey(),
    functions: Object.fromEntries(functions),
  }
}

/** Reports whether the key gives access to a function of the level. */
export function opensFunction(keys: HostKeys, name: string, level: AuthLevel, key: string | undefined): boolean {
  if (level === 'anonymous' || isKey(key, keys.master)) return true
  return level === 'function' && (isKey(key, keys.host) || isKey(key, ownValue(keys.functions, name)))
}

export function isKey(given: string | undefined, key: string | undefined): boolean {
  if (given === undefined || key === undefined) return false
  const [one, other] = [Buffer.from(given), Buffer.from(key)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Returns the key in the header, or else in the query. */
export function keyOfRequest(header: string | string[] | undefined, query: URLSearchParams): string | undefined {
  return typeof header === 'string' ? header : (query.get('code') ?? undefined)
}

function randomKey(): string {
  return randomBytes(30).toString('base64url')
}
