// Resource types that a deployment makes and that no other part of the emulator serves: their api-versions, and what Azure adds to them.
import { randomBytes } from 'node:crypto'
import { at, recordAt, textAt } from '../../json.ts'
import { GROUP_TYPE } from './resourceId.ts'

export type Surroundings = { readonly tenantId: string; readonly location: string }
export type Making = Surroundings & {
  readonly ageOfRoles: number
  readonly id: string
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
}

export type ResourceType = {
  readonly versions: readonly string[]
  /** Versions in which other programs read and delete, as azd does. No body is sent in them. */
  readonly readIn?: readonly string[]
  /** Properties that Azure sets when the resource is made, and keeps. */
  readonly gives?: (making: Making) => Readonly<Record<string, unknown>>
  /** A rule for names, for types where a wrong name would be found late otherwise. */
  readonly name?: RegExp
}

/** Azure tells when a definition or an assignment was made. */
const madeNow = ({ ageOfRoles }: Making): Readonly<Record<string, unknown>> => ({
  createdOn: new Date(Date.now() - ageOfRoles).toISOString(),
})
const uuid = (): string => crypto.randomUUID()
const locationOf = ({ body, location }: Making): string => textAt(body, 'location') ?? location

/** The suffixes are those of the public cloud, which the emulator imitates. */
const storage = ({ name }: Making): object =>
  Object.fromEntries(
    ['blob', 'queue', 'table', 'file', 'dfs', 'web'].map((service) => [
      service,
      `https://${name}.${service === 'web' ? 'z6.web' : service}.core.windows.net/`,
    ]),
  )

function component(making: Making): Readonly<Record<string, unknown>> {
  const [key, appId, location] = [uuid(), uuid(), locationOf(making)]
  const endpoints = `IngestionEndpoint=https://${location}-0.in.applicationinsights.azure.com/;LiveEndpoint=https://${location}.livediagnostics.monitor.azure.com/`
  return { InstrumentationKey: key, AppId: appId, ConnectionString: `InstrumentationKey=${key};${endpoints};ApplicationId=${appId}` }
}

/** The second name is that of Kudu, which takes packages (`hostNameSslStates` of Web Apps - Get, 2024-11-01; azd reads it, too). */
function site({ name }: Making): Readonly<Record<string, unknown>> {
  const [standard, repository] = [`${name}.azurewebsites.net`, `${name}.scm.azurewebsites.net`]
  const state = (host: string, hostType: string): object => ({ name: host, sslState: 'Disabled', hostType })
  return {
    defaultHostName: standard,
    state: 'Running',
    hostNameSslStates: [state(standard, 'Standard'), state(repository, 'Repository')],
  }
}

/** What AKS adds to what was asked for, without the machines of the node pools (Managed Clusters - Get, 2026-05-01). */
function cluster(making: Making): Readonly<Record<string, unknown>> {
  const { name, id, body, tenantId } = making
  const location = locationOf(making)
  const isIssuer = at(body, 'properties.oidcIssuerProfile.enabled') === true
  return {
    powerState: { code: 'Running' },
    currentKubernetesVersion: textAt(body, 'properties.kubernetesVersion') ?? '1.34.0',
    fqdn: `${name}.hcp.${location}.azmk8s.io`,
    nodeResourceGroup: `MC_${id.split('/')[4]}_${name}_${location}`,
    ...(isIssuer && {
      oidcIssuerProfile: { enabled: true, issuerURL: `https://${location}.oic.prod-aks.azure.com/${tenantId}/${uuid()}/` },
    }),
  }
}

const EVENT_GRID = ['2025-02-15']
const WEB = ['2024-11-01']
/** azd 1.31 finds the app and its plan in the later version, and asks in the other what kind of app a slow deployment makes. */
const WEB_OF_AZD = ['2021-03-01', '2023-01-01']
const STORAGE = ['2025-06-01']
const IDENTITY = ['2024-11-30']
const ROLES = ['2022-04-01']
const NETWORK = ['2025-05-01']
const ZONES = ['2024-06-01']

