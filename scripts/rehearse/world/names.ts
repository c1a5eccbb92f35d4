// Resolves names in the loopback internet, as seen from a place: the internet, the app, or the cluster.
import type { Document } from '../../../local/azure/arm/armState.ts'
import { textAt } from '../../../local/azure/json.ts'
import { isKuduOf } from '../../../local/azure/kudu/kudu.ts'
import type { Destination, NameService, Refusal } from '../../../local/internet/startInternet.ts'
import { hasPrivateWay } from './privateWay.ts'

/** Azure's exporter of telemetry asks this host for Microsoft's settings. It works without an answer. */
const EXPORTER_SETTINGS = 'settings.sdk.monitor.azure.com'

export type Place = {
  /** `app`, `cluster` or `internet`, for messages. */
  readonly name: string
  /** Id of the virtual network of the place. Undefined on the internet. */
  readonly networkId: string | undefined
}

/** The servers behind the names. The names of an installation are known once it is provisioned. */
export type Servers = {
  readonly fixed: Readonly<Record<string, Destination>>
  readonly blob: Destination
  readonly queue: Destination
  readonly topics: Destination
  /** Takes packages for the app. */
  readonly kudu: Destination
  /** The server of the function app. Undefined while the app does not run. */
  readonly app: () => Destination | undefined
  readonly ingestion: Destination
}

export function createNameService(resources: () => readonly Document[], servers: Servers, place: Place): NameService {
  const ofType = (type: string): readonly Document[] => resources().filter((each) => each['type'] === type)
  return (host) => {
    // Azure ends an app with its site. Here its process may live a little longer.
    if (place.name === 'app' && ofType('Microsoft.Web/sites').length === 0) return { status: 503, why: 'the app is deleted' }
    if (host === EXPORTER_SETTINGS) return { status: 404, why: 'nobody has settings for the exporter' }
    const fixed = servers.fixed[host]
    if (fixed !== undefined) return fixed
    const label = host.slice(0, host.indexOf('.'))
    return storageOf(host, label) ?? siteOf(host) ?? kuduOf(host) ?? othersOf(host)
  }

  function storageOf(host: string, label: string): Destination | Refusal | undefined {
    const service = /^[^.]+\.(blob|queue)\.core\.windows\.net$/.exec(host)?.[1]
    const account = ofType('Microsoft.Storage/storageAccounts').find((each) => each['name'] === label)
    if (account === undefined || service === undefined) return undefined
    const to = service === 'blob' ? servers.blob : servers.queue
    return admitted(account, service, isOpen(account, 'networkAcls.defaultAction', 'Allow')) ?? to
  }

  function siteOf(host: string): Destination | Refusal | undefined {
    const site = ofType('Microsoft.Web/sites').find((each) => textAt(each, 'properties.defaultHostName') === host)
    if (site === undefined) return undefined
    return admitted(site, 'sites', isOpen(site, 'publicNetworkAccess', 'Enabled')) ?? servers.app() ?? unavailable(host)
  }

  /** Kudu admits the same places as the app: the template has no other rule for it (`scmIpSecurityRestrictionsUseMain`). */
  function kuduOf(host: string): Destination | Refusal | undefined {
    const site = ofType('Microsoft.Web/sites').find((each) => isKuduOf(each, host))
    return site === undefined ? undefined : (admitted(site, 'sites', isOpen(site, 'publicNetworkAccess', 'Enabled')) ?? servers.kudu)
  }

  function othersOf(host: string): Destination | undefined {
    if (ofType('Microsoft.EventGrid/topics').some((each) => textAt(each, 'properties.endpoint')?.startsWith(`https://${host}/`)))
      return servers.topics
    return host.endsWith('.in.applicationinsights.azure.com') ? servers.ingestion : undefined
  }

  /** Returns why the place is refused. Undefined if it is admitted. */
  function admitted(target: Document, group: string, isPublic: boolean): Refusal | undefined {
    if (isPublic || (place.networkId !== undefined && hasPrivateWay(resources(), { id: target.id, group }, place.networkId)))
      return undefined
    return { status: 403, why: `${target.id} admits nobody from the ${place.name}: no private endpoint and name for its network` }
  }
}

const isOpen = (resource: Document, path: string, open: string): boolean => (textAt(resource, `properties.${path}`) ?? open) === open
const unavailable = (host: string): Refusal => ({ status: 503, why: `${host} is not deployed` })
