// The parts of one installation, read only from the resources that the template created in its group.
import type { Document } from '../../../local/azure/arm/armState.ts'
import { textAt, textsAt } from '../../../local/azure/json.ts'
import type { LocalAzure } from '../../../local/azure/startAzure.ts'

export type Installation = {
  readonly site: Document
  readonly siteName: string
  /** All app settings, as the template wrote them. */
  readonly settings: { readonly [name: string]: string }
  readonly storageId: string
  readonly storageName: string
  readonly containers: readonly string[]
  readonly queues: readonly string[]
  readonly instrumentationKey: string
  /** The network through which the app's traffic leaves. Undefined if it uses none. */
  readonly appNetworkId: string | undefined
}

type Place = { readonly azure: Pick<LocalAzure, 'resources'>; readonly environment: string }

/** Returns the name of the group that the template makes for an environment of azd. */
export const groupOf = (environment: string): string => `rg-joiner-${environment}`

/** Returns the resources in the group of an environment of azd. */
export function resourcesOf({ azure, environment }: Place): readonly Document[] {
  return azure.resources().filter(({ id }) => id.toLowerCase().includes(`/resourcegroups/${groupOf(environment)}/`))
}

export function installationIn(place: Place): Installation {
  const resources = resourcesOf(place)
  const ofType = (type: string): readonly Document[] => resources.filter((each) => each['type'] === type)
  const one = (type: string): Document => {
    const [found, ...others] = ofType(type)
    if (found === undefined || others.length > 0)
      throw new Error(`the template makes ${others.length + (found === undefined ? 0 : 1)} of ${type}, not one`)
    return found
  }
  const [site, storage] = [one('Microsoft.Web/sites'), one('Microsoft.Storage/storageAccounts')]
  const settings = resources.find(({ id }) => id.toLowerCase() === `${site.id}/config/appsettings`.toLowerCase())
  const subnetId = textAt(site, 'properties.virtualNetworkSubnetId')
  const names = (type: string): readonly string[] => ofType(type).map((each) => String(each['name']))
  return {
    site,
    siteName: String(site['name']),
    settings: textsAt(settings, 'properties'),
    storageId: storage.id,
    storageName: String(storage['name']),
    containers: names('Microsoft.Storage/storageAccounts/blobServices/containers'),
    queues: names('Microsoft.Storage/storageAccounts/queueServices/queues'),
    instrumentationKey: textAt(one('Microsoft.Insights/components'), 'properties.InstrumentationKey') ?? '',
    appNetworkId: subnetId === undefined ? undefined : networkOf(subnetId),
  }
}

/** Returns the id of the virtual network of a subnet. */
export const networkOf = (subnetId: string): string => subnetId.replace(/\/subnets\/[^/]*$/i, '')
