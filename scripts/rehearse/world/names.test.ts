import { describe, expect, it } from 'vitest'
import type { Document } from '../../../local/azure/arm/armState.ts'
import { createNameService, type Servers } from './names.ts'

const GROUP = '/subscriptions/s/resourceGroups/g/providers'
const SITE = `${GROUP}/Microsoft.Web/sites/one`
const NETWORK = `${GROUP}/Microsoft.Network/virtualNetworks/near`
const ENDPOINT = `${GROUP}/Microsoft.Network/privateEndpoints/site`
const ZONE = `${GROUP}/Microsoft.Network/privateDnsZones/privatelink.azurewebsites.net`
const KUDU = 'one.scm.azurewebsites.net'

const at = (url: string) => ({ url })
const servers: Servers = {
  fixed: { 'management.azure.com': at('arm') },
  blob: at('blob'),
  queue: at('queue'),
  topics: at('topics'),
  kudu: at('kudu'),
  app: () => at('app'),
  ingestion: at('ingestion'),
}

function site(publicNetworkAccess: string): Document {
  const hostNameSslStates = [
    { name: 'one.azurewebsites.net', hostType: 'Standard' },
    { name: KUDU, hostType: 'Repository' },
  ]
  const properties = { publicNetworkAccess, defaultHostName: 'one.azurewebsites.net', hostNameSslStates }
  return { id: SITE, type: 'Microsoft.Web/sites', properties }
}

/** A private endpoint of the site, with a zone that the network resolves. */
const WAY: readonly Document[] = [
  {
    id: ENDPOINT,
    type: 'Microsoft.Network/privateEndpoints',
    properties: {
      subnet: { id: `${NETWORK}/subnets/endpoints` },
      privateLinkServiceConnections: [{ properties: { privateLinkServiceId: SITE, groupIds: ['sites'] } }],
    },
  },
  {
    id: `${ENDPOINT}/privateDnsZoneGroups/default`,
    type: 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups',
    properties: { privateDnsZoneConfigs: [{ properties: { privateDnsZoneId: ZONE } }] },
  },
  {
    id: `${ZONE}/virtualNetworkLinks/near`,
    type: 'Microsoft.Network/privateDnsZones/virtualNetworkLinks',
    properties: { virtualNetwork: { id: NETWORK } },
  },
]

const DEPLOYER = { name: 'deployer', networkId: undefined }
const NEAR = { name: 'deployer', networkId: NETWORK }

describe('the names of an installation', () => {
  it('have the Kudu of a public app, for everybody', () =>
    expect(createNameService(() => [site('Enabled')], servers, DEPLOYER)(KUDU)).toEqual({ url: 'kudu' }))

  it('refuse the package of a private app from the internet, and take it in its network', () => {
    const resources = () => [site('Disabled'), ...WAY]
    expect(createNameService(resources, servers, DEPLOYER)(KUDU)).toMatchObject({ status: 403 })
    expect(createNameService(resources, servers, NEAR)(KUDU)).toEqual({ url: 'kudu' })
    expect(createNameService(() => [site('Disabled')], servers, NEAR)(KUDU)).toMatchObject({ status: 403 })
  })

  it('do not have the Kudu of an app that is not there', () => expect(createNameService(() => [], servers, DEPLOYER)(KUDU)).toBeUndefined())

  it('answer an app that was deleted with a refusal, and nobody else', () => {
    expect(createNameService(() => [], servers, { name: 'app', networkId: undefined })('management.azure.com')).toMatchObject({
      status: 503,
    })
    expect(createNameService(() => [], servers, DEPLOYER)('management.azure.com')).toEqual({ url: 'arm' })
  })
})
