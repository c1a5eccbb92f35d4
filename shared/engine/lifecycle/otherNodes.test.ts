import { describe, expect, it } from 'vitest'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, providerIdOf } from '../../../test/builders/nodeClaim.ts'
import { DEFAULT_MACHINE_NAMES as NAMES } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { otherNodes } from './otherNodes.ts'

const CLAIM = nodeClaim()
/** A node of the claim's machine under a name of its own. */
const twin = (name: string, ready = true): Node =>
  node({ name, providerId: providerIdOf(CLAIM.name), ready, meta: { labels: { [LABEL.nodeClass]: 'default' } } })
const found = (nodes: readonly Node[], claims: readonly NodeClaim[] = [CLAIM]) => [...otherNodes(nodes, claims, NAMES)]

describe('nodes of a machine under other names', () => {
  it('are none where each machine has its node', () => {
    expect(found([node(), node({ claim: 'default-bbbbb' })], [CLAIM, nodeClaim({ name: 'default-bbbbb' })])).toEqual([])
    expect(found([node({ name: 'aks-system-vmss000000' })])).toEqual([])
  })

  it('are found by provider id, whether or not its own node is there, in the order of their names', () => {
    expect(found([twin('twin-b'), node(), twin('twin-a')])).toEqual([['default-aaaaa', ['twin-a', 'twin-b']]])
    expect(found([twin('renamed')])).toEqual([['default-aaaaa', ['renamed']]])
  })

  it('are asked about until a claim that says so says it no more', () => {
    const conditions = [condition('Launched'), condition('Registered', { status: 'False', reason: 'MultipleNodesFound' })]
    const waiting = nodeClaim({ stage: 'launched', status: { conditions } })
    expect(found([node()], [waiting])).toEqual([['default-aaaaa', []]])
  })

  it('are those that a claim left behind, unless they are ready or nobody of ours made them', () => {
    expect(found([twin('renamed', false)], [])).toEqual([['default-aaaaa', ['renamed']]])
    expect(found([twin('renamed')], [])).toEqual([])
    expect(found([node({ name: 'renamed', providerId: providerIdOf('x'), ready: false })], [])).toEqual([])
    // Under its own name the node is found by its name.
    expect(found([node({ ready: false })], [])).toEqual([])
  })
})
