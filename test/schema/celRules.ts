import { Environment } from '@marcbachmann/cel-js'
import type { RuleEvaluator } from '../../shared/wire/schema/validateManifest.ts'

/** Evaluates rules of the custom resources with a Common Expression Language engine, where there is no API server. */
export const evaluateRule: RuleEvaluator = (rule, { self, oldSelf }) =>
  environment.evaluate(rule, { self: asCel(self), oldSelf: asCel(oldSelf ?? null) }) === true

const environment = new Environment().registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn')

/** Whole numbers are integers there, which JavaScript does not tell from others. */
export function asCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(asCel)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asCel(member)]))
}
