import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { DEFAULT_MACHINE_NAMES } from '../shared/model/ids.ts'
import { readConfig, SETTINGS } from './config.ts'
import { decisionSettings } from './decisionSettings.ts'

/** Settings that only the Functions host reads. */
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

function withReaders(): string {
  const [entry]: readonly object[] = JSON.parse(sample.Values['JOINER_CLUSTERS'] ?? '[]')
  return JSON.stringify([{ ...entry, allowedReaderIdentities: ['00000000-0000-4000-8000-00000000000a'] }])
}

function spread(...changes: readonly object[]): string {
  const constraint = { maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }
  return JSON.stringify(changes.map((each) => ({ ...constraint, ...each })))
}

function inConfig(change: object, more = ''): string {
  return `podTopologySpread:\n  defaultConstraints: ${spread(change)}\n  ${more}`
}

describe('readConfig', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['a missing setting', { ENTRA_TENANT_ID: undefined }, 'setting ENTRA_TENANT_ID'],
    ['an empty setting', { ENTRA_TENANT_ID: '' }, 'setting ENTRA_TENANT_ID'],
    ['a shim of the tenant that no token is taken of', { SHIM_AUTH: 'entra', ENTRA_AUDIENCE: '' }, 'setting ENTRA_AUDIENCE: '],
    [
      'readers of the tenant that no token is taken of',
      { ENTRA_AUDIENCE: '', JOINER_CLUSTERS: withReaders() },
      'has allowedReaderIdentities',
    ],
    ['a duration without a unit', { BATCH_IDLE_DURATION: '1000' }, 'setting BATCH_IDLE_DURATION: must be a whole number with a unit'],
    ['a schedule of five fields', { GC_SCHEDULE: '0 * * * *' }, 'setting GC_SCHEDULE: must be an NCRONTAB expression of six fields'],
    ['an address that is none', { ARM_ENDPOINT: 'management.azure.com' }, 'setting ARM_ENDPOINT: must be an http or https address'],
    ['an unknown policy', { MIN_VALUES_POLICY: 'Sometimes' }, 'setting MIN_VALUES_POLICY'],
    ['clusters that are not JSON', { JOINER_CLUSTERS: '[{' }, 'setting JOINER_CLUSTERS'],
    ['no cluster', { JOINER_CLUSTERS: '[]' }, 'setting JOINER_CLUSTERS'],
    [
      'the endpoint of no cloud',
      { ARM_ENDPOINT: 'https://management.example' },
      'setting ARM_ENDPOINT: https://management.example is not the',
    ],
    ['a default spread that is not JSON', { DEFAULT_SPREAD: 'zone' }, 'setting DEFAULT_SPREAD'],
    ['a default spread with a selector', { DEFAULT_SPREAD: spread({ labelSelector: {} }) }, 'setting DEFAULT_SPREAD.0: Unrecognized key'],
    ['a default spread without skew', { DEFAULT_SPREAD: spread({ maxSkew: 0 }) }, 'setting DEFAULT_SPREAD.0.maxSkew'],
    [
      'a default spread over no label',
      { DEFAULT_SPREAD: spread({ topologyKey: 'a b' }) },
      'setting DEFAULT_SPREAD.0.topologyKey: must be a label key',
    ],
    ['a default spread twice', { DEFAULT_SPREAD: spread({}, {}) }, 'setting DEFAULT_SPREAD.1: repeats'],
    ['minDomains of ScheduleAnyway', { DEFAULT_SPREAD: spread({ minDomains: 2 }) }, 'setting DEFAULT_SPREAD.0.minDomains: is allowed with'],
    ['repair policies that are not JSON', { REPAIR_POLICIES: 'Ready' }, 'setting REPAIR_POLICIES'],
    ['no repair policies', { REPAIR_POLICIES: '[]' }, 'setting REPAIR_POLICIES: must have exactly one policy without reasonRegex'],
    ['a repair policy without its members', { REPAIR_POLICIES: '[{}]' }, 'setting REPAIR_POLICIES.0.conditionType'],
    ['a duration of years', { GC_GRACE_DURATION: '99999999999999h' }, 'setting GC_GRACE_DURATION: must be at most 168h'],
    [
      'a window that never closes idle',
      { BATCH_IDLE_DURATION: '20s' },
      'setting BATCH_IDLE_DURATION: must not be longer than BATCH_MAX_DURATION, which closes the window before it; BATCH_IDLE_DURATION is 20s and BATCH_MAX_DURATION is 10s',
    ],
    ['a window longer than the work', { BATCH_MAX_DURATION: '2m' }, 'setting BATCH_MAX_DURATION: must be at most 30s: half of the 60s'],
    ['a lease shorter than storage gives', { LEASE_DURATION: '5s' }, 'setting LEASE_DURATION: must be whole seconds from 15s to 60s'],
    ['a lease longer than storage gives', { LEASE_DURATION: '61s' }, 'setting LEASE_DURATION: must be whole seconds from 15s to 60s'],
    ['a lease of half seconds', { LEASE_DURATION: '15500ms' }, 'setting LEASE_DURATION: must be whole seconds'],
    [
      'a lock that outlives the claim',
      { LAUNCH_LOCK_DURATION: '5m' },
      'LAUNCH_LOCK_DURATION: must be shorter than LAUNCH_TIMEOUT, or the claim',
    ],
    [
      'garbage younger than a launch',
      { GC_GRACE_DURATION: '10s' },
      'setting GC_GRACE_DURATION: must not be shorter than LAUNCH_LOCK_DURATION',
    ],
    ['a lock without time to launch', { LAUNCH_LOCK_DURATION: '0s' }, 'setting LAUNCH_LOCK_DURATION: must be at least 5s, or it is over'],
    ['a lock too short to launch', { LAUNCH_LOCK_DURATION: '4999ms' }, 'must be at least 5s, or it is over before there can be an answer'],
    ['a launch without time', { LAUNCH_TIMEOUT: '0s' }, 'setting LAUNCH_TIMEOUT: must be at least 5s'],
    ['a part of a move an hour', { MOST_MOVES_AN_HOUR: '1.5' }, 'setting MOST_MOVES_AN_HOUR'],
    ['a rest without a unit', { REST_AFTER_MOVE: '30' }, 'setting REST_AFTER_MOVE'],
    ['half a node', { MOST_EXTRA_NODES: '0.5' }, 'setting MOST_EXTRA_NODES'],
    ['half a taint', { MOST_PLANNED_TAINTS: '0.5' }, 'setting MOST_PLANNED_TAINTS'],
    ['more taints than a thousand', { MOST_PLANNED_TAINTS: '1001' }, 'setting MOST_PLANNED_TAINTS'],
    ['fewer moves than none', { MOST_MOVES_AN_HOUR: '-1' }, 'setting MOST_MOVES_AN_HOUR'],
    ['a registration without time', { REGISTRATION_TIMEOUT: '1ms' }, 'setting REGISTRATION_TIMEOUT: must be at least 5s'],
    ['an initialization without time', { INITIALIZATION_TIMEOUT: '0ms' }, 'setting INITIALIZATION_TIMEOUT: must be at least 5s'],
    ['no storage account', { AzureWebJobsStorage: undefined }, 'neither AzureWebJobsStorage nor AzureWebJobsStorage__accountName'],
  ])('refuses %s and names it', (_case, changes, want) => {
    expect(problemsOf(changes).join('; ')).toContain(want)
  })

  it('OPT-02 has a value for what nobody sets', () => {
    const { JOINER_CLUSTERS, ENTRA_TENANT_ID } = sample.Values
    expect(SETTINGS.parse({ JOINER_CLUSTERS, ENTRA_TENANT_ID })).toMatchObject({
      ...{ LOG_LEVEL: 'info', NODE_REPAIR: 'on', DISRUPTION_FREEZE: 'off', PLACEMENT: 'price', NODE_COST: 0.005 },
      ...{ MIN_VALUES_POLICY: 'Strict', PREFERENCE_POLICY: 'Respect', BATCH_IDLE_DURATION: 1_000, BATCH_MAX_DURATION: 10_000 },
    })
  })

  it('reads the default spread as the scheduler would', () => {
    const read = readConfig({ ...sample.Values, DEFAULT_SPREAD: spread({}) })
    expect(read.ok && decisionSettings(read.value.settings, { machineNames: DEFAULT_MACHINE_NAMES }).defaultSpread).toEqual([
      {
        maxSkew: 3,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
    ])
  })

  it('GT-04 reads Karpenter’s scheduler configuration, as YAML or JSON, instead of the list', () => {
    const constraint = { maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }
    const document = { podTopologySpread: { defaultConstraints: [constraint] } }
    const texts = [JSON.stringify(document), stringify(document), `# as in Karpenter\n${stringify(document)}`]
    const spreadOf = (changes: Record<string, string>) => {
      const read = readConfig({ ...sample.Values, ...changes })
      return read.ok ? decisionSettings(read.value.settings, { machineNames: DEFAULT_MACHINE_NAMES }).defaultSpread : read.error
    }
    const wanted = spreadOf({ DEFAULT_SPREAD: spread({}) })
    expect(wanted).toHaveLength(1)
    for (const text of texts) expect(spreadOf({ SCHEDULER_CONFIG: text, DEFAULT_SPREAD: spread({ maxSkew: 9 }) })).toEqual(wanted)
    expect(spreadOf({ DEFAULT_SPREAD: stringify([constraint]) })).toEqual(wanted)
    for (const empty of ['', '{}', 'podTopologySpread: {}']) expect(spreadOf({ SCHEDULER_CONFIG: empty })).toEqual([])
  })

  it('GT-03 takes one key with both kinds of whenUnsatisfiable', () => {
    const both = spread({}, { whenUnsatisfiable: 'DoNotSchedule', minDomains: 2 })
    expect(problemsOf({ SCHEDULER_CONFIG: `{"podTopologySpread":{"defaultConstraints":${both}}}` })).toEqual([])
  })

  it.each<[string, string, string]>([
    ['text that is no YAML', 'a: [', 'setting SCHEDULER_CONFIG: is neither YAML nor JSON'],
    ['a list', '[]', 'setting SCHEDULER_CONFIG'],
    ['an unknown field', 'profiles: []', 'setting SCHEDULER_CONFIG: Unrecognized key'],
    [
      'an unknown field of the plugin',
      inConfig({}, 'defaultingType: List'),
      'setting SCHEDULER_CONFIG.podTopologySpread: Unrecognized key',
    ],
    ['an unknown field of a constraint', inConfig({ skew: 1 }), 'podTopologySpread.defaultConstraints.0: Unrecognized key'],
    ['a member twice', 'podTopologySpread: {}\npodTopologySpread: {}', 'setting SCHEDULER_CONFIG: is neither YAML nor JSON'],
    ['a skew of 0', inConfig({ maxSkew: 0 }), 'defaultConstraints.0.maxSkew'],
    ['a skew below 0', inConfig({ maxSkew: -1 }), 'defaultConstraints.0.maxSkew'],
    ['no topology key', inConfig({ topologyKey: '' }), 'defaultConstraints.0.topologyKey: must be a label key'],
    ['a topology key that is no label', inConfig({ topologyKey: 'a b' }), 'defaultConstraints.0.topologyKey: must be a label key'],
    ['a selector', inConfig({ labelSelector: {} }), 'defaultConstraints.0: Unrecognized key'],
    ['matchLabelKeys', inConfig({ matchLabelKeys: ['a'] }), 'defaultConstraints.0: Unrecognized key'],
    ['another whenUnsatisfiable', inConfig({ whenUnsatisfiable: 'Maybe' }), 'defaultConstraints.0.whenUnsatisfiable'],
    ['a pair twice', `{"podTopologySpread":{"defaultConstraints":${spread({}, {})}}}`, 'defaultConstraints.1: repeats'],
  ])('GT-03 refuses a scheduler configuration with %s, and names the place', (_case, text, want) => {
    expect(problemsOf({ SCHEDULER_CONFIG: text }).join('; ')).toContain(want)
  })

  it('accepts any durations that go together, and refuses all others without an exception', () => {
    const names = Object.keys(SETTINGS.shape).filter((name) => /_(DURATION|TIMEOUT)$/.test(name))
    expect(names.length).toBeGreaterThan(5)
    const text = fc.tuple(fc.oneof(fc.nat(120), fc.nat()), fc.constantFrom('ms', 's', 'm', 'h')).map(([count, unit]) => `${count}${unit}`)
    fc.assert(
      fc.property(fc.record(Object.fromEntries(names.map((name) => [name, text])), { requiredKeys: [] }), (changes) => {
        const read = readConfig({ ...sample.Values, ...changes })
        if (!read.ok) {
          for (const { code, path } of read.error) expect([code, names.includes(path ?? '')]).toEqual(['SETTING.INVALID', true])
          return
        }
        const { LEASE_DURATION, BATCH_MAX_DURATION, BATCH_IDLE_DURATION } = read.value.settings
        expect(LEASE_DURATION >= 15_000 && LEASE_DURATION <= 60_000).toBe(true)
        expect(BATCH_IDLE_DURATION <= BATCH_MAX_DURATION && BATCH_MAX_DURATION < 60_000).toBe(true)
      }),
    )
  })

  it('OPT-06 takes the levels of the log that there are, and no other word', () => {
    const isTaken = (level: string): boolean => problemsOf({ LOG_LEVEL: level }).length === 0
    expect(['', 'debug', 'info', 'warn', 'error'].filter((level) => !isTaken(level))).toEqual([])
    expect(['hello', 'DEBUG', 'trace'].filter(isTaken)).toEqual([])
  })

  it('accepts the shortest lock under which a machine can be launched', () => {
    expect(problemsOf({ LAUNCH_LOCK_DURATION: '5s' })).toEqual([])
  })

  it('tells all problems at once', () => {
    expect(problemsOf({ ENTRA_TENANT_ID: undefined, GC_SCHEDULE: 'often' })).toHaveLength(2)
  })

  it('OPT-04 reads durations in their units', () => {
    const read = readConfig({ ...sample.Values, BATCH_IDLE_DURATION: '250ms', BATCH_MAX_DURATION: '30s', LAUNCH_TIMEOUT: '2m' })
    const { BATCH_IDLE_DURATION, BATCH_MAX_DURATION, LAUNCH_TIMEOUT } = read.ok ? read.value.settings : expect.fail('refused')
    expect([BATCH_IDLE_DURATION, BATCH_MAX_DURATION, LAUNCH_TIMEOUT]).toEqual([250, 30_000, 120_000])
  })
})
