import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import type { ScopePermissions } from '../../shared/model/installFacts.ts'
import type { Environment } from '../clusterAccess.ts'
import type { InstallOptions } from './installOptions.ts'

const file = z.object({ needs: z.array(z.object({ on: z.string(), resource: z.string(), verbs: z.array(z.string()) })) })
const NEEDS = file.parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../infra/deployer.json'), 'utf8'))).needs

/** Returns the actions that `azd up` needs with these wishes, by scope. Actions that only `azd down` needs are left out. */
export function neededAt(
  environment: Environment,
  wishes: InstallOptions,
  clusters: readonly ClusterFacts[],
): readonly Omit<ScopePermissions, 'granted'>[] {
  const needs = (on: string): readonly string[] =>
    NEEDS.filter((need) => need.on === on && isWished(environment, wishes, on, need.resource)).flatMap(({ resource, verbs }) =>
      verbs.filter((verb) => verb !== 'delete').map((verb) => `${resource}/${verb}`),
    )
  const inClusters = clusters.flatMap(({ resourceId, nodeResourceGroup, network }) => {
    const [, , subscription = ''] = resourceId.split('/')
    return [
      { scope: resourceId, needs: needs('cluster') },
      { scope: `/subscriptions/${subscription}/resourceGroups/${nodeResourceGroup}`, needs: needs('nodeGroup') },
      ...(network.subnetId === undefined ? [] : [{ scope: network.subnetId, needs: needs('subnet') }]),
    ]
  })
  const all = [{ scope: `/subscriptions/${wishes.subscriptionId}`, needs: needs('subscription') }, ...inClusters]
  return [...new Map(all.map((each) => [each.scope.toLowerCase(), each])).values()]
}

function isWished(environment: Environment, { rbac, network, alerts, demo }: InstallOptions, on: string, resource: string): boolean {
  if (on !== 'subscription') return true
  if (resource === 'Microsoft.Authorization/roleDefinitions') return rbac === 'custom'
  if (resource === 'Microsoft.Consumption/budgets') return Number(environment['JOINER_BUDGET'] ?? 0) > 0
  if (/^Microsoft\.Insights\/(metricAlerts|scheduledQueryRules|actionGroups)$/.test(resource)) return alerts
  if (resource === 'Microsoft.ContainerService/managedClusters') return demo
  return network !== 'public' || !resource.startsWith('Microsoft.Network/')
}
