// Deploys what azd sends to ARM. The template that this repository prints without Bicep names its source, which is evaluated.
import type { Evaluator } from '../../../infra/check/evaluate/evaluate.ts'
import type { DeploymentContext } from '../../../infra/check/evaluate/frame.ts'
import type { Json } from '../../../infra/check/evaluate/value.ts'
import type { TemplateEngine, TemplateOrder } from '../../../local/azure/arm/deploymentRecord.ts'
import { listAt, textAt } from '../../../local/azure/json.ts'
import type { ArmCaller } from '../armCaller.ts'
import { deployTemplate, objectOf } from '../deployTemplate.ts'

type Engine = {
  readonly evaluator: Evaluator
  /** Calls ARM with the rights of the one that deploys. */
  readonly arm: ArmCaller
  readonly context: Omit<DeploymentContext, 'location' | 'now' | 'cloud' | 'deployerObjectId'>
}

export function createTemplateEngine({ evaluator, arm, context }: Engine): TemplateEngine {
  const contextOf = ({ location, principalId }: TemplateOrder) => ({
    ...context,
    location,
    deployerObjectId: principalId,
    now: new Date().toISOString(),
  })
  return {
    async validate(order) {
      const main = sourceOf(order)
      if (main === undefined) return undefined
      const { findings } = evaluator.evaluate(main, parametersOf(order), { deploymentContext: contextOf(order) })
      return findings.length === 0 ? undefined : findings.map(({ file, line, message }) => `${file}:${line} ${message}`).join('; ')
    },
    async deploy(order) {
      const main = sourceOf(order)
      if (main === undefined) return { outputs: {}, resourceIds: [] }
      const deployed = await deployTemplate({ evaluator, arm, main, parameters: parametersOf(order), deploymentContext: contextOf(order) })
      return { outputs: deployed.outputs, resourceIds: [...deployed.made, ...deployed.changed] }
    },
  }
}

/** Returns the source. Undefined for a template without resources, by which azd marks a layer as deleted. */
function sourceOf({ template }: TemplateOrder): string | undefined {
  const source = textAt(template, 'metadata.joiner.source')
  if (source === undefined && listAt(template, 'resources').length > 0)
    throw new Error('the template does not name its source: this engine evaluates Bicep, and no resources of ARM templates')
  return source
}

function parametersOf({ parameters }: TemplateOrder): { readonly [name: string]: Json } {
  const parsed: Json = JSON.parse(JSON.stringify(parameters))
  return objectOf(parsed)
}
