// The whole check of the templates: parse them, evaluate them with every set of parameters, compare them with Azure's types, apply the rules.
import { heed } from './directives.ts'
import { createEvaluator, type Evaluation } from './evaluate/evaluate.ts'
import type { Finding } from './evaluate/session.ts'
import type { ParameterSet } from './parameterSets.ts'
import { type BicepFile, Refusal } from './parse/syntax.ts'
import { RULES } from './rules/all.ts'
import { checkAzureFiles } from './rules/azureFiles.ts'
import { checkAzureYaml } from './rules/azureYaml.ts'
import type { Layer, RoleTable } from './rules/rule.ts'
import { checkTypes } from './types/checkTypes.ts'
import type { TypeIndex } from './types/typeIndex.ts'

export type Sources = {
  /** Paths of all Bicep files, relative to the repository. */
  readonly files: readonly string[]
  readonly layers: readonly { readonly main: string; readonly sets: readonly ParameterSet[] }[]
  readonly readText: (path: string) => string | undefined
  /** Reports whether the path is a file or folder of the repository. */
  readonly isThere: (path: string) => boolean
  /** Undefined if the public data is absent. Then the types are not checked. */
  readonly index: TypeIndex | undefined
  readonly roles: RoleTable | undefined
  /** The schema of azure.yaml. */
  readonly schema: unknown
}

export type Outcome = { readonly findings: readonly Finding[]; readonly evaluations: readonly Evaluation[] }

/** Returns all findings, each once, sorted by file and line. */
export async function checkInfra({ files, layers, readText, isThere, index, roles, schema }: Sources): Promise<Outcome> {
  const evaluator = await createEvaluator(readText)
  const findings: Finding[] = []
  const parsed = files.flatMap((path): readonly BicepFile[] => {
    try {
      return [evaluator.parse(path)]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      findings.push({ ...error.place, rule: 'parse', message: error.message })
      return []
    }
  })
  const run: Layer[] = []
  for (const { main, sets } of layers) {
    const file = parsed.find((each) => each.path === main)
    if (file === undefined) continue
    const evaluations = sets.map(({ name, parameters, deploymentContext = {} }) => {
      const evaluation = evaluator.evaluate(main, parameters, {
        deploymentContext,
      })
      findings.push(...evaluation.findings.map((each) => ({ ...each, message: `${each.message} (parameters: ${name})` })))
      return evaluation
    })
    if (index !== undefined) findings.push(...evaluations.flatMap((evaluation) => checkTypes(evaluation, index)))
    run.push({ main: file, evaluations })
  }
  const checked = { files: parsed, layers: run, readText, roles, index }
  findings.push(...RULES.flatMap((rule) => rule.check(checked)))
  const azureYaml = readText('azure.yaml')
  if (azureYaml !== undefined && schema !== undefined) findings.push(...checkAzureYaml(azureYaml, schema))
  if (azureYaml !== undefined) findings.push(...checkAzureFiles(azureYaml, isThere))
  return { findings: once(heed(findings, files, readText)), evaluations: run.flatMap(({ evaluations }) => evaluations) }
}

function once(findings: readonly Finding[]): readonly Finding[] {
  const byText = new Map(
    findings.map((each) => [`${each.file}:${each.line} ${each.rule} ${each.message.replace(/ \(parameters: .*\)$/, '')}`, each]),
  )
  return [...byText.values()].sort((left, right) => (left.file === right.file ? left.line - right.line : left.file < right.file ? -1 : 1))
}
