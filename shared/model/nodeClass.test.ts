import { describe, expect, it } from 'vitest'
import { localDns } from '../../test/builders/localDns.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { isManagedSubnet, localDnsState, managedSubnetOf } from './nodeClass.ts'

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

const STATES = [undefined, 'Disabled', 'Enabled'] as const

function stateOf(mode: string | undefined, state: (typeof STATES)[number]): string {
  const { spec, status } = nodeClass({ spec: mode === undefined ? {} : { localDns: localDns(mode) } })
  const { localDnsState: _, ...others } = status
  return localDnsState({ spec, status: state === undefined ? others : { ...others, localDnsState: state } })
}

describe('NS-09 the state of local DNS', () => {
  const cases: { readonly [mode: string]: readonly [string, string, string] } = {
    Required: ['Enabled', 'Enabled', 'Enabled'],
    Disabled: ['Disabled', 'Disabled', 'Disabled'],
    // No version turns it on, and none that is on is turned off.
    Preferred: ['Disabled', 'Disabled', 'Enabled'],
    Unknown: ['Disabled', 'Disabled', 'Disabled'],
  }
  it.each(Object.entries(cases))('with mode %s, where the status says nothing, Disabled and Enabled', (mode, want) => {
    expect(STATES.map((state) => stateOf(mode, state))).toEqual(want)
  })

  it('is Disabled where the class says nothing', () => {
    expect(STATES.map((state) => stateOf(undefined, state))).toEqual(['Disabled', 'Disabled', 'Disabled'])
  })
})
