import { compileRule } from '../../local/kubernetes/schema/celEnvironment.ts'
import type { RuleEvaluator } from '../../shared/wire/schema/validateManifest.ts'

/** Evaluates rules of the custom resources where there is no API server, with Kubernetes' functions known to the language. */
export const evaluateRule: RuleEvaluator = (rule, { self, oldSelf }) =>
  compileRule(rule)({ self: asCel(self), oldSelf: asCel(oldSelf ?? null) }) === true

/** Whole numbers are integers there, which JavaScript does not tell from others. */
function asCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(asCel)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asCel(member)]))
}
