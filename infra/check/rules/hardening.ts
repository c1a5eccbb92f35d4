// Properties that must have a certain value. Other values would open storage, app or topics to keys or old protocols, or are refused by Flex
// Consumption.
import { isObject } from '../evaluate/value.ts'
import { at, type Resource, type Rule, resourceRule } from './rule.ts'

type Needed = { readonly rule: string; readonly type: string; readonly path: string; readonly is: boolean | string }

const NEEDED: readonly Needed[] = [
  { rule: 'storage-hardening', type: 'Microsoft.Storage/storageAccounts', path: 'properties.allowSharedKeyAccess', is: false },
  { rule: 'storage-hardening', type: 'Microsoft.Storage/storageAccounts', path: 'properties.allowBlobPublicAccess', is: false },
  { rule: 'storage-hardening', type: 'Microsoft.Storage/storageAccounts', path: 'properties.supportsHttpsTrafficOnly', is: true },
  { rule: 'storage-hardening', type: 'Microsoft.Storage/storageAccounts', path: 'properties.minimumTlsVersion', is: 'TLS1_2' },
  {
    rule: 'storage-hardening',
    type: 'Microsoft.Storage/storageAccounts/blobServices/containers',
    path: 'properties.publicAccess',
    is: 'None',
  },
  { rule: 'site-hardening', type: 'Microsoft.Web/sites', path: 'properties.httpsOnly', is: true },
  { rule: 'site-hardening', type: 'Microsoft.Web/sites', path: 'properties.siteConfig.minTlsVersion', is: '1.2' },
  { rule: 'site-hardening', type: 'Microsoft.Web/sites', path: 'properties.siteConfig.ftpsState', is: 'Disabled' },
  { rule: 'site-hardening', type: 'Microsoft.Web/sites/basicPublishingCredentialsPolicies', path: 'properties.allow', is: false },
  { rule: 'no-keys', type: 'Microsoft.EventGrid/topics', path: 'properties.disableLocalAuth', is: true },
  { rule: 'no-keys', type: 'Microsoft.OperationalInsights/workspaces', path: 'properties.features.disableLocalAuth', is: true },
  { rule: 'no-keys', type: 'Microsoft.Insights/components', path: 'properties.DisableLocalAuth', is: true },
  { rule: 'plan', type: 'Microsoft.Web/serverfarms', path: 'properties.reserved', is: true },
  // Without this property a role may be assigned before the identity has reached the directory. Then the first deployment fails.
  { rule: 'principal-type', type: 'Microsoft.Authorization/roleAssignments', path: 'properties.principalType', is: 'ServicePrincipal' },
]

/** The role of the person who deploys and administers the demo cluster. A person is in the directory already. */
const ADMINISTRATOR = /\/b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b$/

function isPerson(resource: Resource): boolean {
  const role = at(resource, 'properties.roleDefinitionId')
  return typeof role === 'string' && ADMINISTRATOR.test(role) && at(resource, 'properties.principalType') === 'User'
}

/** One rule for each name in the table. */
export const needed: readonly Rule[] = [...new Set(NEEDED.map(({ rule }) => rule))].map((rule) =>
  resourceRule(rule, (resource) =>
    NEEDED.filter((row) => row.rule === rule && row.type === resource.type && at(resource, row.path) !== row.is && !isPerson(resource)).map(
      ({ path, is }) => `${path} must be ${JSON.stringify(is)}`,
    ),
  ),
)

/**
 * Settings that the platform owns: a deployment with one of them fails. Source: "App settings reference" and "Flex Consumption plan",
 * learn.microsoft.com, 2026-02.
 */
const FORBIDDEN_SETTINGS =
  /^(FUNCTIONS_WORKER_RUNTIME|FUNCTIONS_EXTENSION_VERSION|WEBSITE_RUN_FROM_PACKAGE|SCM_DO_BUILD_DURING_DEPLOYMENT|ENABLE_ORYX_BUILD|WEBSITE_NODE_DEFAULT_VERSION|WEBSITE_CONTENT.*|WEBSITE_VNET_ROUTE_ALL|WEBSITE_DNS_SERVER|FUNCTIONS_WORKER_PROCESS_COUNT|WEBSITE_TIME_ZONE|TZ)$/
const FORBIDDEN_SITE = ['alwaysOn', 'linuxFxVersion', 'functionAppScaleLimit', 'preWarmedInstanceCount', 'vnetRouteAllEnabled']

export const flex = resourceRule('flex-settings', (resource) => {
  if (resource.type === 'Microsoft.Web/sites') {
    const config = at(resource, 'properties.siteConfig')
    const keys = isObject(config) ? Object.keys(config).filter((key) => FORBIDDEN_SITE.includes(key)) : []
    const settings = isObject(config) && config['appSettings'] !== undefined ? ['settings belong to the resource config/appsettings'] : []
    return [...keys.map((key) => `siteConfig.${key} is not for Flex Consumption`), ...settings]
  }
  const settings = at(resource, 'properties')
  if (resource.type !== 'Microsoft.Web/sites/config' || !isObject(settings)) return []
  return Object.keys(settings)
    .filter((key) => FORBIDDEN_SETTINGS.test(key))
    .map((key) => `the setting ${key} is not for Flex Consumption`)
})

export const deadLetter = resourceRule('dead-letter', (resource) => {
  if (!resource.type.endsWith('/eventSubscriptions')) return []
  const has = ['deadLetterWithResourceIdentity', 'deadLetterDestination'].some((key) => at(resource, `properties.${key}`) !== null)
  const destinations = ['destination', 'deliveryWithResourceIdentity'].filter((key) => at(resource, `properties.${key}`) !== null)
  return [
    ...(has ? [] : ['an event that cannot be delivered must go to a container of dead letters']),
    ...(destinations.length === 1 ? [] : ['it needs destination or deliveryWithResourceIdentity, and one of them only']),
  ]
})
