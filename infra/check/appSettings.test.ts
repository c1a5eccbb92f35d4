import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../functions/config.ts'
import { readHostConfig } from '../../local/host/base/hostConfig.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createEvaluator } from './evaluate/evaluate.ts'
import { isObject, settle, toJson } from './evaluate/value.ts'
import { MAIN_SETS } from './parameterSets.ts'
import { repositorySources } from './sources.ts'

const { readText } = repositorySources(repositoryRoot)
const evaluator = await createEvaluator(readText)
/** Settings that the Functions host reads before the app starts. */
const OF_THE_HOST = /^(AzureWebJobsStorage__(accountName|credential|clientId|(blob|queue|table)ServiceUri)|AzureFunctionsJobHost__\w+)$/

describe.each(MAIN_SETS)('the settings of the app: $name', ({ parameters, deploymentContext = {} }) => {
  const { resources } = evaluator.evaluate('infra/main.bicep', parameters, { deploymentContext })
  const config = resources.find(({ type, name }) => type === 'Microsoft.Web/sites/config' && name.endsWith('/appsettings'))
  const answered = settle(config?.body['properties'] ?? {}, ({ path }) =>
    path.at(-1) === 'ConnectionString' ? 'InstrumentationKey=00000000-0000-4000-8000-000000000004' : `https://${path.join('-')}.example`,
  )
  const settings = isObject(answered) ? answered : {}
  const extra = Object.keys(Object(parameters['appSettings'] ?? {}))

  it('are settings that the app has', () => {
    expect(Object.keys(settings).length).toBeGreaterThan(10)
    const strange = Object.keys(settings).filter(
      (name) => !OF_THE_HOST.test(name) && !Object.hasOwn(SETTINGS.shape, name) && !extra.includes(name),
    )
    expect(strange).toEqual([])
  })

  it('set nothing in host.json but what the host knows', () => {
    const texts = Object.entries(settings).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
    expect(readHostConfig({ version: '2.0' }, Object.fromEntries(texts)).warnings).toEqual([])
  })

  it('have values that the app takes', () => {
    const { error } = SETTINGS.safeParse(toJson(settings))
    expect(error?.issues ?? []).toEqual([])
  })
})
