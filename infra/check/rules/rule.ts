// The input and the result of a rule.
import type { Evaluation } from '../evaluate/evaluate.ts'
import type { Finding } from '../evaluate/session.ts'
import { isObject, type Value } from '../evaluate/value.ts'
import type { BicepFile } from '../parse/syntax.ts'
import type { TypeIndex } from '../types/typeIndex.ts'

/** A template that azd deploys, with its evaluation for each set of parameters. */
export type Layer = { readonly main: BicepFile; readonly evaluations: readonly Evaluation[] }

export type Checked = {
  /** Every Bicep file under `infra`. */
  readonly files: readonly BicepFile[]
  readonly layers: readonly Layer[]
  /** Returns the text of a file of the repository. Undefined if there is none. */
  readonly readText: (path: string) => string | undefined
  /** Azure's built-in roles. Undefined if the public data is absent. */
  readonly roles: RoleTable | undefined
  /** Azure's types. Undefined if the public data is absent. */
  readonly index: TypeIndex | undefined
}

/** Name and actions of each built-in role, by its id. */
export type RoleTable = ReadonlyMap<string, { readonly name: string; readonly actions: readonly string[] }>

/** A rule. `name` is the name of Azure's linter where the linter has the same rule. */
export type Rule = { readonly name: string; readonly check: (checked: Checked) => readonly Finding[] }

export const finding = (rule: string, { file, line }: { readonly file: string; readonly line: number }, message: string): Finding => ({
  file,
  line,
  rule,
  message,
})

export type Resource = Evaluation['resources'][number]

/** Creates a rule about each resource of each evaluation. `say` returns what is wrong with a resource, one sentence each. */
export function resourceRule(name: string, say: (resource: Resource) => readonly string[]): Rule {
  return {
    name,
    check: ({ layers }) =>
      layers.flatMap(({ evaluations }) =>
        evaluations.flatMap(({ resources }) =>
          resources.flatMap((resource) =>
            say(resource).map((message) => finding(name, resource, `${resource.type} ${resource.name}: ${message}`)),
          ),
        ),
      ),
  }
}

/** Returns the value at a path in the body of a resource. Null if the path does not exist. */
export function at(resource: Resource, path: string): Value {
  let value: Value = resource.body
  for (const key of path.split('.')) value = isObject(value) ? (value[key] ?? null) : null
  return value
}
