import type { StorageAccount } from '../shared/adapters/storage/storageClients.ts'
import type { Settings } from './config.ts'

type Credential = Extract<StorageAccount, { readonly kind: 'identity' }>['credential']

/** The account of the host's own storage: by connection string where there is one (local), by identity in Azure. */
export function storageAccount(settings: Settings, credential: Credential): StorageAccount {
  const { AzureWebJobsStorage: connectionString, AzureWebJobsStorage__accountName: account } = settings
  if (connectionString !== undefined) return { kind: 'connectionString', connectionString }
  return {
    kind: 'identity',
    blobUrl: `https://${account}.blob.core.windows.net`,
    queueUrl: `https://${account}.queue.core.windows.net`,
    credential,
  }
}