const TYPES: Readonly<Record<string, ResourceType>> = {
  [GROUP_TYPE]: { versions: ['2025-04-01'], readIn: ['2021-04-01'] },
  'Microsoft.Authorization/roleAssignments': { versions: ROLES, gives: madeNow },
  'Microsoft.Authorization/roleDefinitions': { versions: ROLES, gives: madeNow },
  'Microsoft.Consumption/budgets': { versions: ['2024-08-01'] },
  'Microsoft.ContainerService/managedClusters': { versions: ['2026-05-01'], gives: cluster },
  'Microsoft.EventGrid/systemTopics': { versions: EVENT_GRID, gives: () => ({ metricResourceId: uuid() }) },
  'Microsoft.EventGrid/systemTopics/eventSubscriptions': { versions: EVENT_GRID },
  'Microsoft.EventGrid/topics': {
    versions: EVENT_GRID,
    gives: (making) => ({ endpoint: `https://${making.name}.${locationOf(making)}-1.eventgrid.azure.net/api/events` }),
  },
  'Microsoft.EventGrid/topics/eventSubscriptions': { versions: EVENT_GRID },
  'Microsoft.Insights/actionGroups': { versions: ['2023-01-01'] },
  'Microsoft.Insights/components': { versions: ['2020-02-02'], gives: component },
  'Microsoft.Insights/metricAlerts': { versions: ['2018-03-01'] },
  'Microsoft.Insights/scheduledQueryRules': { versions: ['2023-12-01'] },
  'Microsoft.Insights/workbooks': { versions: ['2023-06-01'] },
  'Microsoft.ManagedIdentity/userAssignedIdentities': {
    versions: IDENTITY,
    gives: ({ tenantId }) => ({ tenantId, principalId: uuid(), clientId: uuid() }),
  },
  'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials': { versions: IDENTITY },
  'Microsoft.Network/natGateways': { versions: NETWORK },
  'Microsoft.Network/privateDnsZones': { versions: ZONES },
  'Microsoft.Network/privateDnsZones/virtualNetworkLinks': { versions: ZONES },
  'Microsoft.Network/privateEndpoints': { versions: NETWORK },
  'Microsoft.Network/privateEndpoints/privateDnsZoneGroups': { versions: NETWORK },
  'Microsoft.Network/publicIPAddresses': { versions: NETWORK, gives: () => ({ ipAddress: `203.0.113.${randomBytes(1)[0] ?? 1}` }) },
  'Microsoft.Network/virtualNetworks': { versions: NETWORK },
  'Microsoft.Network/virtualNetworks/virtualNetworkPeerings': { versions: NETWORK },
  'Microsoft.OperationalInsights/workspaces': { versions: ['2025-07-01'], gives: () => ({ customerId: uuid() }) },
  'Microsoft.Storage/storageAccounts': {
    versions: STORAGE,
    name: /^[a-z0-9]{3,24}$/,
    gives: (making) => ({ primaryEndpoints: storage(making) }),
  },
  'Microsoft.Storage/storageAccounts/blobServices': { versions: STORAGE },
  'Microsoft.Storage/storageAccounts/blobServices/containers': { versions: STORAGE },
  'Microsoft.Storage/storageAccounts/queueServices': { versions: STORAGE },
  'Microsoft.Storage/storageAccounts/queueServices/queues': { versions: STORAGE },
  'Microsoft.Web/serverfarms': { versions: WEB, readIn: WEB_OF_AZD },
  'Microsoft.Web/sites': {
    versions: WEB,
    readIn: WEB_OF_AZD,
    gives: site,
  },
  'Microsoft.Web/sites/basicPublishingCredentialsPolicies': { versions: WEB },
  'Microsoft.Web/sites/config': { versions: WEB },
  'Microsoft.Web/sites/functions': { versions: WEB },
}

const BY_KEY = new Map(Object.entries(TYPES).map(([name, type]) => [name.toLowerCase(), { ...type, type: name }] as const))

/** Returns the type with its name as Azure spells it. */
export function resourceTypeOf(type: string): (ResourceType & { readonly type: string }) | undefined {
  return BY_KEY.get(type.toLowerCase())
}

export const RESOURCE_TYPES: readonly (ResourceType & { readonly type: string })[] = [...BY_KEY.values()]

/** Returns the identity of the resource with the ids of the directory. Ids that it had before stay. */
export function identityOf(
  body: unknown,
  before: unknown,
  { tenantId }: Surroundings,
  clientOf: (id: string) => object | undefined,
): unknown {
  const given = recordAt(body, 'identity')
  const kind = textAt(body, 'identity.type')
  if (kind === undefined) return undefined
  const system = /SystemAssigned/.test(kind) ? { principalId: textAt(before, 'identity.principalId') ?? uuid(), tenantId } : {}
  const users = Object.keys(recordAt(given, 'userAssignedIdentities') ?? {})
  const userAssignedIdentities = Object.fromEntries(users.map((id) => [id, clientOf(id) ?? {}]))
  return { type: kind, ...system, ...(users.length === 0 ? {} : { userAssignedIdentities }) }
}
