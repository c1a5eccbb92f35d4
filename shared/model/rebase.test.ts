import { describe, expect, it } from 'vitest'
import { condition } from '../../test/builders/condition.ts'
import { meta } from '../../test/builders/meta.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { nodeName } from './ids.ts'
import { rebasedMeta, rebasedNode, rebasedStatus } from './rebase.ts'

const SEEN = meta('seen', { labels: { a: '1', b: '1' }, annotations: { c: '1' }, finalizers: ['own', 'old'] })

describe('a patch of metadata', () => {
  it('has only what it changes, and the lists as they are now', () => {
    const now = { ...SEEN, labels: { a: '1', b: '2' }, finalizers: ['own', 'old', 'other'] }
    const patch = { labels: { ...SEEN.labels, a: '9' }, annotations: SEEN.annotations, finalizers: ['old', 'new'] }
    expect(rebasedMeta(SEEN, now, patch)).toEqual({ labels: { a: '9' }, annotations: {}, finalizers: ['old', 'other', 'new'] })
  })

  it.each([
    ['to a third value', '3', undefined],
    ['to the value of the patch', '2', { annotations: { c: '2' } }],
    ['to nothing', undefined, undefined],
  ])('whose annotation somebody else changed %s', (_sentence, value, expected) => {
    const annotations: { readonly [key: string]: string } = value === undefined ? {} : { c: value }
    expect(rebasedMeta(SEEN, { ...SEEN, annotations }, { annotations: { c: '2' } })).toEqual(expected)
  })
})

describe('a patch of a node', () => {
  const effect = 'NoSchedule'
  const seen = {
    ...node(),
    taints: [
      { key: 'start', effect },
      { key: 'team', value: 'a', effect },
    ] as const,
  }

  it('keeps the taints of others, and its own labels win', () => {
    const others = { key: 'other', effect } as const
    const now = { ...seen, taints: [...seen.taints, others], meta: { ...seen.meta, labels: { ...seen.meta.labels, x: '2' } } }
    const taints = [{ key: 'team', value: 'b', effect }] as const
    expect(rebasedNode(seen, now, { taints, labels: { ...seen.meta.labels, x: '3' } })).toEqual({
      taints: [others, ...taints],
      labels: { x: '3' },
    })
  })
})

describe('a status', () => {
  const { status } = nodeClaim({ stage: 'launched' })
  const [first, ...rest] = status.conditions
  if (first === undefined) throw new Error('a launched claim has conditions')
  const wanted = {
    ...status,
    nodeName: nodeName('joiner-default-one'),
    conditions: [{ ...first, reason: 'Own' }, ...rest, condition('New')],
  }
  const foreign = condition('Foreign')

  it('keeps conditions of others', () => {
    const now = { ...status, conditions: [...status.conditions, foreign] }
    const rebased = rebasedStatus(status, now, wanted)
    expect(rebased?.conditions.map(({ type }) => type)).toEqual([...now.conditions.map(({ type }) => type), 'New'])
    expect(rebased?.conditions[0]?.reason).toBe('Own')
    expect(rebased?.nodeName).toBe(wanted.nodeName)
  })

  it('removes what the writer removed', () => {
    expect(
      rebasedStatus(wanted, { ...wanted, conditions: [...wanted.conditions, foreign] }, { ...wanted, conditions: rest })?.conditions,
    ).toEqual([...rest, foreign])
  })

  it('stamps a condition of others with the generation and takes it for no change', () => {
    const seen = { ...status, conditions: [...status.conditions, foreign] }
    const stamped = { ...wanted, conditions: [...wanted.conditions, { ...foreign, observedGeneration: 2 }] }
    const now = { ...seen, conditions: [...status.conditions, { ...foreign, message: 'later' }] }
    expect(rebasedStatus(seen, now, stamped)?.conditions).toContainEqual({ ...foreign, message: 'later', observedGeneration: 2 })
    expect(rebasedStatus(seen, status, stamped)?.conditions.map(({ type }) => type)).not.toContain('Foreign')
  })

  it.each([
    ['the condition', { ...status, conditions: [{ ...first, reason: 'Theirs' }, ...rest] }],
    ['the same new condition', { ...status, conditions: [...status.conditions, condition('New', { message: 'theirs' })] }],
    ['the name of the node', { ...status, nodeName: nodeName('joiner-default-other') }],
  ])('is not written if somebody else changed %s', (_sentence, now) => {
    expect(rebasedStatus(status, now, wanted)).toBeUndefined()
  })
})
