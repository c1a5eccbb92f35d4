// Runs a template as far as that is possible without Azure: parameters in, concrete resources out.
//
//   const evaluator = await createEvaluator((path) => readFileSync(join(root, path), 'utf8'))
//   const result = evaluator.evaluate('infra/main.bicep', parameters)
//   for (const { id, type, body } of result.resources) put(id, settle(body, answer))   // in the order in which Azure may make them
//
// A value that only Azure can tell is an `Open` value. `settle(value, answer)` fills in what a local ARM answers for each read, and `toJson` prints.
import { parseFile } from '../parse/parseFile.ts'
import { type BicepFile, Refusal } from '../parse/syntax.ts'
import { createTokenReader } from '../parse/tokens.ts'
import type { DeploymentContext } from './frame.ts'
import { inOrder } from './order.ts'
import type { Scope } from './scope.ts'
import { groupScope, subscriptionScope } from './scopes.ts'
import { attempt, type EvaluatedResource, type ExpectedResource, type Finding, type Session } from './session.ts'
import { checkParameters, createTemplate, runTemplate } from './template.ts'
import { type Read, readsOf, type ValueObject } from './value.ts'

export type Evaluation = {
  /** In an order in which they can be deployed. */
  readonly resources: readonly EvaluatedResource[]
  /** The `existing` resources: the template expects them to be there. */
  readonly expected: readonly ExpectedResource[]
  readonly outputs: ValueObject
  /** All reads in resources and outputs. */
  readonly reads: readonly Read[]
  /** What is wrong with the template or the parameters. If there are findings, the other fields are incomplete. */
  readonly findings: readonly Finding[]
}

export type Evaluator = {
  /** `main` is a path for `readText`. `group` is the resource group's name, if the main file is for a resource group. */
  readonly evaluate: (
    main: string,
    parameters: ValueObject,
    options?: { readonly deploymentContext?: Partial<DeploymentContext>; readonly group?: string },
  ) => Evaluation
  /** Returns the syntax of a file. Throws `Refusal`. */
  readonly parse: (path: string) => BicepFile
}

export const DEPLOYMENT_CONTEXT: DeploymentContext = {
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
  location: 'westeurope',
  deployerObjectId: '00000000-0000-4000-8000-000000000003',
  cloud: 'AzureCloud',
  now: '2026-01-01T00:00:00Z',
}

/** Creates an evaluator. `readText` returns the text of a file by its path, or undefined if there is no such file. Each file is parsed once. */
export async function createEvaluator(readText: (path: string) => string | undefined): Promise<Evaluator> {
  const readTokens = await createTokenReader()
  const files = new Map<string, BicepFile>()
  const load: Session['load'] = (path, place) => {
    const known = files.get(path)
    if (known !== undefined) return known
    const text = readText(path)
    if (text === undefined) throw new Refusal(place, `there is no file ${path}`)
    const file = parseFile(readTokens, path, text)
    files.set(path, file)
    return file
  }
  return {
    parse: (path) => load(path, { file: path, line: 1 }),
    evaluate: (main, parameters, { deploymentContext = {}, group } = {}) => {
      const session: Session = {
        deploymentContext: { ...DEPLOYMENT_CONTEXT, ...deploymentContext },
        load,
        readText,
        resources: [],
        expected: [],
        reads: [],
        findings: [],
      }
      let outputs: ValueObject = {}
      attempt(session, () => {
        const file = load(main, { file: main, line: 1 })
        const scope = scopeOfMain(session, file, group)
        const template = createTemplate({ file, session, scope, deploymentName: '', parameters, after: [] })
        checkParameters(template, parameters)
        // Azure deploys nothing if it refuses the parameters.
        if (session.findings.length === 0) outputs = runTemplate(template)
      })
      const { resources, expected, findings } = session
      const reads = [...session.reads, ...resources.flatMap(({ body }) => readsOf(body))]
      return { resources: inOrder(resources), expected, outputs, reads, findings }
    },
  }
}

function scopeOfMain({ deploymentContext }: Session, file: BicepFile, group: string | undefined): Scope {
  if (file.targetScope === 'subscription') return subscriptionScope(deploymentContext.subscriptionId)
  if (file.targetScope !== 'resourceGroup')
    throw new Refusal({ file: file.path, line: 1 }, `the scope ${file.targetScope} is not supported`)
  return groupScope(deploymentContext.subscriptionId, group ?? 'rg-main')
}
