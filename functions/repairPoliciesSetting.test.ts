import { describe, expect, it } from 'vitest'
import { DEFAULT_REPAIR_POLICIES } from '../shared/model/repairPolicy.ts'
import { formatDuration } from '../shared/model/time.ts'
import { repairPoliciesSetting } from './repairPoliciesSetting.ts'

type Written = { readonly [member: string]: unknown }

const FALLBACK = { conditionType: 'Ready', conditionStatus: 'False', tolerationDuration: '10m', action: 'ReplaceNode' }
const GPU = { ...FALLBACK, conditionType: 'GpuHealthy', reasonRegex: '^Gpu' }

/** All problems, each as `path: message`. */
function problems(list: unknown): readonly string[] {
  const read = repairPoliciesSetting.safeParse(typeof list === 'string' ? list : JSON.stringify(list))
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('RM-01: a set of repair policies', () => {
  it.each<[what: string, change: Written, path: string, rule: string]>([
    ['an empty type', { conditionType: '' }, '1.conditionType', 'must not be empty'],
    ['an unknown status', { conditionStatus: 'Maybe' }, '1.conditionStatus', 'Invalid option'],
    ['a negative toleration', { tolerationDuration: '-1m' }, '1.tolerationDuration', 'not negative'],
    ['a toleration without a unit', { tolerationDuration: '10' }, '1.tolerationDuration', 'not negative'],
    ['no toleration', { tolerationDuration: undefined }, '1.tolerationDuration', 'expected string'],
    ['a negative bound', { terminationGracePeriod: '-1s' }, '1.terminationGracePeriod', 'not negative'],
    ['a priority below 0', { priority: -1 }, '1.priority', 'Too small'],
    ['a priority above 100', { priority: 101 }, '1.priority', 'Too big'],
    ['half a priority', { priority: 0.5 }, '1.priority', 'expected int'],
    ['an unknown action', { action: 'Reimage' }, '1.action', 'Invalid option'],
    ['a pattern that is none', { reasonRegex: '(' }, '1.reasonRegex', 'must be a regular expression'],
    ['a pattern that may run for ever', { reasonRegex: '(a+)+$' }, '1.reasonRegex', 'no repeated groups'],
    ['a pattern that Go does not know', { reasonRegex: '(?=a)' }, '1.reasonRegex', 'no look around'],
    ['a back-reference', { reasonRegex: '(a)\\1' }, '1.reasonRegex', 'no back-references'],
    ['an unknown member', { reboot: true }, '1', 'Unrecognized key'],
  ])('with %s is refused, with its index and the whole policy', (_what, change, path, rule) => {
    const broken = { ...GPU, ...change }
    const [first = '', ...others] = problems([FALLBACK, broken])
    expect(others).toEqual([])
    expect(first.startsWith(`${path}: `)).toBe(true)
    expect(first).toContain(rule)
    expect(first.endsWith(`, in ${JSON.stringify(broken)}`)).toBe(true)
  })

  it('is told all that is wrong', () => {
    const found = problems([{ ...FALLBACK, priority: 101, action: 'Reimage' }, 7, { ...GPU, conditionType: '' }])
    expect(found.map((line) => line.split(':')[0])).toEqual(['0.priority', '0.action', '1', '2.conditionType'])
  })

  it('without exactly one policy for all other reasons is refused', () => {
    expect(problems([])).toEqual([': must have exactly one policy without reasonRegex, the default fallback'])
    expect(problems([GPU])).toEqual([': must have exactly one policy without reasonRegex, the default fallback'])
    const [first = ''] = problems([FALLBACK, GPU, { ...FALLBACK, conditionStatus: 'Unknown', reasonRegex: '' }])
    expect(first).toContain('must have exactly one policy without reasonRegex, the default fallback, not 0: {"conditionType":"Ready"')
    expect(first).toContain('; 2: {"conditionType":"Ready"')
  })

  it('whose fallback reboots is refused', () => {
    expect(problems([{ ...FALLBACK, action: 'RebootNode' }])[0]).toContain('the default fallback must have the action ReplaceNode')
  })

  it.each([
    ['not JSON', '[{'],
    ['an object', '{}'],
    ['null', 'null'],
  ])('that is %s is refused', (_what, text) => {
    expect(problems(text)).toHaveLength(1)
  })

  it.each(['True', 'False', 'Unknown'])('may ask for the status %s', (conditionStatus) => {
    expect(problems([{ ...FALLBACK, conditionStatus }])).toEqual([])
  })

  it('is read whole', () => {
    const read = repairPoliciesSetting.parse(
      JSON.stringify([FALLBACK, { ...GPU, terminationGracePeriod: '1h', priority: 7, action: 'RebootNode' }]),
    )
    expect(read).toEqual([
      { conditionType: 'Ready', conditionStatus: 'False', tolerationDuration: 600_000, priority: 0, action: 'ReplaceNode' },
      {
        ...{ conditionType: 'GpuHealthy', conditionStatus: 'False', reasonRegex: '^Gpu', tolerationDuration: 600_000 },
        ...{ terminationGracePeriod: 3_600_000, priority: 7, action: 'RebootNode' },
      },
    ])
  })

  it('holds for the default policies', () => {
    const written = JSON.stringify(DEFAULT_REPAIR_POLICIES, (member, value) =>
      ['tolerationDuration', 'terminationGracePeriod'].includes(member) ? formatDuration(value) : value,
    )
    expect(repairPoliciesSetting.parse(written)).toEqual(DEFAULT_REPAIR_POLICIES)
  })
})
