import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_MACHINE_NAMES } from '../shared/model/ids.ts'
import { readConfig, refuseToStart, SETTINGS } from './config.ts'
import { decisionSettings } from './decisionSettings.ts'

/** Settings that only the host reads; the app has no business with them. */
const HOST_ONLY = ['FUNCTIONS_WORKER_RUNTIME']

const sample: { readonly Values: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'local.settings.sample.json'), 'utf8'),
)

function problemsOf(changes: Record<string, string | undefined>): readonly string[] {
  const read = readConfig({ ...sample.Values, ...changes })
  return read.ok ? [] : read.error.map((problem) => problem.message)
}

describe('the sample of settings', () => {
  it('lists every setting of the schema and no other', () => {
    const listed = Object.keys(sample.Values).filter((name) => !HOST_ONLY.includes(name))
    expect(listed.sort()).toEqual(Object.keys(SETTINGS.shape).sort())
  })

  it('is accepted', () => {
    const read = readConfig(sample.Values)
    expect(read.ok && read.value.clusters.map((cluster) => cluster.id)).toEqual(['demo'])
  })
})

function spread(...changes: readonly object[]): string {
  const constraint = { maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }
  return JSON.stringify(changes.map((each) => ({ ...constraint, ...each })))
}

describe('readConfig', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['a missing setting', { ENTRA_TENANT_ID: undefined }, 'setting ENTRA_TENANT_ID'],
    ['an empty setting', { ENTRA_AUDIENCE: '' }, 'setting ENTRA_AUDIENCE'],
    ['a duration without a unit', { BATCH_IDLE_DURATION: '1000' }, 'setting BATCH_IDLE_DURATION: must be a whole number with a unit'],
    ['a schedule of five fields', { GC_SCHEDULE: '0 * * * *' }, 'setting GC_SCHEDULE: must be an NCRONTAB expression of six fields'],
    ['an address that is none', { ARM_ENDPOINT: 'management.azure.com' }, 'setting ARM_ENDPOINT: must be an http or https address'],
    ['an unknown policy', { MIN_VALUES_POLICY: 'Sometimes' }, 'setting MIN_VALUES_POLICY'],
    ['clusters that are not JSON', { JOINER_CLUSTERS: '[{' }, 'setting JOINER_CLUSTERS'],
    ['no cluster', { JOINER_CLUSTERS: '[]' }, 'setting JOINER_CLUSTERS'],
    ['a default spread that is not JSON', { DEFAULT_SPREAD: 'zone' }, 'setting DEFAULT_SPREAD'],
    ['a default spread with a selector', { DEFAULT_SPREAD: spread({ labelSelector: {} }) }, 'setting DEFAULT_SPREAD.0: Unrecognized key'],
    ['a default spread without skew', { DEFAULT_SPREAD: spread({ maxSkew: 0 }) }, 'setting DEFAULT_SPREAD.0.maxSkew'],
    [
      'a default spread over no label',
      { DEFAULT_SPREAD: spread({ topologyKey: 'a b' }) },
      'setting DEFAULT_SPREAD.0.topologyKey: must be a label key',
    ],
    ['a default spread twice', { DEFAULT_SPREAD: spread({}, {}) }, 'setting DEFAULT_SPREAD.1: says a second time'],
    ['minDomains of a wish', { DEFAULT_SPREAD: spread({ minDomains: 2 }) }, 'setting DEFAULT_SPREAD.0.minDomains: goes with'],
    ['no storage account', { AzureWebJobsStorage: undefined }, 'neither AzureWebJobsStorage nor AzureWebJobsStorage__accountName'],
  ])('refuses %s and names it', (_case, changes, want) => {
    expect(problemsOf(changes).join('; ')).toContain(want)
  })

  it('reads the default spread as the scheduler would', () => {
    const read = readConfig({ ...sample.Values, DEFAULT_SPREAD: spread({}) })
    expect(read.ok && decisionSettings(read.value.settings, DEFAULT_MACHINE_NAMES).defaultSpread).toEqual([
      {
        maxSkew: 3,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
    ])
  })

  it('tells all problems at once', () => {
    expect(problemsOf({ ENTRA_TENANT_ID: undefined, GC_SCHEDULE: 'often' })).toHaveLength(2)
  })

  it('reads durations in their units', () => {
    const read = readConfig({ ...sample.Values, BATCH_IDLE_DURATION: '250ms', BATCH_MAX_DURATION: '1m' })
    expect(read.ok && [read.value.settings.BATCH_IDLE_DURATION, read.value.settings.BATCH_MAX_DURATION]).toEqual([250, 60_000])
  })
})

describe('refuseToStart', () => {
  it('ends the start with every problem', () => {
    const read = readConfig({})
    expect(() => (read.ok ? undefined : refuseToStart(read.error))).toThrow(/JOINER_CLUSTERS/)
  })
})
