// Deploys both layers to the local Azure as `azd provision` does, in one of the network modes.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEvaluator, type Evaluator } from '../../infra/check/evaluate/evaluate.ts'
import type { Json } from '../../infra/check/evaluate/value.ts'
import { builtInRoles, HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import type { TemplateEngine } from '../../local/azure/arm/deploymentRecord.ts'
import type { LocalAzure } from '../../local/azure/startAzure.ts'
import { repositoryRoot } from '../floors.ts'
import { type ArmCaller, createArmCaller, DEPLOYER } from './armCaller.ts'
import { createTemplateEngine } from './azd/templateEngine.ts'
import { requireNoQuestions, variablesOf } from './azdQuestions.ts'
import { type Deployment, deployTemplate, objectOf, textOf } from './deployTemplate.ts'
import { clusterParameter } from './localCluster.ts'

export const MODES = ['public', 'vnet', 'private'] as const
export type Mode = (typeof MODES)[number]

/** Name of the rehearsed environment. */
export const ENVIRONMENT = 'rehearsal'
/** Name of the environment that comes and goes beside the rehearsed one. */
export const SECOND_ENVIRONMENT = 'second'

export type Templates = {
  /** One of the modes uses Azure's own roles, if the public data with their actions is there. */
  readonly rbac: 'custom' | 'builtIn'
  /** Deploys the layer of the roles. */
  readonly defineRoles: () => Promise<Deployment>
  /** Deploys the roles, and the layer of the app, which assigns them. Returns what the latter made. `given` holds parameters in place of others. */
  readonly provision: (given?: { readonly [name: string]: Json }) => Promise<Deployment>
  /** Deploys the second layer, with the outputs of the first. */
  readonly subscribe: (outputs: Deployment['outputs']) => Promise<Deployment>
  /** Deploys what a program sends to ARM. The local Azure uses it already. */
  readonly engine: TemplateEngine
  /** Throws if azd would ask a person before it deploys or deletes the layer. */
  readonly requireNoQuestions: (main: string, environment: Deployment['outputs']) => void
  readonly arm: ArmCaller
  /** The clusters as parameters of the templates. */
  readonly clusters: Json
}

const read = (path: string): string | undefined =>
  existsSync(join(repositoryRoot, path)) ? readFileSync(join(repositoryRoot, path), 'utf8') : undefined

/**
 * Prepares the templates. `overrides` holds what Azure does not tell about the cluster, as the hook writes it. `given` holds more parameters of the
 * first layer.
 */
export async function createTemplates(
  azure: LocalAzure,
  mode: Mode,
  overrides: Json,
  given: { readonly [name: string]: Json } = {},
): Promise<Templates> {
  holdBuiltInRoles(azure)
  const rbac = HAS_BUILT_IN_ROLES && mode === 'private' ? 'builtIn' : 'custom'
  const evaluator: Evaluator = await createEvaluator(read)
  const { subscriptionId, tenantId, location } = azure
  const deploymentContext = { subscriptionId, tenantId, location, deployerObjectId: DEPLOYER.oid, now: new Date().toISOString() }
  const arm = createArmCaller(azure)
  const engine = createTemplateEngine({ evaluator, arm, context: { subscriptionId, tenantId } })
  azure.deployWith(engine)
  const common = { evaluator, arm, deploymentContext }
  const clusters: Json = [{ ...clusterParameter(azure, azure.clusterResourceId.split('/').at(-1) ?? ''), overrides }]
  const { environmentName = ENVIRONMENT } = given
  const shared = { environmentName, location, clusters, rbac }
  const defineRoles = (): Promise<Deployment> => deployTemplate({ ...common, main: 'infra/roles.bicep', parameters: shared })
  return {
    rbac,
    arm,
    engine,
    clusters,
    requireNoQuestions: (main, environment) => requireNoQuestions({ evaluator, main, readText: read }, environment),
    defineRoles,
    async provision(more = {}) {
      await defineRoles()
      return deployTemplate({ ...common, main: 'infra/main.bicep', parameters: { ...shared, network: mode, ...given, ...more } })
    },
    subscribe: (outputs) =>
      deployTemplate({ ...common, main: 'infra/events.bicep', parameters: { clusters, ...eventParameters(outputs) } }),
  }
}

/** Returns the parameters of the second layer, as `infra/events.parameters.json` takes them from the outputs in azd's environment. */
function eventParameters(outputs: Deployment['outputs']): { readonly [name: string]: Json } {
  return Object.fromEntries(
    [...variablesOf(read('infra/events.parameters.json'))].flatMap(([name, variable]) => {
      const value = outputs[variable]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Adds Azure's own roles, which every subscription has. Without the public data their actions are not known, and they grant nothing. */
function holdBuiltInRoles(azure: LocalAzure): void {
  for (const { id, actions, notActions = [] } of builtInRoles()) azure.access.define({ id, actions, notActions })
  const parsed: Json = JSON.parse(read('infra/roles.json') ?? '{}')
  for (const [roleName, id] of Object.entries(objectOf(objectOf(parsed)['builtIn'] ?? null)))
    azure.putResource({
      id: `/subscriptions/${azure.subscriptionId}/providers/Microsoft.Authorization/roleDefinitions/${textOf(id)}`,
      name: textOf(id),
      type: 'Microsoft.Authorization/roleDefinitions',
      properties: { roleName, type: 'BuiltInRole' },
    })
}
