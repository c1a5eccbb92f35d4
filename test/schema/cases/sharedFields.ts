import { type Change, type Field, type Row } from './manifestCase.ts'

/** Fields of several kinds, as tables by path below a prefix. */

export const DURATIONS: Field = {
  takes: ['0s', '1h30m5s', '720h', '90m'],
  refuses: ['1hr', '-1s', '1.5h', '', 'Never', 'never', 'h', '1d', 60],
}
export const DURATIONS_OR_NEVER: Field = {
  takes: ['Never', '0s', '1h30m5s', '720h'],
  refuses: ['never', 'Never1s', '1hr', '-1s', '1.5h', '', '1d', 60],
}
export const INSTANTS: Field = {
  takes: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456Z', '2026-01-01T01:00:00+01:00'],
  refuses: ['2026-01-01', '2026-01-01T00:00:00', 'yesterday', '', 1, '2026-13-01T00:00:00Z'],
}
const QUANTITIES = {
  takes: [0, 100, '100', '+1', '1.5', '.5', '1e3', '1E3', '100m', '1Ki', '64Gi', '2T', '1u', '1n'],
  refuses: ['many', '', '1 Gi', '1gi', 'Gi', true, 1.5, ['1']],
}

const NEGATIVE = [-1, '-1', '-1.5', '-.5', '-1e3', '-100m', '-64Gi', '-0']

/** Rows for a map of quantities. Amounts that people write cannot be negative. Those of a status can. */
export function quantityRows(path: string, keep: Change = {}): { readonly [name: string]: Row } {
  const at = `${path}.example`
  const refused: Omit<Row, 'change'> = path.startsWith('status.') ? {} : { at: 'spec', says: 'cannot be negative', isStricter: true }
  return Object.fromEntries([
    ...NEGATIVE.map((value): [string, Row] => [
      `${path} with ${JSON.stringify(value)}, which is negative`,
      { change: { ...keep, [path]: { example: value } }, ...refused },
    ]),
    [`${path} without entries`, { change: { ...keep, [path]: {} } }],
    [`${path} that is a list`, { change: { ...keep, [path]: [] }, at: path }],
    [`${path} with a null, which is dropped`, { change: { ...keep, [path]: { example: null } } }],
    ...QUANTITIES.takes.map((value) => [`${path} with ${JSON.stringify(value)}`, { change: { ...keep, [path]: { example: value } } }]),
    ...QUANTITIES.refuses.map((value) => [
      `${path} with ${JSON.stringify(value)}, refused`,
      { change: { ...keep, [path]: { example: value } }, at },
    ]),
  ])
}

const KEYS = {
  takes: ['a', 'A_b.c-d', 'example.com/a', 'a-b.example.com/A.b', `${'a'.repeat(250)}.example/${'b'.repeat(57)}`],
  refuses: ['a/b/c', '-a', 'a-', '/a', 'Example.com/a', 'a b', '', 'a/', 1],
}

export function taintFields(path: string): { readonly [path: string]: Field } {
  const given = { [path]: [{ key: 'a', effect: 'NoSchedule' }] }
  return {
    [path]: {
      takes: [
        [],
        [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule' },
        ],
      ],
      refuses: [{}, 'a'],
    },
    [`${path}[0]`]: { takes: [{ key: 'a', effect: 'NoExecute', value: 'b' }], refuses: ['a=b:NoSchedule', null] },
    [`${path}[0].key`]: { ...KEYS, given },
    [`${path}[0].value`]: { takes: ['a', 'example.com/a'], refuses: ['', '-a', 'a/b/c', 1], given },
    [`${path}[0].effect`]: { takes: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], refuses: ['Never', '', 'noSchedule', 1], given },
    [`${path}[0].timeAdded`]: { ...INSTANTS, given },
  }
}

