// Checks whether a virtual network reaches a resource that is closed to the public: by private endpoint, peering and name.
import type { Document } from '../../../local/azure/arm/armState.ts'
import { at, listAt, textAt } from '../../../local/azure/json.ts'

type Target = { readonly id: string; readonly group: string }

/** Reports whether there is a private endpoint in the network, or in a network that is peered both ways, and a zone that the network resolves. */
export function hasPrivateWay(resources: readonly Document[], target: Target, networkId: string): boolean {
  const ofType = (type: string): readonly Document[] => resources.filter((each) => each['type'] === type)
  return ofType('Microsoft.Network/privateEndpoints').some((endpoint) => {
    const network = (textAt(endpoint, 'properties.subnet.id') ?? '').replace(/\/subnets\/[^/]*$/i, '')
    const isNear = same(network, networkId) || (isPeered(network, networkId) && isPeered(networkId, network))
    return isFor(endpoint, target) && isNear && resolves(endpoint.id)
  })

  function isPeered(from: string, to: string): boolean {
    return ofType('Microsoft.Network/virtualNetworks/virtualNetworkPeerings').some(
      (each) =>
        isIn(each, from) &&
        same(textAt(each, 'properties.remoteVirtualNetwork.id'), to) &&
        at(each, 'properties.allowVirtualNetworkAccess') === true,
    )
  }

  function resolves(endpointId: string): boolean {
    const groups = ofType('Microsoft.Network/privateEndpoints/privateDnsZoneGroups').filter((each) => isIn(each, endpointId))
    const zones = groups.flatMap((each) =>
      listAt(each, 'properties.privateDnsZoneConfigs').flatMap((zone) => textAt(zone, 'properties.privateDnsZoneId') ?? []),
    )
    const links = ofType('Microsoft.Network/privateDnsZones/virtualNetworkLinks')
    return links.some((link) => same(textAt(link, 'properties.virtualNetwork.id'), networkId) && zones.some((zone) => isIn(link, zone)))
  }
}

function isFor(endpoint: Document, { id, group }: Target): boolean {
  const [connection] = listAt(endpoint, 'properties.privateLinkServiceConnections')
  return same(textAt(connection, 'properties.privateLinkServiceId'), id) && listAt(connection, 'properties.groupIds').includes(group)
}

const isIn = (resource: Document, top: string): boolean => resource.id.toLowerCase().startsWith(`${top.toLowerCase()}/`)
const same = (left: string | undefined, right: string): boolean => left?.toLowerCase() === right.toLowerCase()
