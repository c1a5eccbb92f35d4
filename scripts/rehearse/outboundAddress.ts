// Checks that the app's traffic leaves from the address that the installer is told. An API server with authorized ranges has to admit this address.
import type { Document } from '../../local/azure/arm/armState.ts'
import { listAt, textAt } from '../../local/azure/json.ts'

/** Returns the address of the app's traffic, by its subnet and the subnet's gateway. Undefined if Azure chooses the address. */
function addressOfApp(resources: readonly Document[]): string | undefined {
  const byId = (id: string | undefined): Document | undefined => resources.find((each) => each.id.toLowerCase() === id?.toLowerCase())
  const site = resources.find((each) => each['type'] === 'Microsoft.Web/sites')
  const subnetId = textAt(site, 'properties.virtualNetworkSubnetId')
  const network = byId(subnetId?.replace(/\/subnets\/[^/]*$/i, ''))
  const subnet = listAt(network, 'properties.subnets').find((each) => textAt(each, 'name') === subnetId?.split('/').at(-1))
  const gateway = byId(textAt(subnet, 'properties.natGateway.id'))
  const [first, ...others] = listAt(gateway, 'properties.publicIpAddresses')
  if (others.length > 0) throw new Error(`the gateway of the app has ${others.length + 1} addresses, and people are told one`)
  const address = byId(textAt(first, 'id'))
  const method = textAt(address, 'properties.publicIPAllocationMethod')
  if (address !== undefined && method !== 'Static') throw new Error(`the address of the app is ${method}, and changes when it is not used`)
  return textAt(address, 'properties.ipAddress')
}

/** Returns a sentence for the report. Throws if the outputs name another address than the app's. */
export function requireAddress(resources: readonly Document[], told: unknown, isFixed: boolean): string {
  const address = addressOfApp(resources)
  if ((address ?? '') !== told) throw new Error(`JOINER_OUTBOUND_ADDRESS says ${JSON.stringify(told)}, and the app calls from ${address}`)
  if (isFixed !== (address !== undefined)) throw new Error(`the app ${isFixed ? 'has no' : 'has a'} fixed address`)
  return address === undefined
    ? 'the app calls from whatever address Azure takes'
    : `the app calls from ${address}, through its gateway, and no other`
}
