/** The cloud is one value: names that differ from cloud to cloud are in one module. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLOUDS as BICEP_CLOUDS } from '../../infra/check/evaluate/functions/azure.ts'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'
import { CLOUDS } from '../../shared/model/cloud.ts'

const ITS_PLACE = 'shared/model/cloud.ts'
/** Hosts, suffixes and names of clouds. Groups of labels and drivers, such as `karpenter.azure.com`, are the same in each cloud. */
const OF_A_CLOUD =
  /management\.(core\.|azure\.|usgov|china)|\bcore\.(windows\.net|usgovcloudapi|chinacloudapi)|\bAzure\w*Cloud\b|\bmcr\.(microsoft|azure|azk8s)\b|\b(prices|portal|login|gallery)\.(azure|microsoftonline|chinacloudapi|usgov)|sts\.windows\.net|azurecr\.\w|azurewebsites\.\w|\bvault\.(azure|usgov)|azureedge\.net|usgovcloudapi|chinacloudapi|AKS(Ubuntu|AzureLinux)-[0-9a-f]{8}/

describe('a name that belongs to a cloud', () => {
  const files = sourceFiles(repositoryRoot).filter((file) => /^(shared|functions|cli|shim)\//.test(file) && !isTestFile(file))

  it('is in one module', () => {
    expect(files.filter((file) => OF_A_CLOUD.test(readFileSync(join(repositoryRoot, file), 'utf8')))).toEqual([ITS_PLACE])
  })

  it('is seen by this rule, for each fact of each cloud', () => {
    const texts = CLOUDS.flatMap(({ name, facts }) => [
      name,
      ...Object.entries(facts).flatMap(([fact, text]) => (fact.endsWith('Id') ? [] : (text ?? []))),
    ])
    expect(texts.length).toBeGreaterThan(20)
    expect(texts.filter((text) => !OF_A_CLOUD.test(text) && !/^US\w+Cloud$/.test(text))).toEqual([])
  })

  it('is the one that Bicep knows', () => {
    const known = CLOUDS.filter(({ facts }) => facts.resourceManager !== undefined).map(({ facts }) => ({
      portal: facts.portal,
      resourceManager: `${facts.resourceManager}/`,
      loginEndpoint: `${facts.authority}/`,
      storage: facts.storageSuffix,
    }))
    expect(new Set(Object.values(BICEP_CLOUDS).map((each) => JSON.stringify(each)))).toEqual(
      new Set(known.map((each) => JSON.stringify(each))),
    )
  })
})
