// What a rule is given, and what it answers.
import type { Evaluation } from '../evaluate/evaluate.ts'
import type { Finding } from '../evaluate/session.ts'
import type { BicepFile } from '../parse/syntax.ts'

/** A template that azd deploys, with its evaluation for each set of parameters. */
export type Layer = { readonly main: BicepFile; readonly evaluations: readonly Evaluation[] }

export type Checked = {
  /** Every Bicep file under `infra`. */
  readonly files: readonly BicepFile[]
  readonly layers: readonly Layer[]
  /** Text of a file of the repository; undefined if there is none. */
  readonly readText: (path: string) => string | undefined
  /** Azure's built-in roles, where that list is at hand. */
  readonly roles: RoleTable | undefined
}

/** Name and actions of each built-in role, by its id. */
export type RoleTable = ReadonlyMap<string, { readonly name: string; readonly actions: readonly string[] }>

/** `name` is that of Azure's linter where it has the rule. */
export type Rule = { readonly name: string; readonly check: (checked: Checked) => readonly Finding[] }

export const finding = (rule: string, { file, line }: { readonly file: string; readonly line: number }, message: string): Finding => ({
  file,
  line,
  rule,
  message,
})
