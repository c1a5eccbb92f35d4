import type { z } from 'zod'
import { ownValue } from '../../base/values.ts'
import { type Problem, type ProblemCode, problem } from '../../model/problem.ts'
import { isObject } from '../codec.ts'
import { RESOURCE_DEFINITIONS } from './definitions.ts'
import type { ValidationRule } from './parts.ts'
import { type StructuralSchema, structuralSchema } from './structuralSchema.ts'

/**
 * Evaluates one rule. The caller provides the CEL engine: no shipped program needs one, since the API server evaluates the rules itself. Throws if
 * the rule cannot be evaluated. The object is then refused, as by the API server.
 */
export type RuleEvaluator = (rule: string, variables: { readonly self: unknown; readonly oldSelf?: unknown }) => boolean

export type ValidateManifest = (kind: string, apiVersion: string, json: unknown, old?: unknown) => readonly Problem[]

/** Returns a function that validates custom resources as the API server does: first against the schema, then against the rules. */
export function createManifestValidator(evaluate: RuleEvaluator): ValidateManifest {
  const structures = new Map<z.ZodType, StructuralSchema>()
  return (kind, apiVersion, json, old) => {
    const schema = schemaOf(kind, apiVersion)
    const object = `${kind.toLowerCase()}/${nameOf(json)}`
    const code = ownValue(CODES, kind) ?? 'INPUT.INVALID'
    if (!schema) return [problem(code, `${object}: there is no ${kind} of ${apiVersion}`, { object, path: 'apiVersion' })]
    const parsed = schema.safeParse(withoutNulls(json))
    if (!parsed.success) return parsed.error.issues.map((issue) => fromIssue(issue, { object, code }))
    const structure = structures.get(schema) ?? structuralSchema(schema)
    structures.set(schema, structure)
    const before = old === undefined ? undefined : schema.safeParse(withoutNulls(old)).data
    const found: Problem[] = []
    checkRules(structure, { self: parsed.data, oldSelf: before }, '', (path, message) =>
      found.push(problem(code, `${object}: ${path}: ${message}`, { object, path })),
    )
    return found

    function checkRules(node: StructuralSchema, value: Versions, path: string, report: Report): void {
      for (const { rule, message } of rulesOf(node)) {
        if (value.oldSelf === undefined && rule.includes('oldSelf')) continue
        if (!holds(evaluate, rule, value)) report(path, message)
      }
      for (const below of partsOf(node, value, path)) checkRules(below.node, below.value, below.path, report)
    }
  }
}

/** Removes null members, as the API server does for members that are not nullable. No member here is nullable. Null items of lists stay. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}

type Versions = { readonly self: unknown; readonly oldSelf?: unknown }
type Report = (path: string, message: string) => void
type Part = { readonly node: StructuralSchema; readonly value: Versions; readonly path: string }

const CODES: { readonly [kind: string]: ProblemCode } = { NodePool: 'POOL.INVALID', AKSNodeClass: 'NODECLASS.INVALID' }

function schemaOf(kind: string, apiVersion: string): z.ZodType | undefined {
  const definition = RESOURCE_DEFINITIONS.find((one) => one.kind === kind && apiVersion.startsWith(`${one.group}/`))
  return definition?.versions.find(({ name }) => apiVersion === `${definition.group}/${name}`)?.schema
}

function holds(evaluate: RuleEvaluator, rule: string, value: Versions): boolean {
  try {
    return evaluate(rule, value)
  } catch {
    return false
  }
}

function rulesOf(node: StructuralSchema): readonly ValidationRule[] {
  return (node['x-kubernetes-validations'] as readonly ValidationRule[] | undefined) ?? []
}

/** Returns the parts of a value that the schema describes. An item of a list has no earlier version. */
function partsOf(node: StructuralSchema, { self, oldSelf }: Versions, path: string): readonly Part[] {
  if (Array.isArray(self)) {
    const items = node['items'] as StructuralSchema | undefined
    return items ? self.map((item: unknown, index) => ({ node: items, value: { self: item }, path: `${path}[${index}]` })) : []
  }
  if (!isObject(self)) return []
  const properties = (node['properties'] as { readonly [name: string]: StructuralSchema } | undefined) ?? {}
  const before = isObject(oldSelf) ? oldSelf : {}
  return Object.entries(properties)
    .filter(([name]) => ownValue(self, name) !== undefined)
    .map(([name, schema]) => ({
      node: schema,
      value: { self: ownValue(self, name), oldSelf: ownValue(before, name) },
      path: path === '' ? name : `${path}.${name}`,
    }))
}

function fromIssue(issue: z.core.$ZodIssue, { object, code }: { readonly object: string; readonly code: ProblemCode }): Problem {
  const path = issue.path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`),
    '',
  )
  const rule = issue.message.charAt(0).toLowerCase() + issue.message.slice(1)
  return problem(code, `${object}: ${path}: ${rule}`, { object, path })
}

function nameOf(json: unknown): string {
  const metadata = isObject(json) ? json['metadata'] : undefined
  const name = isObject(metadata) ? metadata['name'] : undefined
  return typeof name === 'string' ? name : '?'
}
