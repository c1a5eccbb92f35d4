import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHostConfig } from './hostConfig.ts'
import { parseTimeSpan } from './timeSpan.ts'

const queues = (settings: object) => ({ version: '2.0', extensions: { queues: settings } })

describe('readHostConfig', () => {
  it('has the defaults of the platform', () => {
    expect(readHostConfig({ version: '2.0' }, {})).toEqual({
      functionTimeoutMs: 1_800_000,
      routePrefix: 'api',
      queues: {
        batchSize: 16,
        newBatchThreshold: 8,
        maxPollingIntervalMs: 60_000,
        visibilityTimeoutMs: 0,
        maxDequeueCount: 5,
        messageEncoding: 'base64',
      },
      listenerLockPeriodMs: 60_000,
      listenerLockRecoveryPollingIntervalMs: 60_000,
      logLevels: {},
      warnings: [],
    })
  })

  it('understands every key of our own host.json', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../host.json'), 'utf8')
    const config = readHostConfig(JSON.parse(text), {})
    expect(config.warnings).toEqual([])
    expect(config).toMatchObject({
      functionTimeoutMs: 600_000,
      queues: { maxPollingIntervalMs: 30_000, visibilityTimeoutMs: 10_000, messageEncoding: 'none' },
      listenerLockPeriodMs: 15_000,
      logLevels: { Worker: 'warning' },
    })
  })

  it('lets settings override it, as texts', () => {
    const settings = { AzureFunctionsJobHost__extensions__queues__batchSize: '8', AzureFunctionsJobHost__functionTimeout: '-1', OTHER: 'x' }
    expect(readHostConfig(queues({ batchSize: 4 }), settings)).toMatchObject({
      functionTimeoutMs: undefined,
      queues: { batchSize: 8, newBatchThreshold: 4 },
    })
  })

  it('warns of keys it does not know', () => {
    const config = readHostConfig({ ...queues({ batchSise: 4 }), healthMonitor: { enabled: true } }, {})
    expect(config.warnings).toEqual(['host.json: extensions.queues.batchSise is not a key this host knows; the platform may ignore it too'])
  })

  const refused: Record<string, { hostJson: unknown; want: string }> = {
    'no version': { hostJson: {}, want: 'host.json: version is missing; it must be "2.0"' },
    'an old version': { hostJson: { version: '1.0' }, want: 'host.json: version is "1.0"; it must be "2.0"' },
    'a batch too large': {
      hostJson: queues({ batchSize: 33 }),
      want: 'extensions.queues.batchSize is 33; it must be an integer from 1 to 32',
    },
    'a batch that is no number': { hostJson: queues({ batchSize: 'many' }), want: 'extensions.queues.batchSize is "many"' },
    'a polling interval as a number': {
      hostJson: queues({ maxPollingInterval: 500 }),
      want: 'maxPollingInterval is 500; it must be a time span of 100 ms or more',
    },
    'a polling interval too short': {
      hostJson: queues({ maxPollingInterval: '00:00:00.05' }),
      want: 'it must be a time span of 100 ms or more',
    },
    'a lock period too short': {
      hostJson: { version: '2.0', singleton: { listenerLockPeriod: '00:00:10' } },
      want: 'it must be a time span from 15 s to 60 s',
    },
    'dynamic concurrency': {
      hostJson: { version: '2.0', concurrency: { dynamicConcurrencyEnabled: true } },
      want: 'dynamic concurrency is not emulated',
    },
    'an unknown log level': {
      hostJson: { version: '2.0', logging: { logLevel: { default: 'Loud' } } },
      want: 'logging.logLevel.default is "Loud"',
    },
    'another encoding': { hostJson: queues({ messageEncoding: 'utf8' }), want: 'messageEncoding is "utf8"; it must be base64 or none' },
  }
  for (const [name, { hostJson, want }] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      expect(() => readHostConfig(hostJson, {})).toThrow(want)
    })
  }
})

describe('parseTimeSpan', () => {
  const cases: Record<string, number | undefined> = {
    '00:00:00.1': 100,
    '00:00:00.250': 250,
    '01:02:03': 3_723_000,
    '1.00:00:00': 86_400_000,
    '00:00:60': undefined,
    '24:00:00': undefined,
    '5': undefined,
  }
  for (const [text, want] of Object.entries(cases)) {
    it(`reads ${text} as ${want}`, () => {
      expect(parseTimeSpan(text)).toBe(want)
    })
  }
})
