import { describe, expect, it } from 'vitest'
import type { Document } from '../../local/azure/arm/armState.ts'
import { requireAddress } from './outboundAddress.ts'

const GROUP = '/subscriptions/s/resourceGroups/g/providers'
const NETWORK = `${GROUP}/Microsoft.Network/virtualNetworks/v`
const [GATEWAY, ADDRESS] = [`${GROUP}/Microsoft.Network/natGateways/n`, `${GROUP}/Microsoft.Network/publicIPAddresses/p`]

type Parts = { readonly site?: object; readonly subnet?: object; readonly gateway?: object; readonly address?: object }

/** A site in a subnet whose gateway has one fixed address. Each part can be replaced. */
function resources({ site, subnet, gateway, address }: Parts = {}): readonly Document[] {
  const addresses = { publicIpAddresses: [{ id: ADDRESS }] }
  const of = { natGateway: { id: GATEWAY } }
  return [
    {
      id: `${GROUP}/Microsoft.Web/sites/a`,
      type: 'Microsoft.Web/sites',
      properties: site ?? { virtualNetworkSubnetId: `${NETWORK}/subnets/app` },
    },
    {
      id: NETWORK.toUpperCase(),
      properties: {
        subnets: [
          { name: 'endpoints', properties: {} },
          { name: 'app', properties: subnet ?? of },
        ],
      },
    },
    { id: GATEWAY, properties: gateway ?? addresses },
    { id: ADDRESS, properties: address ?? { publicIPAllocationMethod: 'Static', ipAddress: '20.1.2.3' } },
  ] as never
}

describe('the address that people are told', () => {
  it('is that of the gateway of the subnet where the app is', () => {
    expect(requireAddress(resources(), '20.1.2.3', true)).toContain('20.1.2.3')
    expect(requireAddress(resources({ site: {} }), '', false)).toContain('whatever address')
  })

  it.each<readonly [string, Parts, string, RegExp]>([
    ['is another one', {}, '20.9.9.9', /says "20.9.9.9", and the app calls from 20.1.2.3/],
    ['is of a gateway that the subnet does not use', { subnet: {} }, '20.1.2.3', /the app calls from undefined/],
    ['is not that of an app outside the network', { site: {} }, '20.1.2.3', /the app calls from undefined/],
    ['is none, where one is wanted', { site: {} }, '', /has no fixed address/],
    ['is one of two', { gateway: { publicIpAddresses: [{ id: ADDRESS }, { id: 'x' }] } }, '20.1.2.3', /has 2 addresses/],
    ['changes', { address: { publicIPAllocationMethod: 'Dynamic', ipAddress: '20.1.2.3' } }, '20.1.2.3', /is Dynamic/],
  ])('is refused where it %s', (_, parts, told, why) => {
    expect(() => requireAddress(resources(parts), told, true)).toThrow(why)
  })
})
