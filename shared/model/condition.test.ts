import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Condition, type ConditionStatus, clearCondition, findCondition, isTrue, setCondition, withRoot } from './condition.ts'
import { epochMs } from './units.ts'

const holder = { generation: 2, createdAt: epochMs(10) }
const NOW = epochMs(100)
const condition = (type: string, overrides: Partial<Condition> = {}): Condition => ({
  type,
  status: 'True',
  reason: type,
  message: '',
  lastTransitionAt: epochMs(20),
  observedGeneration: 2,
  ...overrides,
})

describe('setting a condition', () => {
  it('that is new takes the time of now', () => {
    expect(setCondition([], { type: 'A', status: 'True' }, holder, NOW)).toEqual([condition('A', { lastTransitionAt: NOW })])
  })
  it('to the same status keeps its time and takes the new generation and words', () => {
    const before = [condition('A', { observedGeneration: 1 })]
    expect(setCondition(before, { type: 'A', status: 'True', message: 'still' }, holder, NOW)).toEqual([
      condition('A', { message: 'still' }),
    ])
  })
  it('to another status takes the time of now', () => {
    const after = setCondition([condition('A')], { type: 'A', status: 'False', reason: 'Gone' }, holder, NOW)
    expect(after).toEqual([condition('A', { status: 'False', reason: 'Gone', lastTransitionAt: NOW })])
  })
  it('of an object that is being deleted restamps the others', () => {
    const before = [condition('B', { observedGeneration: 1 })]
    expect(setCondition(before, { type: 'A', status: 'True' }, { ...holder, deleting: true }, NOW)).toContainEqual(condition('B'))
  })
  it('leaves the others of a live object alone', () => {
    const before = [condition('B', { observedGeneration: 1 })]
    expect(setCondition(before, { type: 'A', status: 'True' }, holder, NOW)).toContainEqual(condition('B', { observedGeneration: 1 }))
  })
})

/** What an object is told of itself, one after another. */
const updates = fc.array(
  fc.record({
    type: fc.constantFrom('A', 'B'),
    status: fc.constantFrom<ConditionStatus>('True', 'False', 'Unknown'),
    words: fc.boolean(),
    deleting: fc.boolean(),
  }),
  { maxLength: 12 },
)

describe('the words of a condition', () => {
  it('are those of its status, whatever it was before, and so are those of Ready', () => {
    fc.assert(
      fc.property(updates, (list) => {
        let conditions: readonly Condition[] = []
        for (const [index, { type, status, words, deleting }] of list.entries()) {
          const said = words ? { reason: `Is${status}`, message: `${type} is ${status}` } : {}
          const at = { ...holder, deleting }
          conditions = withRoot(setCondition(conditions, { type, status, ...said }, at, epochMs(100 + index)), ['A', 'B'], at, NOW)
          for (const each of conditions) expect(wordsFit(each, conditions), JSON.stringify(each)).toBe(true)
        }
      }),
    )
  })
})

function wordsFit({ type, status, reason, message }: Condition, all: readonly Condition[]): boolean {
  const own = `${reason} ${message}`
  if (type !== 'Ready')
    return [`${type} `, `Is${status} ${type} is ${status}`, 'AwaitingReconciliation object is awaiting reconciliation'].includes(own)
  if (status === 'True') return own === 'Ready '
  const named = all.filter((each) => each.type !== 'Ready' && message.includes(`${each.type}=${each.status}`))
  return reason === (status === 'False' ? 'UnhealthyDependents' : 'ReconcilingDependents') && named.length > 0
}

describe('the root', () => {
  const root = (conditions: readonly Condition[]): Condition | undefined =>
    findCondition(withRoot(conditions, ['A', 'B'], holder, NOW), 'Ready')
  const table: { [name: string]: { conditions: readonly Condition[]; want: Partial<Condition> } } = {
    'is true when every dependent is': {
      conditions: [condition('A'), condition('B')],
      want: { status: 'True', reason: 'Ready', lastTransitionAt: NOW },
    },
    'is unknown since creation when nothing is known': {
      conditions: [],
      want: { status: 'Unknown', reason: 'ReconcilingDependents', message: 'A=Unknown, B=Unknown', lastTransitionAt: epochMs(10) },
    },
    'is false when one dependent is': {
      conditions: [condition('A', { status: 'False' })],
      want: { status: 'False', reason: 'UnhealthyDependents', message: 'A=False' },
    },
    'is false with what the dependent says': {
      conditions: [condition('A', { status: 'False', message: 'a is missing' }), condition('B')],
      want: { status: 'False', reason: 'UnhealthyDependents', message: 'A=False: a is missing' },
    },
    'is unknown when a dependent is stale': {
      conditions: [condition('A', { observedGeneration: 1 }), condition('B')],
      want: { status: 'Unknown', reason: 'ReconcilingDependents', message: 'A=True' },
    },
    'is unknown when a dependent was false for an earlier generation': {
      conditions: [condition('A', { status: 'False', observedGeneration: 1 }), condition('B')],
      want: { status: 'Unknown' },
    },
    'does not look at other conditions': {
      conditions: [condition('A'), condition('B'), condition('C', { status: 'False' })],
      want: { status: 'True' },
    },
    'keeps its time while its status stays': {
      conditions: [condition('A'), condition('B'), condition('Ready', { lastTransitionAt: epochMs(30) })],
      want: { status: 'True', lastTransitionAt: epochMs(30) },
    },
  }
  for (const [name, { conditions, want }] of Object.entries(table)) it(name, () => expect(root(conditions)).toMatchObject(want))

  it('comes last, after the others by time, and missing dependents are added as unknown since creation', () => {
    const before = [condition('Ready'), condition('C', { lastTransitionAt: epochMs(50) }), condition('A')]
    const after = withRoot(before, ['A', 'B'], holder, NOW)
    expect(after.map(({ type }) => type)).toEqual(['B', 'A', 'C', 'Ready'])
    expect(after[0]).toMatchObject({ status: 'Unknown', reason: 'AwaitingReconciliation', lastTransitionAt: epochMs(10) })
  })
})

it('a condition can be cleared and asked for', () => {
  const conditions = [condition('A'), condition('B', { status: 'False' })]
  expect([isTrue(conditions, 'A'), isTrue(conditions, 'B'), isTrue(conditions, 'C')]).toEqual([true, false, false])
  expect(clearCondition(conditions, 'A')).toEqual([conditions[1]])
})
