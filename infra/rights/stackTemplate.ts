// Evaluates the template for the cluster of the local stack, and derives the rights of its identities.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AccessCheck, createAccess, type RoleDefinition } from '../../local/azure/arm/authorization/access.ts'
import { clusterResourceId } from '../../local/azure/arm/firstDocuments.ts'
import { settingsOf } from '../../local/azure/options.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createEvaluator, type Evaluation } from '../check/evaluate/evaluate.ts'
import { rolesOf } from './assignments.ts'

const settings = settingsOf({})
const { subscriptionId, tenantId, location, subnetId, resourceGroups } = settings
const [nodeResourceGroup = ''] = resourceGroups
const id = clusterResourceId(settings)
const identity = `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/local-agentpool`

export const STACK = { subscriptionId, resourceGroups, subnetId, clusterResourceId: id }

export async function evaluateForStack(rbac: 'custom' | 'builtIn'): Promise<Evaluation> {
  const evaluator = await createEvaluator((path) => readFileSync(join(repositoryRoot, path), 'utf8'))
  const cluster = { name: 'local', id, nodeResourceGroup, oidcIssuer: 'https://issuer', subnetIds: [subnetId], identityIds: [identity] }
  const parameters = { environmentName: 'local', location, clusters: [cluster], rbac }
  const evaluation = evaluator.evaluate('infra/main.bicep', parameters, { deploymentContext: { subscriptionId, tenantId, location } })
  if (evaluation.findings.length > 0) throw new Error(JSON.stringify(evaluation.findings))
  return evaluation
}

/** Returns the id of the app's identity. */
export function appResourceId({ resources }: Evaluation): string {
  const found = resources.filter(({ file, type }) => file === 'infra/modules/identity.bicep' && type.endsWith('/userAssignedIdentities'))
  const [app, other] = found
  if (app === undefined || other !== undefined) throw new Error(`the app has one identity, not ${found.length}`)
  return app.id
}

/** Returns what the template permits its identities. `known` holds the roles that it does not define itself. */
export function accessOf(evaluation: Evaluation, known: readonly RoleDefinition[]): AccessCheck {
  const access = createAccess()
  const { definitions, assignments } = rolesOf(evaluation)
  for (const role of [...known, ...definitions]) access.define(role)
  for (const assignment of assignments) access.assign(assignment.id, assignment)
  return access
}