export function requirementFields(path: string): { readonly [path: string]: Field } {
  const given = { [path]: [{ key: 'a', operator: 'Exists' }] }
  return {
    [path]: {
      takes: [[], Array.from({ length: 100 }, () => ({ key: 'a', operator: 'Exists' }))],
      refuses: [Array.from({ length: 101 }, () => ({ key: 'a', operator: 'Exists' })), {}, 'a'],
    },
    [`${path}[0]`]: { takes: [{ key: 'a', operator: 'DoesNotExist' }], refuses: ['a in (b)', null] },
    [`${path}[0].key`]: {
      takes: [...KEYS.takes, `${'a'.repeat(252)}/${'b'.repeat(63)}`],
      refuses: [...KEYS.refuses, `${'a'.repeat(253)}/${'b'.repeat(63)}`],
      given,
    },
    [`${path}[0].operator`]: { takes: ['Exists', 'DoesNotExist'], refuses: ['Equals', 'exists', '', 1], given },
    [`${path}[0].values`]: { takes: [[], ['a'], ['', '-not a label value-', 'x'.repeat(64)], ['a', 'a']], refuses: ['a', {}], given },
    [`${path}[0].values[0]`]: { takes: ['a'], refuses: [1, true, null], given },
  }
}

type Requirement = { readonly key?: string; readonly operator: string; readonly values?: readonly string[]; readonly minValues?: number }

/** Rows for the rules about operators and values. */
export function operatorRows(
  path: string,
  kind: { readonly notInNeedsValues: boolean; readonly hasMinValues: boolean },
): Record<string, Row> {
  const one = (requirement: Requirement): Change => ({ [path]: [{ key: 'a', ...requirement }] })
  const some = (operator: string): string => `operator ${operator} needs at least one value`
  const comparison = 'exactly one integer'
  return {
    [`${path}: In with a value`]: { change: one({ operator: 'In', values: ['a'] }) },
    [`${path}: In without values`]: { change: one({ operator: 'In' }), at: path, says: some('In') },
    [`${path}: In with an empty list`]: { change: one({ operator: 'In', values: [] }), at: path, says: some('In') },
    [`${path}: the second of two without values`]: {
      change: {
        [path]: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'In' },
        ],
      },
      at: path,
      says: some('In'),
    },
    [`${path}: NotIn with a value`]: { change: one({ operator: 'NotIn', values: ['a'] }) },
    [`${path}: NotIn with an empty list`]: notIn(one({ operator: 'NotIn', values: [] })),
    [`${path}: NotIn without values`]: notIn(one({ operator: 'NotIn' })),
    [`${path}: Exists with values`]: { change: one({ operator: 'Exists', values: ['a'] }) },
    ...Object.fromEntries(
      ['Gt', 'Lt', 'Gte', 'Lte'].flatMap((operator): [string, Row][] => [
        [`${path}: ${operator} with zero`, { change: one({ operator, values: ['0'] }) }],
        [`${path}: ${operator} with a sign and leading zeros`, { change: one({ operator, values: ['+007'] }) }],
        [`${path}: ${operator} with a large integer`, { change: one({ operator, values: ['9223372036854775807'] }) }],
        ...[['-1'], ['1', '2'], ['many'], [], ['1.5'], [''], [' 1'], ['0x1'], ['0b1'], ['9223372036854775808']].map(
          (values): [string, Row] => [
            `${path}: ${operator} with ${JSON.stringify(values)}`,
            { change: one({ operator, values }), at: path, says: comparison },
          ],
        ),
        [`${path}: ${operator} without values`, { change: one({ operator }), at: path, says: comparison }],
      ]),
    ),
    ...(kind.hasMinValues ? minValuesRows(path) : {}),
  }

  function notIn(change: Change): Row {
    return kind.notInNeedsValues ? { change, at: path, says: some('NotIn') } : { change }
  }
}

