// Sets of parameters for the templates. Together they hold each allowed value and each bound of each parameter.
import { DEPLOYMENT_CONTEXT } from './evaluate/evaluate.ts'
import type { DeploymentContext } from './evaluate/frame.ts'
import type { Json } from './evaluate/value.ts'

export type ParameterSet = {
  readonly name: string
  readonly parameters: { readonly [name: string]: Json }
  readonly deploymentContext?: Partial<DeploymentContext>
}

const subscription = `/subscriptions/${DEPLOYMENT_CONTEXT.subscriptionId}`
const network = `${subscription}/resourceGroups/rg-net/providers/Microsoft.Network/virtualNetworks/vnet-hub`

const otherNetwork = `/subscriptions/00000000-0000-0000-0000-0000000000ff/resourceGroups/rg-far/providers/Microsoft.Network/virtualNetworks/vnet-far`
const privateDnsZoneId = `${subscription}/resourceGroups/MC_closed/providers/Microsoft.Network/privateDnsZones/1a2b.privatelink.westeurope.azmk8s.io`

/** Returns a cluster as the preprovision hook describes it. */
function clusterParameter(name: string, more: { readonly [field: string]: Json } = {}): Json {
  const group = `${subscription}/resourceGroups/rg-${name}`
  return {
    name,
    id: `${group}/providers/Microsoft.ContainerService/managedClusters/${name}`,
    nodeResourceGroup: `MC_rg-${name}_${name}_westeurope`,
    oidcIssuer: `https://westeurope.oic.prod-aks.azure.com/${DEPLOYMENT_CONTEXT.tenantId}/${name}/`,
    subnetIds: [`${network}/subnets/nodes`],
    identityIds: [
      `${subscription}/resourceGroups/MC_rg-${name}_${name}_westeurope/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}-agentpool`,
    ],
    ...more,
  }
}

const base = { environmentName: 'dev', location: 'westeurope', clusters: [clusterParameter('prod')] }
const twenty = Array.from({ length: 20 }, (_, at) => clusterParameter(`c${at}`))
const subnets = { app: `${network}/subnets/app`, endpoints: `${network}/subnets/endpoints` }
const foreignIdentity = `${subscription}/resourceGroups/rg-ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/kubelet`
const shared = `${subscription}/resourceGroups/rg-shared/providers`

export const MAIN_SETS: readonly ParameterSet[] = [
  { name: 'defaults', parameters: base },
  { name: 'vnet of its own', parameters: { ...base, network: 'vnet', addressPrefix: '10.9.0.0/25' } },
  { name: 'vnet that exists', parameters: { ...base, network: 'vnet', subnets: { app: subnets.app } } },
  { name: 'private', parameters: { ...base, network: 'private', size: 'fast' } },
  {
    name: 'vnet of its own and a private cluster',
    parameters: { ...base, network: 'vnet', clusters: [clusterParameter('prod'), clusterParameter('closed', { privateDnsZoneId })] },
  },
  {
    name: 'private, and clusters in networks of their own',
    parameters: {
      ...base,
      network: 'private',
      clusters: [
        clusterParameter('prod'),
        clusterParameter('near'),
        clusterParameter('closed', { privateDnsZoneId, subnetIds: [`${otherNetwork}/subnets/a`, `${otherNetwork}/subnets/b`] }),
      ],
    },
  },
  { name: 'private in a network that exists', parameters: { ...base, network: 'private', subnets } },
  { name: 'events by queue', parameters: { ...base, alerts: 'off', eventDelivery: 'queue', instanceMemoryMB: 512 } },
  { name: 'built-in roles', parameters: { ...base, rbac: 'builtIn', instanceMemoryMB: 4096 } },
  { name: 'shim with its service account', parameters: { ...base, shimAuth: 'serviceAccount' } },
  {
    name: 'shim with an identity',
    parameters: {
      ...base,
      shimAuth: 'entra',
      entraAudience: 'a'.repeat(255),
      clusters: [clusterParameter('one'), clusterParameter('two')],
    },
  },
  {
    name: 'things that exist',
    parameters: {
      ...base,
      workspaceId: `${shared}/Microsoft.OperationalInsights/workspaces/log-shared`,
      actionGroupId: `${shared}/Microsoft.Insights/actionGroups/on-call`,
      healthTopicId: `${shared}/Microsoft.EventGrid/systemTopics/health`,
      eventDelivery: 'queue',
    },
  },
  { name: 'no health topic', parameters: { ...base, healthTopicId: 'none', eventDelivery: 'queue' } },
  {
    name: 'lowest bounds',
    parameters: { ...base, environmentName: 'd', dailyCapGb: 1, retentionDays: 30, maximumInstanceCount: 1, budget: 0, shimNamespace: 'j' },
  },
  {
    name: 'highest bounds',
    parameters: {
      ...base,
      environmentName: 'e'.repeat(40),
      clusters: twenty,
      dailyCapGb: 100,
      retentionDays: 730,
      maximumInstanceCount: 1000,
      budget: 100_000,
      alertEmail: 'ops@example.com',
      shimNamespace: 'n'.repeat(63),
      addressPrefix: '192.168.100.128/25',
    },
  },
  {
    name: 'cluster with everything',
    parameters: {
      ...base,
      clusters: [
        clusterParameter('n'.repeat(40), {
          overrides: { maximumNodes: 10 },
          subnetIds: [`${network}/subnets/one`, `${network}/subnets/two`],
          identityIds: [foreignIdentity],
          diskEncryptionSetId: `${shared}/Microsoft.Compute/diskEncryptionSets/disks`,
        }),
        clusterParameter('other', { diskEncryptionSetId: `${shared}/Microsoft.Compute/diskEncryptionSets/DISKS` }),
      ],
      tags: { team: 'platform' },
      appSettings: { LOG_LEVEL: 'debug' },
      budget: 20,
      budgetStart: '2026-02-01',
    },
  },
  {
    name: 'government cloud',
    parameters: { ...base, location: 'usgovvirginia', network: 'private' },
    deploymentContext: { cloud: 'AzureUSGovernment' },
  },
  { name: 'china', parameters: { ...base, location: 'chinanorth3', network: 'private' }, deploymentContext: { cloud: 'AzureChinaCloud' } },
]

