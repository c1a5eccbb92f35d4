import { compileRule } from '../../local/kubernetes/schema/celEnvironment.ts'
import type { RuleEvaluator } from '../../shared/wire/schema/validateManifest.ts'

/** Evaluates the CEL rules of the custom resources without an API server, with Kubernetes' extension functions. */
export const evaluateRule: RuleEvaluator = (rule, { self, oldSelf }) =>
  compileRule(rule)({ self: asCel(self), oldSelf: asCel(oldSelf ?? null) }) === true

/** Converts a value for CEL. Whole numbers become integers, which JavaScript does not distinguish. */
function asCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(asCel)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asCel(member)]))
}
