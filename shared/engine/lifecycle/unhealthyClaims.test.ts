import { describe, expect, it } from 'vitest'
import { ago, SECOND } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { DEFAULT_MACHINE_NAMES as NAMES } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import { unhealthyClaims } from './stepNodeClaim.ts'

const NODES: { readonly [sentence: string]: { readonly nodes: readonly Node[]; readonly want: number } } = {
  'with a ready node is settled': { nodes: [node()], want: 0 },
  'whose node is gone is looked at again': { nodes: [node({ claim: 'other' })], want: 1 },
  'whose node is not ready is looked at again': { nodes: [node({ ready: false })], want: 1 },
  'whose node has less than was promised is looked at again': { nodes: [node({ capacity: { ...node().capacity, cpu: 1_000 } })], want: 1 },
  'whose node is being deleted is looked at again': { nodes: [node({ meta: { deletedAt: ago(SECOND) } })], want: 1 },
}

describe('a claim that was ready', () => {
  for (const [sentence, { nodes, want }] of Object.entries(NODES)) {
    it(sentence, () => expect(unhealthyClaims(nodes, [nodeClaim()], NAMES)).toHaveLength(want))
  }

  it('that is gone and left a node behind is looked at again, unless the node is ready', () => {
    const left = (ready: boolean) => unhealthyClaims([node({ ready })], [], NAMES)
    expect(left(false)).toEqual(['default-aaaaa'])
    expect(left(true)).toEqual([])
    expect(unhealthyClaims([node({ name: 'aks-system-vmss000000', ready: false })], [], NAMES)).toEqual([])
  })

  it('that ends, and one that is not ready yet, are found by others', () => {
    expect(unhealthyClaims([], [nodeClaim({ meta: { deletedAt: ago(SECOND) } }), nodeClaim({ stage: 'registered' })], NAMES)).toEqual([])
  })
})
