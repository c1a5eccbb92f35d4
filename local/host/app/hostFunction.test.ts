import { describe, expect, it } from 'vitest'
import type { AppRegistry, Binding } from './functionsCore.ts'
import { readFunctions, type Settings } from './hostFunction.ts'

const SETTINGS: Settings = {
  AzureWebJobsStorage: 'main',
  Other: 'second',
  AzureWebJobsThird: 'third',
  EVERY: '0 * * * * *',
  QUEUE: 'work-items',
}

type Registered = { readonly bindings: Readonly<Record<string, Partial<Binding>>>; readonly retryOptions?: object }

/** Reads an app that registered these functions. */
function read(functions: Readonly<Record<string, Registered>>, settings: Settings = SETTINGS) {
  const entries = Object.entries(functions).map(([name, each]) => [name, { metadata: { name, ...each }, callback: () => undefined }])
  return readFunctions({ functions: new Map(entries as never) } as unknown as AppRegistry, settings, (error) => {
    throw error
  })
}
const one = (bindings: Registered['bindings'], settings?: Settings) => read({ work: { bindings } }, settings)[0]
const trigger = (binding: Partial<Binding> & { readonly [member: string]: unknown }) =>
  ({ in: { direction: 'in', ...binding } }) as Registered['bindings']

const account = (connectionString: string): object => ({ kind: 'connectionString', connectionString })

describe('a function is run', () => {
  const TRIGGERS: { readonly [sentence: string]: readonly [Parameters<typeof trigger>[0], object] } = {
    'by requests to its own name, unless it says where': [
      { type: 'httpTrigger' },
      { kind: 'http', methods: ['GET', 'POST'], route: 'work', authLevel: 'anonymous' },
    ],
    'by requests as it says': [
      { type: 'httpTrigger', methods: ['put', 'Delete'], route: 'a/{b}', authLevel: 'FUNCTION' },
      { kind: 'http', methods: ['PUT', 'DELETE'], route: 'a/{b}', authLevel: 'function' },
    ],
    'by messages of the main storage': [
      { type: 'queueTrigger', queueName: 'things' },
      { kind: 'queue', queueName: 'things', connection: account('main') },
    ],
    'by messages of another storage': [
      { type: 'queueTrigger', queueName: '%QUEUE%', connection: 'Other' },
      { kind: 'queue', queueName: 'work-items', connection: account('second') },
    ],
    'by messages of a storage whose setting has the prefix': [
      { type: 'queueTrigger', queueName: 'things', connection: 'Third' },
      { kind: 'queue', queueName: 'things', connection: account('third') },
    ],
    'by time, which is remembered': [
      { type: 'timerTrigger', schedule: '%EVERY%' },
      { kind: 'timer', schedule: '0 * * * * *', runOnStartup: false, useMonitor: true },
    ],
    'by time and at the start': [
      { type: 'timerTrigger', schedule: '00:00:05', runOnStartup: true, useMonitor: false },
      { kind: 'timer', schedule: '00:00:05', runOnStartup: true, useMonitor: false },
    ],
    'by events': [{ type: 'eventGridTrigger' }, { kind: 'eventGrid' }],
  }
  for (const [sentence, [binding, want]] of Object.entries(TRIGGERS))
    it(sentence, () => expect(one(trigger(binding))).toMatchObject({ name: 'work', triggerName: 'in', trigger: want, disabled: false }))

  it.each([
    ['AzureWebJobs.work.Disabled', 'true', true],
    ['AzureWebJobs__work__Disabled', '1', true],
    ['AzureWebJobs.work.Disabled', 'TRUE', true],
    ['AzureWebJobs.work.Disabled', 'false', false],
    ['AzureWebJobs.other.Disabled', 'true', false],
  ])('unless it is switched off: %s=%s', (setting, value, disabled) => {
    expect(one(trigger({ type: 'eventGridTrigger' }), { ...SETTINGS, [setting]: value })?.disabled).toBe(disabled)
  })

  it('with its outputs to queues, and its retries', () => {
    const bindings = {
      ...trigger({ type: 'httpTrigger' }),
      $return: { type: 'http', direction: 'out' },
      more: { type: 'queue', direction: 'out', queueName: 'things' },
    } as Registered['bindings']
    const retryOptions = { strategy: 'fixedDelay', maxRetryCount: 2 }
    const [read1] = read({ work: { bindings, retryOptions } })
    expect([...(read1?.queueOutputs ?? [])]).toEqual([['more', { queueName: 'things', connection: account('main') }]])
    expect(read1?.retry).toEqual(retryOptions)
    expect(one(bindings)).not.toHaveProperty('retry')
  })
})

describe('a function is refused', () => {
  const out = (binding: object) => ({ ...trigger({ type: 'eventGridTrigger' }), more: binding }) as Registered['bindings']
  const REFUSED: { readonly [what: string]: readonly [Registered['bindings'], string] } = {
    'without a trigger': [{}, 'function work has no trigger'],
    'with a trigger that is not emulated': [trigger({ type: 'blobTrigger' }), 'the trigger blobTrigger is not emulated'],
    'with an input': [out({ type: 'blob', direction: 'in' }), 'the input binding more (blob) is not emulated'],
    'with an output that is not emulated': [out({ type: 'table', direction: 'out' }), 'the output binding more (table) is not emulated'],
    'with an output to a queue of no name': [out({ type: 'queue', direction: 'out' }), 'queue has no queueName'],
    'with a queue of no name': [trigger({ type: 'queueTrigger', queueName: '' }), 'queueTrigger has no queueName'],
    'with a queue of two letters': [trigger({ type: 'queueTrigger', queueName: 'ab' }), 'queue name ab must be 3 to 63'],
    'with a queue in capitals': [trigger({ type: 'queueTrigger', queueName: 'Things' }), 'queue name Things must be'],
    'with two hyphens in a row': [trigger({ type: 'queueTrigger', queueName: 'a--b' }), 'queue name a--b must be'],
    'with a storage nobody gave': [
      trigger({ type: 'queueTrigger', queueName: 'things', connection: 'Fourth' }),
      'setting Fourth is missing; it must be a storage connection string',
    ],
    'without a schedule': [trigger({ type: 'timerTrigger' }), 'timerTrigger has no schedule'],
    'with a schedule from a setting nobody gave': [trigger({ type: 'timerTrigger', schedule: '%NEVER%' }), "'%NEVER%' does not resolve"],
    'with a level nobody knows': [
      trigger({ type: 'httpTrigger', authLevel: 'user' }),
      'authLevel user must be anonymous, function or admin',
    ],
  }
  for (const [what, [bindings, words]] of Object.entries(REFUSED)) it(what, () => expect(() => one(bindings)).toThrow(words))

  it('that differs from another in case only', () => {
    const bindings = trigger({ type: 'eventGridTrigger' })
    expect(() => read({ work: { bindings }, Work: { bindings } })).toThrow('functions work and Work differ in case only')
  })
})
