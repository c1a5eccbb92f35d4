import { describe, expect, it } from 'vitest'
import { actionsOf } from './actionsOf.ts'

const S = '/subscriptions/s'
const G = `${S}/resourceGroups/g`
const COMPUTE = `${G}/providers/Microsoft.Compute`
const NETWORK = `${G}/providers/Microsoft.Network`

describe('the action of a path', () => {
  it.each<[method: string, path: string, action: string, scope: string]>([
    ['GET', `${COMPUTE}/virtualMachines/vm`, 'Microsoft.Compute/virtualMachines/read', `${COMPUTE}/virtualMachines/vm`],
    ['HEAD', `${COMPUTE}/virtualMachines/vm`, 'Microsoft.Compute/virtualMachines/read', `${COMPUTE}/virtualMachines/vm`],
    ['PUT', `${COMPUTE}/virtualMachines/vm/`, 'Microsoft.Compute/virtualMachines/write', `${COMPUTE}/virtualMachines/vm`],
    ['PATCH', `${COMPUTE}/virtualMachines/vm`, 'Microsoft.Compute/virtualMachines/write', `${COMPUTE}/virtualMachines/vm`],
    ['DELETE', `${COMPUTE}/virtualMachines/vm`, 'Microsoft.Compute/virtualMachines/delete', `${COMPUTE}/virtualMachines/vm`],
    ['POST', `${COMPUTE}/virtualMachines/vm/start`, 'Microsoft.Compute/virtualMachines/start/action', `${COMPUTE}/virtualMachines/vm`],
    ['GET', `${COMPUTE}/virtualMachines`, 'Microsoft.Compute/virtualMachines/read', COMPUTE],
    [
      'GET',
      `${COMPUTE}/virtualMachines/vm/instanceView`,
      'Microsoft.Compute/virtualMachines/instanceView/read',
      `${COMPUTE}/virtualMachines/vm`,
    ],
    [
      'GET',
      `${NETWORK}/virtualNetworks/n/subnets/x`,
      'Microsoft.Network/virtualNetworks/subnets/read',
      `${NETWORK}/virtualNetworks/n/subnets/x`,
    ],
    ['GET', `${S}/providers/Microsoft.Compute/skus`, 'Microsoft.Compute/skus/read', `${S}/providers/Microsoft.Compute`],
    [
      'GET',
      `${S}/providers/Microsoft.Network/locations/eastus/operations/o`,
      'Microsoft.Network/locations/operations/read',
      `${S}/providers/Microsoft.Network/locations/eastus/operations/o`,
    ],
    [
      'PUT',
      `${COMPUTE}/virtualMachines/vm/providers/Microsoft.Authorization/roleAssignments/a`,
      'Microsoft.Authorization/roleAssignments/write',
      `${COMPUTE}/virtualMachines/vm/providers/Microsoft.Authorization/roleAssignments/a`,
    ],
    ['GET', S, 'Microsoft.Resources/subscriptions/read', S],
    ['GET', `${S}/locations`, 'Microsoft.Resources/subscriptions/locations/read', S],
    ['GET', `${S}/resourceGroups`, 'Microsoft.Resources/subscriptions/resourceGroups/read', S],
    ['DELETE', G, 'Microsoft.Resources/subscriptions/resourceGroups/delete', G],
    ['GET', `${S}/providers`, 'Microsoft.Resources/subscriptions/providers/read', S],
    ['GET', `${S}/providers/Microsoft.App`, 'Microsoft.Resources/subscriptions/providers/read', S],
    ['POST', `${S}/providers/Microsoft.App/register`, 'Microsoft.App/register/action', `${S}/providers/Microsoft.App`],
  ])('%s %s', (method, path, action, scope) => {
    expect(actionsOf(method, path, undefined)).toEqual({ own: { action, scope }, linked: [] })
  })
})

