import { describe, expect, it } from 'vitest'
import { armAudience, CLOUDS, cloudOf, cloudProblem, cloudWith, PUBLIC_CLOUD, registryAudience } from './cloud.ts'

describe('the cloud of a region', () => {
  it.each([
    ['eastus', 'AzurePublicCloud'],
    ['southeastasia', 'AzurePublicCloud'],
    ['germanywestcentral', 'AzurePublicCloud'],
    ['francecentral', 'AzurePublicCloud'],
    ['West Europe', 'AzurePublicCloud'],
  ])('is the public one, whose facts are all known: %s', (location, want) => {
    expect(cloudProblem(location)).toBeUndefined()
    expect(cloudOf(location).name).toBe(want)
  })

  it.each([
    ['usgovvirginia', 'Azure US Government'],
    ['usdodeast', 'Azure US Government'],
    ['China North 3', 'Azure China'],
    ['germanycentral', 'Azure Germany'],
    ['bleufrancecentral', 'Bleu'],
    ['delosgermanycentral', 'Delos Cloud'],
    ['usnateast', 'Azure Government Top Secret'],
    ['ussecwest', 'Azure Government Secret'],
    ['singaporecentral', 'the cloud of Singapore'],
  ])('is refused with what is not known of it: %s', (location, title) => {
    expect(cloudProblem(location)).toContain(`region ${location} is in ${title}, and Joiner does not know of this cloud: `)
    expect(cloudProblem(location)).toContain('price list')
    expect(() => cloudOf(location)).toThrow('whose facts are not known')
  })

  it('names exactly the facts that its row lacks', () => {
    expect(cloudProblem('usgovarizona')).toBe(
      'region usgovarizona is in Azure US Government, and Joiner does not know of this cloud: issuer of tokens of version 1, registry of AKS images, mirror of binaries, image gallery of Ubuntu, image gallery of Azure Linux, subscription of shared image galleries, price list',
    )
  })
})

describe('the cloud of an endpoint', () => {
  it.each([
    ['https://management.azure.com/', 'https://management.azure.com'],
    ['https://MANAGEMENT.usgovcloudapi.net', 'https://management.usgovcloudapi.net'],
    ['https://management.chinacloudapi.cn/', 'https://management.chinacloudapi.cn'],
    ['http://127.0.0.1:4000', 'https://management.azure.com'],
    ['https://localhost:4000/arm', 'https://management.azure.com'],
    ['https://management.azure.com.example', undefined],
    ['https://127.0.0.1.example', undefined],
    ['https://management.cloudapi.de', undefined],
  ])('says whom a token is for: %s', (endpoint, want) => {
    expect(armAudience(endpoint)).toBe(want)
  })

  it('is one cloud for each endpoint, and each endpoint is of one cloud', () => {
    for (const fact of ['resourceManager', 'authority', 'storageSuffix', 'registrySuffix', 'portal'] as const) {
      const known = CLOUDS.flatMap(({ facts }) => facts[fact] ?? [])
      expect(new Set(known).size).toBe(known.length)
    }
    for (const { facts } of CLOUDS) {
      if (facts.resourceManager !== undefined) expect(cloudWith('resourceManager', facts.resourceManager)).toBe(facts)
      if (facts.authority !== undefined) expect(cloudWith('authority', facts.authority)).toBe(facts)
    }
  })

  it.each([
    ['acme.azurecr.io', PUBLIC_CLOUD.facts.resourceManager],
    ['acme.azurecr.us', 'https://management.usgovcloudapi.net'],
    ['acme.AZURECR.cn', 'https://management.chinacloudapi.cn'],
    ['azurecr.io', undefined],
    ['acme.azurecr.io.example', undefined],
    ['ghcr.io', undefined],
  ])('says whom a token for a registry is for: %s', (host, want) => {
    expect(registryAudience(host)).toBe(want)
  })
})
