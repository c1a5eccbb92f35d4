import { describe, expect, it } from 'vitest'
import { Fault } from '../../../model/problem.ts'
import { parseSubnetId } from './subnetId.ts'

const id = (group: string, network: string, subnet: string) =>
  `/subscriptions/s/resourceGroups/${group}/providers/Microsoft.Network/virtualNetworks/${network}/subnets/${subnet}`

describe('SN-01: the id of a subnet', () => {
  it.each([
    ['g', 'v', 'n'],
    ['MC_(a)_b.c', 'aks-vnet-10000001', 'aks-subnet'],
    ['subnets', 'virtualNetworks', 'subnets'],
  ])('names group %s, network %s and subnet %s', (group, network, subnet) => {
    expect(parseSubnetId(id(group, network, subnet))).toEqual({ group, network, subnet })
    const shouted = parseSubnetId(
      id(group, network, subnet).replace('/resourceGroups/', '/RESOURCEGROUPS/').replace('Microsoft.Network', 'MICROSOFT.NETWORK'),
    )
    expect(shouted).toEqual({ group, network, subnet })
  })

  it.each([
    '',
    '/subscriptions/s',
    id('g', 'v', ''),
    `${id('g', 'v', 'n')}/`,
    `${id('g', 'v', 'n')}/more`,
    id('g', 'v', 'n').replace('Microsoft.Network', 'Microsoft.Compute'),
    id('g', 'v', 'n').slice(1),
  ])('is refused as %j', (wrong) => expect(() => parseSubnetId(wrong)).toThrow(Fault))
})
