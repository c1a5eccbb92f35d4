// Rules about all resources together, and about tags.
import { isObject } from '../evaluate/value.ts'
import { at, finding, type Rule, resourceRule } from './rule.ts'

const TAGGED = new Set([
  'Microsoft.Resources/resourceGroups',
  'Microsoft.ManagedIdentity/userAssignedIdentities',
  'Microsoft.ContainerService/managedClusters',
  'Microsoft.Storage/storageAccounts',
  'Microsoft.Web/serverfarms',
  'Microsoft.Web/sites',
  'Microsoft.OperationalInsights/workspaces',
  'Microsoft.Insights/components',
  'Microsoft.Insights/workbooks',
  'Microsoft.Insights/actionGroups',
  'Microsoft.Insights/metricAlerts',
  'Microsoft.Insights/scheduledQueryRules',
  'Microsoft.EventGrid/topics',
  'Microsoft.EventGrid/systemTopics',
  'Microsoft.Network/virtualNetworks',
  'Microsoft.Network/natGateways',
  'Microsoft.Network/publicIPAddresses',
  'Microsoft.Network/privateEndpoints',
  'Microsoft.Network/privateDnsZones',
  'Microsoft.Network/privateDnsZones/virtualNetworkLinks',
])

/** azd finds the resources that it deployed by the first tag, and the app by the second. */
export const tags = resourceRule('tags', (resource) => {
  if (!TAGGED.has(resource.type)) return []
  const given = at(resource, 'tags')
  const has = (tag: string): boolean => isObject(given) && typeof given[tag] === 'string'
  return [
    ...(has('azd-env-name') ? [] : ['the tag azd-env-name is missing']),
    ...(resource.type === 'Microsoft.Web/sites' && !has('azd-service-name') ? ['the tag azd-service-name is missing'] : []),
  ]
})

const LONGEST_DEPLOYMENT = 64

/** A module is a deployment of its own. Azure accepts no longer names for a deployment. */
export const deploymentNames = resourceRule('deployment-name', ({ module }) =>
  module
    .split('/')
    .filter((name) => name.length > LONGEST_DEPLOYMENT)
    .map((name) => `the deployment ${name} has ${name.length} letters, and may have ${LONGEST_DEPLOYMENT}`),
)

/** A second resource with the same id replaces the first one, or fails the deployment. */
export const twice: Rule = {
  name: 'made-twice',
  check: ({ layers }) =>
    layers.flatMap(({ evaluations }) =>
      evaluations.flatMap(({ resources }) => {
        const seen = new Set<string>()
        return resources.flatMap((resource) => {
          const key = `${resource.type} ${resource.id}`.toLowerCase()
          const isTwice = seen.has(key)
          seen.add(key)
          return isTwice ? [finding('made-twice', resource, `${resource.type} ${resource.name} is made twice`)] : []
        })
      }),
    ),
}
