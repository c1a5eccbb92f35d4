import type { Settings } from './config.ts'

type StorageSettings = Pick<
  Settings,
  'AzureWebJobsStorage__accountName' | 'AzureWebJobsStorage__blobServiceUri' | 'AzureWebJobsStorage__queueServiceUri'
>

/** Where blobs and queues are reached by identity. Clouds other than the public one have addresses that the name alone does not say. */
export function storageAddresses(settings: StorageSettings): { readonly blobUrl: string; readonly queueUrl: string } {
  const { AzureWebJobsStorage__accountName: account } = settings
  const known = (service: string): string => `https://${account}.${service}.core.windows.net`
  return {
    blobUrl: settings.AzureWebJobsStorage__blobServiceUri ?? known('blob'),
    queueUrl: settings.AzureWebJobsStorage__queueServiceUri ?? known('queue'),
  }
}
