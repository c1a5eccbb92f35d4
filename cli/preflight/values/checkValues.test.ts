import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../../functions/config.ts'
import { repositoryRoot } from '../../../scripts/floors.ts'
import { valueProblems } from './checkValues.ts'

const ID = '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters'
const settings = (given: object): readonly string[] => valueProblems({ JOINER_APP_SETTINGS: JSON.stringify(given) })
const overrides = (given: object, more: { readonly [name: string]: string } = {}): readonly string[] =>
  valueProblems({ JOINER_CLUSTER_IDS: `${ID}/Shop_1, ${ID}/other`, JOINER_CLUSTER_OVERRIDES: JSON.stringify(given), ...more })

describe('values of the environment', () => {
  it('are fine if none is set, and if those that only hooks read are empty', () => {
    expect(valueProblems({})).toEqual([])
    expect(
      valueProblems({ JOINER_REGISTRY: '', JOINER_CHART_VALUES: '', JOINER_CLUSTER_OVERRIDES: '', JOINER_DOWN: '', PATH: '/bin' }),
    ).toEqual([])
  })

  it('are all named at once, each with the file that holds it', () => {
    expect(valueProblems({ AZURE_ENV_NAME: 'dev', JOINER_SIZE: '', JOINER_SUBNETS: '', JOINER_NOBODY_KNOWS_THIS: '1' })).toEqual([
      "JOINER_SIZE: is empty, and azd sends the empty text; delete its line in .azure/dev/.env, or run: azd env set JOINER_SIZE 'small'",
      'JOINER_SUBNETS: is empty, and azd sends the empty text; delete its line in .azure/dev/.env',
      'JOINER_NOBODY_KNOWS_THIS: is not known; docs/install.md lists the values; to remove it, delete its line in .azure/dev/.env',
    ])
  })

  it('need a subnet for private endpoints and an app for them', () => {
    expect(valueProblems({ JOINER_SUBNETS: '{"endpoints":"x"}' })).toEqual([
      expect.stringContaining('JOINER_SUBNETS.app: '),
      'JOINER_SUBNETS.endpoints: must be the resource id of a subnet',
    ])
  })
})

describe('settings of the app', () => {
  it('are taken where the app takes them, and names of the host pass', () => {
    expect(settings({ LOG_LEVEL: 'debug', BATCH_IDLE_DURATION: '2s', WORKBOOK_ID: '' })).toEqual([])
    expect(
      settings({ AzureFunctionsJobHost__logging__logLevel__default: 'x', WEBSITE_TIME_ZONE: 'UTC', NODE_OPTIONS: '', HTTPS_PROXY: '' }),
    ).toEqual([])
  })

  it.each(Object.keys(SETTINGS.shape).map((name) => [name]))('of a name near %s are refused by name', (name) => {
    expect(settings({ [`${name}X`]: '1' })[0] ?? '').toMatch(/^(JOINER_APP_SETTINGS\.\w+: is no setting of the app; did you mean |$)/)
    expect(settings({ [name.toLowerCase()]: '1' })).toEqual([expect.stringContaining(`did you mean ${name}`)])
  })

  it('are judged together with those that they conflict with', () => {
    expect(settings({ BATCH_MAX_DURATION: '500ms' })).toEqual([
      expect.stringContaining('JOINER_APP_SETTINGS.BATCH_IDLE_DURATION: must not be longer'),
    ])
  })

  it('may hold the clusters themselves', () => {
    expect(settings({ JOINER_CLUSTERS: '[]' })).toEqual(['JOINER_APP_SETTINGS.JOINER_CLUSTERS: must name at least one cluster'])
  })

  it.each(['constructor', 'toString'])('named %s are not known', (name) => {
    expect(valueProblems({ JOINER_APP_SETTINGS: `{"${name}":"1"}` })).toEqual([
      expect.stringContaining(`JOINER_APP_SETTINGS.${name}: is no setting of the app`),
    ])
  })
})

describe('overrides of clusters', () => {
  it('are of the clusters by the ids that Joiner gives them', () => {
    expect(overrides({ 'shop-1': { machinePrefix: 'shop-' }, other: { apiServer: 'https://x.example:6443' } })).toEqual([])
    expect(overrides({ Shop_1: {} })).toEqual(['JOINER_CLUSTER_OVERRIDES.Shop_1: names no cluster; did you mean shop-1?'])
  })

  it('name the cluster whose field is refused', () => {
    expect(overrides({ other: { dnsServiceIp: 'x', caBundle: '!' } })).toEqual([
      expect.stringMatching(/^JOINER_CLUSTER_OVERRIDES\.other\.(caBundle|dnsServiceIp): /),
      expect.stringMatching(/^JOINER_CLUSTER_OVERRIDES\.other\.(caBundle|dnsServiceIp): /),
    ])
  })

  it('of a demo cluster are judged although nobody knows its name yet', () => {
    expect(overrides({ 'aks-joiner-x': { machinePrefix: 'x-' } }, { JOINER_DEMO_CLUSTER: 'true' })).toEqual([])
    expect(overrides({ 'aks-joiner-x': { machinePrefix: 'X' } }, { JOINER_DEMO_CLUSTER: 'true', JOINER_CLUSTER_IDS: '' })).toEqual([
      expect.stringContaining('JOINER_CLUSTER_OVERRIDES.aks-joiner-x.machinePrefix: '),
    ])
  })

  it('with readers of the tenant need an audience', () => {
    expect(overrides({ other: { allowedReaderIdentities: ['00000000-0000-4000-8000-000000000002'] } })).toEqual([
      expect.stringContaining('JOINER_ENTRA_AUDIENCE: names no app registration'),
    ])
  })
})

describe('values of the chart', () => {
  type Schema = { readonly properties?: { readonly [name: string]: Schema } }
  const schema: Schema = JSON.parse(readFileSync(join(repositoryRoot, 'charts/joiner/values.schema.json'), 'utf8'))
  const judge = new Ajv({ strict: false }).compile(schema)
  const WRONG = [1, -1, 0.5, 9e9, '', 'x', 'X y', true, [], [1], [{}], {}, { unknown: 1 }, { name: 'x' }, ['10.0.0.0/8'], 'https://x']

  function paths(each: Schema, path: readonly string[] = []): readonly (readonly string[])[] {
    return Object.entries(each.properties ?? {}).flatMap(([name, inner]) => [[...path, name], ...paths(inner, [...path, name])])
  }
  const all = paths(schema).map((path) => [path.join('.'), path] as const)

  it('are many', () => expect(all.length).toBeGreaterThan(50))

  it.each(all)('are judged at %s as a validator of JSON schemas judges them', (_, path) => {
    for (const value of WRONG) {
      const values = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
      const isFine = valueProblems({ JOINER_CHART_VALUES: JSON.stringify(values) }).length === 0
      expect(isFine, JSON.stringify(values)).toBe(judge(values))
    }
  })

  it('may be null, which removes a default', () => {
    expect(valueProblems({ JOINER_CHART_VALUES: '{"image":null,"shim":{"replicas":null}}' })).toEqual([])
  })
})
