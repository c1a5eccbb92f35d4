import { describe, expect, it } from 'vitest'
import { storageAddresses } from './storageAddresses.ts'

describe('a storage account reached by identity', () => {
  it('is in the public cloud where only its name is known', () => {
    expect(storageAddresses({ AzureWebJobsStorage__accountName: 'stjoiner' })).toEqual({
      blobUrl: 'https://stjoiner.blob.core.windows.net',
      queueUrl: 'https://stjoiner.queue.core.windows.net',
    })
  })

  it('is where the template says', () => {
    expect(
      storageAddresses({
        AzureWebJobsStorage__accountName: 'stjoiner',
        AzureWebJobsStorage__blobServiceUri: 'https://stjoiner.blob.core.chinacloudapi.cn/',
        AzureWebJobsStorage__queueServiceUri: 'https://stjoiner.queue.core.chinacloudapi.cn/',
      }),
    ).toEqual({ blobUrl: 'https://stjoiner.blob.core.chinacloudapi.cn/', queueUrl: 'https://stjoiner.queue.core.chinacloudapi.cn/' })
  })
})
