/**
 * How smoke tries each action of the app without effect. ARM checks rights before it hands a request to the service, so a request about a resource
 * that is not there shows them: it is answered with 404, or with 204 for a deletion (Azure Resource Manager, "Consistent management layer", 2026-03).
 * A write is validated as a deployment at level `Provider`, which checks the right to write each resource and makes none (Deployments - Validate,
 * 2025-04-01). Actions on resources that another resource names are asked for only in a write: Azure's list of permissions tells them.
 */
import { ownValue } from '../../shared/base/values.ts'
import { TEMPLATE_SCHEMA } from '../../shared/model/cloud.ts'
import type { ArmCall } from '../armCall.ts'

export type Target = {
  /** The path of the resource, resource group or subscription that the role holds at. */
  readonly scope: string
  readonly location: string
  readonly subnetId: string
}

type Way = ((target: Target) => ArmCall) | { readonly notTriedSince: string }

const COMPUTE = '2025-04-01'
const NETWORK = '2025-05-01'
const DISKS = '2025-01-02'
/** No resource has this name: names of Joiner's resources begin with a prefix and a hyphen. */
const NOBODY = 'joinersmokenothing'

const get =
  (tail: string, version: string, query: NonNullable<ArmCall['query']> = {}): Way =>
  ({ scope }) => ({ method: 'GET', path: `${scope}${tail}`, version, query })
const remove =
  (type: string, version: string): Way =>
  ({ scope }) => ({ method: 'DELETE', path: `${scope}/providers/${type}/${NOBODY}`, version })
const act =
  (type: string, action: string, version: string): Way =>
  ({ scope }) => ({ method: 'POST', path: `${scope}/providers/${type}/${NOBODY}/${action}`, version })
const validate =
  (type: string, apiVersion: string, properties: (target: Target) => object): Way =>
  (target) => {
    const resource = { type, apiVersion, name: NOBODY, location: target.location, properties: properties(target) }
    const template = { $schema: TEMPLATE_SCHEMA, contentVersion: '1.0.0.0', resources: [resource] }
    const path = `${target.scope}/providers/Microsoft.Resources/deployments/${NOBODY}/validate`
    const body = { properties: { mode: 'Incremental', validationLevel: 'Provider', template } }
    return { method: 'POST', path, version: '2025-04-01', body }
  }

const IN_WRITES: Way = { notTriedSince: 'Azure asks for it where a write names the resource' }
const VM = 'Microsoft.Compute/virtualMachines'
const DISK = 'Microsoft.Compute/disks'
const NIC = 'Microsoft.Network/networkInterfaces'

/** A row for each action of the app's roles, and for what the step of the eviction does. */
export const ACTION_TRIES: { readonly [action: string]: Way } = {
  [`${VM}/read`]: get(`/providers/${VM}`, COMPUTE),
  [`${VM}/instanceView/read`]: get(`/providers/${VM}/${NOBODY}/instanceView`, COMPUTE),
  [`${VM}/write`]: validate(VM, COMPUTE, () => ({ hardwareProfile: { vmSize: 'Standard_D2s_v5' } })),
  [`${VM}/delete`]: remove(VM, COMPUTE),
  [`${VM}/restart/action`]: act(VM, 'restart', COMPUTE),
  [`${VM}/simulateEviction/action`]: act(VM, 'simulateEviction', COMPUTE),
  [`${DISK}/read`]: get(`/providers/${DISK}`, DISKS),
  [`${DISK}/write`]: validate(DISK, DISKS, () => ({ creationData: { createOption: 'Empty' }, diskSizeGB: 4 })),
  [`${DISK}/delete`]: remove(DISK, DISKS),
  [`${NIC}/read`]: get(`/providers/${NIC}`, NETWORK),
  [`${NIC}/write`]: validate(NIC, NETWORK, ({ subnetId }) => ({
    ipConfigurations: [{ name: 'first', properties: { subnet: { id: subnetId }, privateIPAllocationMethod: 'Dynamic' } }],
  })),
  [`${NIC}/delete`]: remove(NIC, NETWORK),
  [`${NIC}/join/action`]: IN_WRITES,
  'Microsoft.Network/networkSecurityGroups/read': get('/providers/Microsoft.Network/networkSecurityGroups', NETWORK),
  'Microsoft.Network/networkSecurityGroups/join/action': IN_WRITES,
  'Microsoft.Network/loadBalancers/read': get('/providers/Microsoft.Network/loadBalancers', NETWORK),
  'Microsoft.Network/loadBalancers/backendAddressPools/join/action': IN_WRITES,
  // The role of the nodes holds it at their group, and the role of the network at the network itself.
  'Microsoft.Network/virtualNetworks/read': (target) =>
    isGroup(target.scope)
      ? { method: 'GET', path: `${target.scope}/providers/Microsoft.Network/virtualNetworks`, version: NETWORK }
      : { method: 'GET', path: target.scope, version: NETWORK },
  'Microsoft.Network/virtualNetworks/subnets/read': get('', NETWORK),
  'Microsoft.Network/virtualNetworks/subnets/join/action': IN_WRITES,
  'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action': IN_WRITES,
  'Microsoft.ContainerService/managedClusters/read': get('', '2026-02-01'),
  'Microsoft.Compute/skus/read': ({ scope, location }) => ({
    method: 'GET',
    path: `${scope}/providers/Microsoft.Compute/skus`,
    version: '2021-07-01',
    query: { $filter: `location eq '${location}'` },
  }),
  'Microsoft.Compute/locations/usages/read': ({ scope, location }) => ({
    method: 'GET',
    path: `${scope}/providers/Microsoft.Compute/locations/${location}/usages`,
    version: COMPUTE,
  }),
  'Microsoft.Compute/locations/communityGalleries/images/versions/read': ({ scope, location }) => ({
    method: 'GET',
    path: `${scope}/providers/Microsoft.Compute/locations/${location}/communityGalleries/${NOBODY}/images/${NOBODY}/versions`,
    version: '2024-03-03',
  }),
  'Microsoft.Network/locations/operations/read': ({ scope, location }) => ({
    method: 'GET',
    path: `${scope}/providers/Microsoft.Network/locations/${location}/operations/00000000-0000-0000-0000-000000000000`,
    version: NETWORK,
  }),
}

function isGroup(scope: string): boolean {
  return /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+$/i.test(scope)
}

/** The request that tries the action. Undefined: no request shows it without effect. */
export function tryOf(action: string, target: Target): ArmCall | undefined {
  const way = ownValue(ACTION_TRIES, action)
  return typeof way === 'function' ? way(target) : undefined
}