const identity = `${G}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i`
const machine = {
  identity: { type: 'UserAssigned', userAssignedIdentities: { [identity]: {} } },
  properties: {
    storageProfile: {
      imageReference: { id: `${COMPUTE}/galleries/a/images/b/versions/1.0.0` },
      osDisk: { name: 'os', deleteOption: 'Delete', managedDisk: { diskEncryptionSet: { id: `${COMPUTE}/diskEncryptionSets/d` } } },
      dataDisks: [{ name: 'data', deleteOption: 'Detach' }],
    },
    networkProfile: {
      networkInterfaces: [
        { id: `${NETWORK}/networkInterfaces/one`, properties: { deleteOption: 'Delete' } },
        { id: `${NETWORK}/networkInterfaces/two`, properties: { deleteOption: 'Detach' } },
      ],
    },
  },
}
const VM = `${COMPUTE}/virtualMachines/vm`

describe('what a request brings in is asked of too:', () => {
  const linkedOf = (method: string, path: string, body: unknown, held?: unknown): readonly string[] =>
    actionsOf(method, path, body, held)
      .linked.map(({ action, scope }) => `${action} ${scope.replace(G, '')}`)
      .sort()

  it('interfaces, disks, image, encryption and identity of a machine that is made', () => {
    expect(linkedOf('PUT', VM, machine)).toEqual([
      'Microsoft.Compute/diskEncryptionSets/read /providers/Microsoft.Compute/diskEncryptionSets/d',
      'Microsoft.Compute/disks/read /providers/Microsoft.Compute/disks/data',
      'Microsoft.Compute/disks/read /providers/Microsoft.Compute/disks/os',
      'Microsoft.Compute/disks/write /providers/Microsoft.Compute/disks/data',
      'Microsoft.Compute/disks/write /providers/Microsoft.Compute/disks/os',
      'Microsoft.Compute/galleries/images/versions/read /providers/Microsoft.Compute/galleries/a/images/b/versions/1.0.0',
      'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action /providers/Microsoft.ManagedIdentity/userAssignedIdentities/i',
      'Microsoft.Network/networkInterfaces/join/action /providers/Microsoft.Network/networkInterfaces/one',
      'Microsoft.Network/networkInterfaces/join/action /providers/Microsoft.Network/networkInterfaces/two',
    ])
  })

  it('the identity alone where only that changes', () => {
    expect(linkedOf('PATCH', VM, { identity: machine.identity })).toEqual([
      'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action /providers/Microsoft.ManagedIdentity/userAssignedIdentities/i',
    ])
  })

  it('what goes with a machine that is deleted, and not what stays', () => {
    expect(linkedOf('DELETE', VM, undefined, machine)).toEqual([
      'Microsoft.Compute/disks/delete /providers/Microsoft.Compute/disks/os',
      'Microsoft.Network/networkInterfaces/delete /providers/Microsoft.Network/networkInterfaces/one',
    ])
    expect(linkedOf('DELETE', VM, undefined)).toEqual([])
  })

  it('subnet, security group and pools of an interface, each once', () => {
    const subnet = { id: `${NETWORK}/virtualNetworks/n/subnets/x` }
    const loadBalancerBackendAddressPools = [{ id: `${NETWORK}/loadBalancers/l/backendAddressPools/p` }]
    const ipConfigurations = [
      { properties: { subnet, loadBalancerBackendAddressPools } },
      { properties: { subnet, loadBalancerBackendAddressPools: [] } },
    ]
    const body = { properties: { ipConfigurations, networkSecurityGroup: { id: `${NETWORK}/networkSecurityGroups/nsg` } } }
    expect(linkedOf('PUT', `${NETWORK}/networkInterfaces/one`, body)).toEqual([
      'Microsoft.Network/loadBalancers/backendAddressPools/join/action /providers/Microsoft.Network/loadBalancers/l/backendAddressPools/p',
      'Microsoft.Network/networkSecurityGroups/join/action /providers/Microsoft.Network/networkSecurityGroups/nsg',
      'Microsoft.Network/virtualNetworks/subnets/join/action /providers/Microsoft.Network/virtualNetworks/n/subnets/x',
    ])
  })

  it('nothing of a body that is not as expected', () => {
    for (const body of [undefined, null, [], 'x', { properties: [] }, { identity: [], properties: { ipConfigurations: {} } }]) {
      expect(actionsOf('PUT', `${NETWORK}/networkInterfaces/one`, body).linked).toEqual([])
      expect(actionsOf('PUT', VM, body).linked).toEqual([])
    }
  })
})
