import { describe, expect, it } from 'vitest'
import { storageAddresses } from './storageAddresses.ts'

describe('a storage account reached by identity', () => {
  it('is in the public cloud where only its name is known', () => {
    expect(storageAddresses({ ARM_ENDPOINT: 'https://management.azure.com', AzureWebJobsStorage__accountName: 'stjoiner' })).toEqual({
      blobUrl: 'https://stjoiner.blob.core.windows.net',
      queueUrl: 'https://stjoiner.queue.core.windows.net',
    })
  })

  it('is in the cloud of the endpoint of ARM', () => {
    const settings = { ARM_ENDPOINT: 'https://management.usgovcloudapi.net/', AzureWebJobsStorage__accountName: 'stjoiner' }
    expect(storageAddresses(settings).blobUrl).toBe('https://stjoiner.blob.core.usgovcloudapi.net')
  })

  it('is where the template says', () => {
    expect(
      storageAddresses({
        ARM_ENDPOINT: 'https://management.azure.com',
        AzureWebJobsStorage__accountName: 'stjoiner',
        AzureWebJobsStorage__blobServiceUri: 'https://stjoiner.blob.core.chinacloudapi.cn/',
        AzureWebJobsStorage__queueServiceUri: 'https://stjoiner.queue.core.chinacloudapi.cn/',
      }),
    ).toEqual({ blobUrl: 'https://stjoiner.blob.core.chinacloudapi.cn/', queueUrl: 'https://stjoiner.queue.core.chinacloudapi.cn/' })
  })
})
