import { describe, expect, it } from 'vitest'
import { isManagedSubnet, managedSubnetOf } from './managedSubnet.ts'

const GROUP = 'MC_shop_shop_eastus'
const inGroup = (group: string, network: string, subnet = 'aks-subnet'): string =>
  `/subscriptions/s/resourceGroups/${group}/providers/Microsoft.Network/virtualNetworks/${network}/subnets/${subnet}`

describe('a subnet that AKS made', () => {
  it.each<[sentence: string, id: string, want: boolean]>([
    ['is aks-subnet of its network in the group of the nodes', inGroup(GROUP, 'aks-vnet-12345678'), true],
    ['is the same in another casing', inGroup(GROUP, 'AKS-VNET-12345678', 'AKS-Subnet').toUpperCase(), true],
    ['is not that of an own network in the group of the nodes', inGroup(GROUP, 'my-vnet'), false],
    ['is not that of a network whose name only begins like it', inGroup(GROUP, 'aks-vnet-12345678-mine'), false],
    ['is not an own subnet of its network', inGroup(GROUP, 'aks-vnet-12345678', 'mine'), false],
    ['is not that of a network of such a name in another group', inGroup('hub', 'aks-vnet-12345678'), false],
    ['is not that of a group whose name ends in that of the group', inGroup(`x${GROUP}`, 'aks-vnet-12345678'), false],
    ['is not its network', inGroup(GROUP, 'aks-vnet-12345678').replace(/\/subnets.*/, ''), false],
    ['is not something below it', `${inGroup(GROUP, 'aks-vnet-12345678')}/more`, false],
    ['is not a text that is no id', 'aks-subnet', false],
    ['is not nothing', '', false],
  ])('%s', (_, id, want) => expect(isManagedSubnet(id, GROUP)).toBe(want))

  it('is that of the network that AKS made', () => {
    const id = inGroup(GROUP, 'aks-vnet-12345678')
    expect(managedSubnetOf(id.replace(/\/subnets.*/, ''))).toBe(id)
    expect(isManagedSubnet(id, GROUP)).toBe(true)
  })
})
