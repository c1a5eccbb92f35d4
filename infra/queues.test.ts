import { describe, expect, it } from 'vitest'
import { queueNames, RETIRED } from '../functions/queueNames.ts'
import { repositoryRoot } from '../scripts/floors.ts'
import { createEvaluator } from './check/evaluate/evaluate.ts'
import { MAIN_SETS } from './check/parameterSets.ts'
import { repositorySources } from './check/sources.ts'

const QUEUES = 'Microsoft.Storage/storageAccounts/queueServices/queues'

describe('the template', () => {
  it.each(['function', 'queue'] as const)('makes each queue that the app listens to, with eventDelivery=%s', async (eventDelivery) => {
    const evaluator = await createEvaluator(repositorySources(repositoryRoot).readText)
    const { resources } = evaluator.evaluate('infra/main.bicep', { ...MAIN_SETS[0]?.parameters, eventDelivery }, {})
    const made = resources.filter(({ type }) => type === QUEUES).map(({ name }) => name.split('/').at(-1))
    expect(made).toEqual(expect.arrayContaining([...queueNames(eventDelivery)]))
    expect(RETIRED.queues.filter((name) => made.includes(name))).toEqual([])
  })
})
