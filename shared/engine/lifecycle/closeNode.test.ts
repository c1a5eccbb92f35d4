import { describe, expect, it } from 'vitest'
import { ago, SECOND } from '../../../test/builders/clock.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Taint } from '../../model/taint.ts'
import { closeNode } from './closeNode.ts'

const CLOSED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }
const EXCLUDED = { [LABEL.excludeFromLoadBalancers]: 'karpenter' }

const OPEN: { readonly [sentence: string]: NodeShape } = {
  'without taint and label': {},
  'with the taint only': { taints: [CLOSED] },
  'with the label only': { meta: { labels: EXCLUDED } },
  'with a taint of the same key and another effect': { taints: [{ ...CLOSED, effect: 'NoExecute' }], meta: { labels: EXCLUDED } },
  'with another taint of the same effect': { taints: [{ ...CLOSED, key: 'own' }], meta: { labels: EXCLUDED } },
}

describe('a node that goes', () => {
  it.each(Object.entries(OPEN))('%s gets taint and label, beside its own, and is deleted', (_sentence, shape) => {
    const before = node(shape)
    const [patch, deletion, ...others] = closeNode(before)
    if (patch?.kind !== 'patchNode') expect.fail('it is not closed')
    expect(patch.patch.labels).toEqual({ ...before.meta.labels, ...EXCLUDED })
    const own = before.taints.filter(({ key }) => key === 'own')
    expect(patch.patch.taints).toEqual([...own, CLOSED])
    expect([deletion, ...others]).toEqual([{ kind: 'deleteNode', node: before }])
  })

  it('and is closed is left alone, whoever excluded it from load balancers and whatever value they gave', () => {
    const shape = { taints: [CLOSED], meta: { labels: { [LABEL.excludeFromLoadBalancers]: '' } } }
    expect(closeNode(node(shape)).map(({ kind }) => kind)).toEqual(['deleteNode'])
    expect(closeNode(node({ ...shape, meta: { ...shape.meta, deletedAt: ago(SECOND) } }))).toEqual([])
  })
})
