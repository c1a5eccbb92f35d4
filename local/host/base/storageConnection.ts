import { BlobServiceClient, type StoragePipelineOptions } from '@azure/storage-blob'
import { QueueServiceClient } from '@azure/storage-queue'
import { ownValue } from '../../../shared/base/values.ts'
import { HostError } from './hostError.ts'

// A storage account as an app's settings name it: with a connection string, or with an identity.
// https://learn.microsoft.com/azure/azure-functions/functions-identity-based-connections-tutorial and functions-reference, "Configure an
// identity-based connection".

type Retries = Pick<StoragePipelineOptions, 'retryOptions'>
type Settings = { readonly [name: string]: string }

export type StorageConnection =
  | { readonly kind: 'connectionString'; readonly connectionString: string }
  | { readonly kind: 'identity'; readonly blobUrl: string; readonly queueUrl: string; readonly token: () => Promise<Token> }
type Token = { readonly token: string; readonly expiresOnTimestamp: number }

/** Returns the connection whose settings begin with the prefix. Undefined if there are none. */
export function readConnection(settings: Settings, prefix: string): StorageConnection | undefined {
  const connectionString = ownValue(settings, prefix)
  if (connectionString !== undefined) return { kind: 'connectionString', connectionString }
  const part = (name: string): string | undefined => settings[`${prefix}__${name}`]
  const account = part('accountName')
  const url = (service: 'blob' | 'queue'): string | undefined =>
    part(`${service}ServiceUri`) ?? (account === undefined ? undefined : `https://${account}.${service}.core.windows.net`)
  const [blobUrl, queueUrl] = [url('blob'), url('queue')]
  if (blobUrl === undefined || queueUrl === undefined) return undefined
  if (part('credential') !== 'managedidentity')
    throw new HostError(`setting ${prefix}__credential must be managedidentity: this host takes no other identity`)
  const clientId = part('clientId')
  return { kind: 'identity', blobUrl, queueUrl, token: () => managedIdentityToken(settings, clientId) }
}

export function blobServiceOf(connection: StorageConnection, options: Retries): BlobServiceClient {
  if (connection.kind === 'connectionString') return BlobServiceClient.fromConnectionString(connection.connectionString, options)
  return new BlobServiceClient(connection.blobUrl, { getToken: connection.token }, options)
}

export function queueServiceOf(connection: StorageConnection, options: Retries): QueueServiceClient {
  if (connection.kind === 'connectionString') return QueueServiceClient.fromConnectionString(connection.connectionString, options)
  return new QueueServiceClient(connection.queueUrl, { getToken: connection.token }, options)
}

/** Gets a token from the endpoint that the platform gives to an app, protocol 2019-08-01. */
async function managedIdentityToken(settings: Settings, clientId: string | undefined): Promise<Token> {
  const endpoint = settings['IDENTITY_ENDPOINT']
  if (endpoint === undefined) throw new HostError('there is no managed identity: IDENTITY_ENDPOINT is missing')
  const url = new URL(endpoint)
  url.searchParams.set('api-version', '2019-08-01')
  url.searchParams.set('resource', 'https://storage.azure.com')
  if (clientId !== undefined) url.searchParams.set('client_id', clientId)
  const answer = await fetch(url, { headers: { 'x-identity-header': settings['IDENTITY_HEADER'] ?? '' } })
  if (!answer.ok) throw new HostError(`the managed identity gives no token for storage: ${answer.status} ${await answer.text()}`)
  const body: { readonly access_token: string; readonly expires_on: string } = JSON.parse(await answer.text())
  return { token: body.access_token, expiresOnTimestamp: Number(body.expires_on) * 1000 }
}
