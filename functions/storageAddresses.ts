import { cloudWith, PUBLIC_CLOUD } from '../shared/model/cloud.ts'
import type { Settings } from './config.ts'

type StorageSettings = Pick<
  Settings,
  'ARM_ENDPOINT' | 'AzureWebJobsStorage__accountName' | 'AzureWebJobsStorage__blobServiceUri' | 'AzureWebJobsStorage__queueServiceUri'
>

/**
 * Returns the URLs of blobs and queues for access by managed identity. The endpoint of ARM says
 * which cloud they are in.
 */
export function storageAddresses(settings: StorageSettings): { readonly blobUrl: string; readonly queueUrl: string } {
  const { AzureWebJobsStorage__accountName: account } = settings
  const { storageSuffix = PUBLIC_CLOUD.facts.storageSuffix } = cloudWith('resourceManager', settings.ARM_ENDPOINT) ?? {}
  const known = (service: string): string => `https://${account}.${service}.${storageSuffix}`
  return {
    blobUrl: settings.AzureWebJobsStorage__blobServiceUri ?? known('blob'),
    queueUrl: settings.AzureWebJobsStorage__queueServiceUri ?? known('queue'),
  }
}
