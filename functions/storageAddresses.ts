import type { Settings } from './config.ts'

type StorageSettings = Pick<
  Settings,
  'AzureWebJobsStorage__accountName' | 'AzureWebJobsStorage__blobServiceUri' | 'AzureWebJobsStorage__queueServiceUri'
>

/**
 * Returns the URLs of blobs and queues for access by managed identity. In clouds other than the public one, the URLs cannot be derived from the name
 * alone.
 */
export function storageAddresses(settings: StorageSettings): { readonly blobUrl: string; readonly queueUrl: string } {
  const { AzureWebJobsStorage__accountName: account } = settings
  const known = (service: string): string => `https://${account}.${service}.core.windows.net`
  return {
    blobUrl: settings.AzureWebJobsStorage__blobServiceUri ?? known('blob'),
    queueUrl: settings.AzureWebJobsStorage__queueServiceUri ?? known('queue'),
  }
}