export const ROLES_SETS: readonly ParameterSet[] = [
  { name: 'roles of the app', parameters: { ...base, environmentName: 'd' } },
  {
    name: 'roles for subnets elsewhere',
    parameters: { ...base, clusters: [clusterParameter('far', { subnetIds: [`${otherNetwork}/subnets/a`] })] },
  },
  { name: 'roles of Azure', parameters: { ...base, rbac: 'builtIn', environmentName: 'e'.repeat(40), clusters: twenty } },
]

const events = {
  resourceGroupName: 'rg-joiner-dev',
  token: 'abcdefghijklm',
  clusters: [clusterParameter('one'), clusterParameter('two')],
  appName: 'func-joiner-abcdefghijklm',
  storageName: 'stjoinerabcdefghijklm',
  eventDelivery: 'function',
  healthTopicId: `${subscription}/resourceGroups/rg-joiner-dev/providers/Microsoft.EventGrid/systemTopics/egst-joiner-abcdefghijklm`,
}

export const EVENTS_SETS: readonly ParameterSet[] = [
  { name: 'events to the function', parameters: events },
  { name: 'events to the queue', parameters: { ...events, eventDelivery: 'queue', clusters: [clusterParameter('one')] } },
  { name: 'shared health topic', parameters: { ...events, healthTopicId: `${shared}/Microsoft.EventGrid/systemTopics/health` } },
  { name: 'no health topic', parameters: { ...events, healthTopicId: 'none' } },
  { name: 'before the code is there', parameters: { ...events, appDeployed: 'false' } },
  { name: 'many clusters', parameters: { ...events, clusters: twenty, resourceGroupName: 'r'.repeat(90) } },
]

const demo = { environmentName: 'dev', location: 'westeurope' }
const principalId = '00000000-0000-0000-0000-0000000000aa'

export const DEMO_SETS: readonly ParameterSet[] = [
  { name: 'no demo cluster', parameters: demo },
  {
    name: 'demo cluster',
    parameters: { ...demo, demoCluster: 'true', principalId, tags: { team: 'platform' }, vmSize: 'Standard_D2ads_v6' },
  },
  {
    name: 'demo cluster of a pipeline',
    parameters: {
      ...demo,
      environmentName: 'e'.repeat(40),
      demoCluster: 'true',
      principalId,
      principalType: 'ServicePrincipal',
      vmSize: 'B',
    },
  },
  { name: 'demo cluster of nobody', parameters: { ...demo, environmentName: 'd', demoCluster: 'true' } },
]

/** The templates that azd deploys, one layer after the other. */
export const LAYERS: readonly { readonly main: string; readonly sets: readonly ParameterSet[] }[] = [
  { main: 'infra/main.bicep', sets: MAIN_SETS },
  { main: 'infra/events.bicep', sets: EVENTS_SETS },
  { main: 'infra/roles.bicep', sets: ROLES_SETS },
  { main: 'infra/demo.bicep', sets: DEMO_SETS },
]
