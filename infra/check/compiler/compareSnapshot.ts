// Compares what the compiler predicts for a set of parameters (`bicep snapshot`) with what our evaluator makes of it.
import type { Evaluation } from '../evaluate/evaluate.ts'
import { isList, isObject, type Json, Open, type Value, type ValueObject } from '../evaluate/value.ts'

type Predicted = { readonly [member: string]: Json }

/** Returns a sentence for each resource that only one of the two has, or that they have with different members. */
export function compareSnapshot({ resources }: Pick<Evaluation, 'resources'>, predicted: readonly Predicted[]): readonly string[] {
  const left = [...predicted]
  const missing = resources.flatMap(({ type, apiVersion, name, laterName, body }) => {
    const isSame = (each: Predicted): boolean =>
      each['type'] === type &&
      each['apiVersion'] === apiVersion &&
      (laterName !== undefined || holds(name, each['name'])) &&
      holds(body, Object.fromEntries(Object.entries(each).filter(([key]) => !OWN.has(key))))
    const at = left.findIndex(isSame)
    if (at >= 0) left.splice(at, 1)
    return at >= 0 ? [] : [`the compiler predicts no ${type} ${name} like ours`]
  })
  return [
    ...missing,
    ...left.map(
      (each) => `the compiler predicts ${JSON.stringify(each['type'])} ${JSON.stringify(each['name'])}, and we make none like it`,
    ),
  ]
}

/** Members of a prediction beside the body. */
const OWN: ReadonlySet<string> = new Set(['id', 'type', 'name', 'apiVersion', 'scope'])

/** What only Azure can tell, the compiler predicts as an expression. Unlike our evaluator, it leaves the cloud and the time to Azure, too. */
const EXPRESSION = /^\[(?!\[).*\b(reference|environment|utcNow)\(/s

/** Reports whether our value is the predicted one. */
function holds(ours: Value, theirs: Json | undefined): boolean {
  const isExpression = typeof theirs === 'string' && EXPRESSION.test(theirs)
  if (ours instanceof Open || (typeof ours === 'string' && isExpression)) return isExpression
  if (isList(ours)) return Array.isArray(theirs) && ours.length === theirs.length && ours.every((each, at) => holds(each, theirs[at]))
  if (isObject(ours)) return isRecord(theirs) && holdsAll(ours, theirs)
  return typeof ours === 'string' ? anonymous(ours) === anonymous(theirs ?? '') : ours === theirs
}

const isRecord = (value: Json | undefined): value is Predicted => typeof value === 'object' && value !== null && !Array.isArray(value)

function holdsAll(ours: ValueObject, theirs: Predicted): boolean {
  const own = Object.entries(ours).filter(([, value]) => value !== null)
  // A key may be an id.
  const byId = new Map(Object.entries(theirs).map(([key, value]) => [anonymous(key), value]))
  const count = Object.values(theirs).filter((value) => value !== null).length
  return own.length === count && own.every(([key, value]) => holds(value, theirs[key] ?? byId.get(anonymous(key))))
}

/** Replaces the results of `uniqueString` and `guid`. The evaluator computes other values than the compiler. */
function anonymous(value: Json): Json {
  if (typeof value !== 'string') return value
  return value
    .toLowerCase()
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<guid>')
    .replaceAll(/(?<![a-z0-9])(joiner-|stjoiner)?[a-z2-7]{13}(-[a-z2-7]{6})?(?![a-z0-9])/g, '<unique>')
}
