import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { INJECTED_SETTINGS } from './injectedSettings.ts'

const sample: { readonly Values: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'local.settings.sample.json'), 'utf8'),
)
const KEY = 'DefaultEndpointsProtocol=https;AccountName=other;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net'
const BY_IDENTITY = {
  AzureWebJobsStorage: '',
  AzureWebJobsStorage__accountName: 'stjoiner',
  AzureWebJobsStorage__credential: 'managedidentity',
}

function problemsOf(changes: Record<string, string>): readonly string[] {
  const read = readConfig({ ...sample.Values, ...BY_IDENTITY, ...changes })
  return read.ok ? [] : read.error.map(({ message }) => message)
}

describe('settings that a tool or the platform adds', () => {
  it('are refused by name where a connection string would win over the identity', () => {
    expect(problemsOf({ AzureWebJobsStorage: KEY })).toEqual([
      'setting AzureWebJobsStorage: must not be set beside AzureWebJobsStorage__accountName, AzureWebJobsStorage__credential: the Functions host takes this connection string, and not the identity; remove AzureWebJobsStorage from the settings and connection strings of the function app',
    ])
  })

  it('are taken where there is no identity, as in the local stack', () => {
    expect(problemsOf({ AzureWebJobsStorage: KEY, AzureWebJobsStorage__accountName: '', AzureWebJobsStorage__credential: '' })).toEqual([])
  })

  it.each([
    'CUSTOMCONNSTR_AzureWebJobsStorage',
    'SQLAZURECONNSTR_azurewebjobsstorage',
    'ConnectionStrings__AzureWebJobsStorage',
    'ConnectionStrings:AzureWebJobsAzureWebJobsStorage',
    'AzureWebJobsAzureWebJobsStorage',
    'AzureWebJobsAzureWebJobsStorage__accountName',
    'AZUREWEBJOBSSTORAGE',
  ])('are refused where only the host follows them: %s', (name) => {
    expect(problemsOf({ [name]: KEY })).toEqual([expect.stringContaining(`setting ${name}: must not be set`)])
  })

  it.each(INJECTED_SETTINGS)('have a row whose example it matches: $example', ({ name, example, isRefused }) => {
    expect(name.test(example)).toBe(true)
    expect(problemsOf({ [example]: KEY })).toHaveLength(isRefused === 'never' ? 0 : 1)
  })

  it('never start the app on a connection string while settings of the identity are there, and are never shown', () => {
    const name = fc.constantFrom(
      ...['AzureWebJobsStorage', 'azurewebjobsstorage', 'MYSQLCONNSTR_AzureWebJobsStorage', 'ConnectionStrings__AzureWebJobsStorage'],
      ...INJECTED_SETTINGS.map(({ example }) => example),
    )
    const identity = fc
      .constantFrom('accountName', 'blobServiceUri', 'queueServiceUri', 'clientId')
      .map((part) => `AzureWebJobsStorage__${part}`)
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.uniqueArray(identity, { minLength: 1 }), (injected, parts) => {
        const given = Object.fromEntries([
          ...injected.map((each) => [each, KEY]),
          ...parts.map((each) => [each, 'https://stjoiner.example']),
        ])
        const read = readConfig({ ...sample.Values, ...BY_IDENTITY, ...given })
        if (read.ok) expect(read.value.settings.AzureWebJobsStorage).toBeUndefined()
        else expect(read.error.filter(({ message }) => message.includes('AccountKey'))).toEqual([])
      }),
    )
  })
})
