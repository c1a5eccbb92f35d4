import { describe, expect, it } from 'vitest'
import { condition } from '../../test/builders/condition.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import type { Meta } from './labels.ts'
import { rebasedMeta, rebasedNodePatch, rebasedStatus } from './rebase.ts'

const meta = (change: Partial<Pick<Meta, 'labels' | 'annotations' | 'finalizers'>>): Meta => ({
  ...nodeClaim().meta,
  ...{ labels: {}, annotations: {}, finalizers: [] },
  ...change,
})

describe('a patch of metadata on a newer version', () => {
  it.each(['labels', 'annotations'] as const)('keeps its own %s only, so that those of others stay', (part) => {
    const patch = { [part]: { kept: '1', own: '2', constructor: '3' } }
    expect(rebasedMeta(meta({ [part]: { kept: '1' } }), meta({ [part]: { kept: '4', other: '5' } }), patch)).toEqual({
      [part]: { own: '2', constructor: '3' },
    })
  })

  it.each(['labels', 'annotations'] as const)('is refused if another writer set one of its own %s', (part) => {
    expect(rebasedMeta(meta({}), meta({ [part]: { own: '3' } }), { [part]: { own: '2' } })).toBeUndefined()
    expect(rebasedMeta(meta({}), meta({ [part]: { own: '2' } }), { [part]: { own: '2' } })).toBeUndefined()
  })

  it('removes its own finalizer, and leaves those that others removed', () => {
    expect(rebasedMeta(meta({ finalizers: ['a', 'own', 'b'] }), meta({ finalizers: ['own', 'b'] }), { finalizers: ['a', 'b'] })).toEqual({
      finalizers: ['b'],
    })
  })

  it('is refused if its own finalizer is gone', () => {
    expect(rebasedMeta(meta({ finalizers: ['a', 'own'] }), meta({ finalizers: ['a'] }), { finalizers: ['a'] })).toBeUndefined()
  })
})

describe('a patch of taints on a newer version', () => {
  const [own, other, third] = ['own', 'other', 'third'].map((key) => ({ key, effect: 'NoSchedule' }) as const)
  if (own === undefined || other === undefined || third === undefined) throw new TypeError('three taints')

  it('adds its own, and takes those of others as they are now', () => {
    expect(rebasedNodePatch(node({ taints: [other] }), node({ taints: [third] }), { taints: [other, own] })).toEqual({
      taints: [third, own],
    })
  })

  it('is refused if the node has its own taint by now', () => {
    expect(rebasedNodePatch(node(), node({ taints: [own] }), { taints: [own] })).toBeUndefined()
  })
})

describe('a status on a newer version', () => {
  const { status } = nodeClaim({ status: { conditions: [condition('Launched')] } })
  const open = condition('Drained', { status: 'Unknown' })
  const withThese = (...conditions: typeof status.conditions) => ({ ...status, conditions })
  const foreign = condition('Foreign')

  it('sets its own conditions, and takes all else as it is now', () => {
    const now = { ...withThese(...status.conditions, foreign), imageId: 'newer' }
    expect(rebasedStatus(status, now, withThese(...status.conditions, open))).toEqual({
      ...now,
      conditions: [...status.conditions, foreign, open],
    })
  })

  it('does not take a new generation of a condition as a change of it', () => {
    const stamped = status.conditions.map((each) => ({ ...each, observedGeneration: 7 }))
    const now = withThese(...status.conditions.map((each) => ({ ...each, message: 'of another writer' })))
    expect(rebasedStatus(status, now, withThese(...stamped, open))).toEqual(withThese(...now.conditions, open))
  })

  it.each([
    ['another process wrote the same condition', withThese(...status.conditions, condition('Drained')), status.conditions],
    ['a condition is taken away', status, []],
  ])('is refused if %s', (_sentence, now, kept) => {
    expect(rebasedStatus(status, now, withThese(...kept, open))).toBeUndefined()
  })

  it('is refused if it changes more than conditions', () => {
    expect(rebasedStatus(status, status, { ...status, imageId: 'own' })).toBeUndefined()
  })
})
