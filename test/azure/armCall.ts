import { request } from 'node:https'
import type { LocalAzure } from '../../local/azure/startAzure.ts'

export type ArmReply = {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: unknown
  readonly code: string | undefined
}

type Call = {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly version?: string
  readonly token?: string | undefined
}

/** The caller's identity, unless a token is given. */
export const SOMEBODY = { oid: 'o', appid: 'a' }

/** Gives the default caller all rights, where callers need roles. */
export function ownEverything({ access, subscriptionId }: LocalAzure): void {
  access.define({ id: 'owner', actions: ['*'] })
  access.assign('owner', { principalId: SOMEBODY.oid, roleId: 'owner', scope: `/subscriptions/${subscriptionId}` })
}

/** Calls the emulator as curl would, without an SDK in between. */
export async function armCall(azure: LocalAzure, method: string, path: string, call: Call = {}): Promise<ArmReply> {
  const token = 'token' in call ? call.token : await azure.issueToken({ audience: 'https://management.azure.com', ...SOMEBODY })
  const isNetwork = path.includes('Microsoft.Network')
  const version = call.version ?? (isNetwork ? '2026-01-01' : path.includes('/skus') ? '2021-07-01' : '2026-04-01')
  const url = new URL(path.startsWith('https:') ? path : `${azure.armUrl}${path}`)
  if (!url.searchParams.has('api-version') && version !== '') url.searchParams.set('api-version', version)
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...call.headers,
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, ca: azure.caCertificate }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (part: string) => (text += part))
      incoming.on('end', () => {
        const body: unknown = text === '' ? undefined : JSON.parse(text)
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body,
          code: (body as { error?: { code?: string } } | undefined)?.error?.code,
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body))
  })
}

export function groupPath(azure: LocalAzure): string {
  return `/subscriptions/${azure.subscriptionId}/resourceGroups/${azure.resourceGroups[0]}/providers`
}

export function nicPath(azure: LocalAzure, name: string): string {
  return `${groupPath(azure)}/Microsoft.Network/networkInterfaces/${name}`
}

export function vmPath(azure: LocalAzure, name: string): string {
  return `${groupPath(azure)}/Microsoft.Compute/virtualMachines/${name}`
}

export function nicBody(azure: LocalAzure): object {
  return { location: azure.location, properties: { ipConfigurations: [{ name: 'i', properties: { subnet: { id: azure.subnetId } } }] } }
}

export function vmBody(
  azure: LocalAzure,
  name: string,
  over: { readonly top?: object; readonly properties?: object; readonly size?: string; readonly nic?: string } = {},
): object {
  return {
    location: azure.location,
    tags: { a: 'b' },
    properties: {
      hardwareProfile: { vmSize: over.size ?? 'Standard_D2as_v6' },
      storageProfile: {
        osDisk: { createOption: 'FromImage', deleteOption: 'Delete' },
        imageReference: { communityGalleryImageId: '/CommunityGalleries/x' },
      },
      osProfile: { computerName: name, adminUsername: 'azureuser', customData: 'aGVsbG8=' },
      networkProfile: { networkInterfaces: [{ id: nicPath(azure, over.nic ?? name), properties: { deleteOption: 'Delete' } }] },
      ...over.properties,
    },
    ...over.top,
  }
}
