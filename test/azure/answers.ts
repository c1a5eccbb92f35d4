/** Azure's answers as it spells them, served to the clients of the app. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../local/azure/httpServer.ts'
import { createAuthority } from '../../local/certificates/authority.ts'
import { type ArmClients, createArmClients } from '../../shared/adapters/azure/clients.ts'
import { epochMs } from '../../shared/model/units.ts'

export type AnswerRow = {
  /** Method and end of the path, case ignored. */
  readonly request: RegExp
  /** Where Azure documents the shape: a folder of examples in Azure/azure-rest-api-specs, or an answer that was kept. All were read on 2026-11-29. */
  readonly source: string
}
const COMPUTE = 'Azure/azure-rest-api-specs, specification/compute/resource-manager/Microsoft.Compute'
const NETWORK = 'Azure/azure-rest-api-specs, specification/network/resource-manager/Microsoft.Network, examples'
const AKS = 'Azure/azure-rest-api-specs, specification/containerservice/resource-manager/Microsoft.ContainerService/aks'

/** A row for each call whose answer an adapter reads: `group.method` of the SDK, or the name of a resource that is read without it. */
export const ANSWERS = {
  'virtualMachines.get': { request: /^GET .*\/virtualMachines\/aks-one$/i, source: `${COMPUTE}, VirtualMachine_Get*` },
  'virtualMachines.list': { request: /^GET .*\/virtualMachines$/i, source: `${COMPUTE}, VirtualMachine_List*` },
  'virtualMachines.instanceView': { request: /^GET .*\/aks-two\/instanceView$/i, source: `${COMPUTE}, VirtualMachine_Get_InstanceView` },
  'networkInterfaces.get': { request: /^GET .*\/networkInterfaces\/aks-one$/i, source: `${NETWORK}, NetworkInterfaceGet` },
  'networkInterfaces.list': { request: /^GET .*\/networkInterfaces$/i, source: `${NETWORK}, NetworkInterfaceList` },
  'networkInterfaces.createOrUpdate': {
    request: /^PUT .*\/networkInterfaces\/aks-three$/i,
    source: `${NETWORK}, NetworkInterfaceCreate`,
  },
  'disks.get': { request: /^GET .*\/disks\/aks-one$/i, source: `${COMPUTE}, Disk_Get` },
  'usage.list': { request: /^GET .*\/locations\/eastus\/usages$/i, source: `${COMPUTE}, Usage_List*` },
  'communityGalleryImageVersions.list': {
    request: /^GET .*\/communityGalleries\/[^/]+\/images\/[^/]+\/versions$/i,
    source: `${COMPUTE}, CommunityGalleryImageVersion_List`,
  },
  'galleryImageVersions.listByGalleryImage': {
    request: /^GET .*\/galleries\/[^/]+\/images\/[^/]+\/versions$/i,
    source: `${COMPUTE}, GalleryImageVersion_ListByGalleryImage`,
  },
  'virtualNetworks.list': { request: /^GET .*\/virtualNetworks$/i, source: `${NETWORK}, VirtualNetworkList` },
  'networkSecurityGroups.list': { request: /^GET .*\/networkSecurityGroups$/i, source: `${NETWORK}, NetworkSecurityGroupList` },
  'loadBalancers.list': { request: /^GET .*\/loadBalancers$/i, source: `${NETWORK}, LoadBalancerList` },
  'subnets.get': { request: /^GET .*\/virtualNetworks\/hub\/subnets\/nodes$/i, source: `${NETWORK}, SubnetGet` },
  skus: { request: /^GET .*\/Microsoft\.Compute\/skus$/i, source: 'the list of southcentralus, whose spelling `Name` no example has' },
  virtualNetwork: { request: /^GET .*\/virtualNetworks\/aks-vnet-12345678$/i, source: `${NETWORK}, VirtualNetworkGet` },
  managedCluster: { request: /^GET .*\/managedClusters\/shop$/i, source: `${AKS}, ManagedClustersGet` },
} as const satisfies { readonly [call: string]: AnswerRow }
export type AnsweredCall = keyof typeof ANSWERS

/** Calls whose answer no adapter reads. */
export const UNREAD: { readonly [call: string]: string } = {
  'virtualMachines.createOrUpdate': 'only whether Azure took the request',
  'virtualMachines.delete': 'only whether Azure took the request',
  'virtualMachines.restart': 'only whether Azure took the request',
  'virtualMachines.update': 'only whether it succeeded',
  'networkInterfaces.delete': 'only whether Azure took the request',
  'networkInterfaces.updateTags': 'only whether it succeeded',
  'disks.update': 'only whether it succeeded',
}

export const answerFile = (call: string): string => join(import.meta.dirname, 'answers', `${call}.json`)

type Served<Call extends string> = {
  readonly rows: { readonly [call in Call]: AnswerRow }
  readonly fileOf: (call: Call) => string
  /** Answers that are made elsewhere. */
  readonly given?: { readonly [call in Call]?: unknown }
}

/** Serves the answers of the adapters' calls. */
export async function serveAnswers(subscriptionId: string, given: { readonly [call in AnsweredCall]?: unknown }) {
  const served = await serveRows<AnsweredCall>({ rows: ANSWERS, fileOf: answerFile, given })
  const { credential, clock, arm } = served
  const clients: ArmClients = createArmClients({ credential, subscriptionId, clock, ...arm })
  return { ...served, clients }
}

/** Serves an answer to the first row that a request fits. Requests that no row has are answered with 404. */
export async function serveRows<Call extends string>({ rows, fileOf, given }: Served<Call>) {
  const authority = await createAuthority('joiner answers')
  const { certificate, key } = await authority.issue({ subject: 'CN=arm', usage: 'server' })
  const served = new Set<Call>()
  const patched: { readonly path: string; readonly body: unknown }[] = []
  const names = Object.keys(rows) as Call[]
  const server = await serve(
    ({ method, url, body }) => {
      if (method === 'PATCH') {
        patched.push({ path: url.pathname, body: JSON.parse(body) })
        return { status: 200, body: { properties: { provisioningState: 'Succeeded' } } }
      }
      const call = names.find((name) => rows[name].request.test(`${method} ${url.pathname}`))
      if (call === undefined) return { status: 404, body: { error: { code: 'ResourceNotFound', message: `${method} ${url.pathname}` } } }
      served.add(call)
      return { status: 200, body: given?.[call] ?? readFileSync(fileOf(call), 'utf8'), headers: { 'content-type': 'application/json' } }
    },
    { tls: { certificate, key } },
  )
  const credential = { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3_600_000 }) }
  const arm = { endpoint: server.url, ca: authority.certificate, maxRetries: 0 }
  const clock = { now: () => epochMs(1_800_000_000_000), sleep: () => Promise.resolve() }
  return { credential, arm, clock, served, patched, close: () => server.close() }
}
