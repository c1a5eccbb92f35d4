import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthLevel } from '../app/hostFunction.ts'

export type HostKeys = {
  /** Opens everything. */
  readonly master: string
  /** The host's `default` key: opens every function at level function. */
  readonly host: string
  /** `eventgrid_extension`: opens the Event Grid webhook. */
  readonly system: string
  /** By function name: opens that function at level function. */
  readonly functions: { readonly [name: string]: string }
}

/** The given keys, with new random ones for those missing. */
export function completeKeys(given: Partial<HostKeys>, functionNames: readonly string[]): HostKeys {
  const functions = functionNames.map((name) => [name, given.functions?.[name] ?? randomKey()])
  return {
    master: given.master ?? randomKey(),
    host: given.host ?? randomKey(),
    system: given.system ?? randomKey(),
    functions: Object.fromEntries(functions),
  }
}

/** Whether the key opens a function of the level. */
export function opensFunction(keys: HostKeys, name: string, level: AuthLevel, key: string | undefined): boolean {
  if (level === 'anonymous' || isKey(key, keys.master)) return true
  return level === 'function' && (isKey(key, keys.host) || isKey(key, keys.functions[name]))
}

export function isKey(given: string | undefined, key: string | undefined): boolean {
  if (given === undefined || key === undefined) return false
  const [one, other] = [Buffer.from(given), Buffer.from(key)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** From the header, else from the query. */
export function keyOf(header: string | string[] | undefined, query: URLSearchParams): string | undefined {
  return typeof header === 'string' ? header : (query.get('code') ?? undefined)
}

function randomKey(): string {
  return randomBytes(30).toString('base64url')
}