function minValuesRows(path: string): Record<string, Row> {
  const one = (requirement: Requirement): Change => ({ [path]: [{ key: 'a', ...requirement }] })
  const says = 'at least that many values'
  const fifty = Array.from({ length: 50 }, (_, index) => `v${index}`)
  return {
    [`${path}: minValues with as many values`]: { change: one({ operator: 'In', values: ['1', '2'], minValues: 2 }) },
    [`${path}: minValues with fewer values`]: { change: one({ operator: 'In', values: ['1'], minValues: 2 }), at: path, says },
    [`${path}: minValues without In`]: { change: one({ operator: 'Exists', minValues: 2 }) },
    [`${path}: minValues of 50`]: { change: one({ operator: 'In', values: fifty, minValues: 50 }) },
    [`${path}: minValues of 51`]: { change: one({ operator: 'Exists', minValues: 51 }), at: `${path}[0].minValues` },
    [`${path}: minValues as a text`]: {
      change: { [path]: [{ key: 'a', operator: 'Exists', minValues: '1' }] },
      at: `${path}[0].minValues`,
    },
    [`${path}: minValues of 0`]: { change: one({ operator: 'Exists', minValues: 0 }), at: `${path}[0].minValues` },
  }
}

/** Conditions in a status. `loose`: reason and message may be missing or empty. */
export function conditionFields(path: string, { loose }: { readonly loose: boolean }): { readonly [path: string]: Field } {
  const one = { type: 'Ready', status: 'True', reason: 'AsExpected', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const given = { [path]: [one] }
  const reasons = ['AsExpected', 'a', 'A_b,c:d_', 'a'.repeat(1024)]
  return {
    [path]: { takes: [[], [one], [one, { ...one, type: 'Other' }]], refuses: [{}] },
    [`${path}[0].type`]: {
      takes: ['Ready', 'example.com/Ready', 'a.b_c-d', `${'a'.repeat(252)}/${'b'.repeat(63)}`],
      refuses: ['', '-a', 'a/b/c', `${'a'.repeat(253)}/${'b'.repeat(63)}`, 1],
      given,
    },
    [`${path}[0]`]: { takes: [one], refuses: ['Ready', null] },
    [`${path}[0].status`]: { takes: ['True', 'False', 'Unknown'], refuses: ['true', '', true], given },
    [`${path}[0].reason`]: {
      takes: loose ? [...reasons, ''] : reasons,
      refuses: ['1a', 'a b', 'a:', 'a'.repeat(1025), 1, ...(loose ? [] : [''])],
      given,
    },
    [`${path}[0].message`]: { takes: ['', 'a'.repeat(32_768), '\u{1F600}'.repeat(32_768)], refuses: ['a'.repeat(32_769), 1], given },
    [`${path}[0].lastTransitionTime`]: { ...INSTANTS, given },
    [`${path}[0].observedGeneration`]: { takes: [0, 9_007_199_254_740_991], refuses: [-1, 0.5, '1'], given },
  }
}

export function conditionRequired(path: string, { loose }: { readonly loose: boolean }): { readonly [path: string]: Change } {
  const one = { type: 'Ready', status: 'True', reason: 'AsExpected', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const names = ['type', 'status', 'lastTransitionTime', ...(loose ? [] : ['reason', 'message'])]
  return Object.fromEntries(names.map((name) => [`${path}[0].${name}`, { [path]: [one] }]))
}

/** Rows for two conditions of one type. `keyed`: the list is keyed by type, so this is refused. */
export function conditionRows(path: string, { keyed, loose }: { readonly keyed: boolean; readonly loose: boolean }): Record<string, Row> {
  const one = { type: 'Ready', status: 'True', reason: 'AsExpected', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const { reason: _, message: __, ...bare } = one
  return {
    [`${path}: the same type twice`]: { change: { [path]: [one, { ...one, status: 'False' }] }, ...(keyed ? { at: `${path}[1]` } : {}) },
    ...(loose ? { [`${path}: without reason and message`]: { change: { [path]: [bare] } } } : {}),
  }
}
