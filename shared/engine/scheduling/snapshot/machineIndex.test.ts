import { describe, expect, it } from 'vitest'
import { ago, SECOND } from '../../../../test/builders/clock.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, providerIdOf } from '../../../../test/builders/nodeClaim.ts'
import { nodeName } from '../../../model/ids.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { createFleet, fleetOf } from '../../cluster/fleet.ts'
import { type Leaving, NOBODY_LEAVES, stateNodes } from '../../cluster/stateNode.ts'
import { createMachineIndex } from './machineIndex.ts'

/** An index that takes objects as they come, and its machines as text: the names of node and claim. */
function cluster() {
  const index = createMachineIndex()
  const fleet = createFleet()
  let leaving: Leaving = NOBODY_LEAVES
  const settle = (): void => {
    for (const { id, machine } of index.changes()) fleet.set(id, machine)
  }
  return {
    index,
    node: (name: string, put?: Node) => index.setNode(name, put),
    claim: (name: string, put?: NodeClaim) => index.setClaim(name, put),
    moves(...claims: readonly NodeClaim[]): void {
      leaving = new Map(claims.map(({ name, meta }) => [name, meta.uid]))
      index.setLeaving(leaving)
    },
    machines() {
      settle()
      return [...fleet.all()].map(({ node: own, claim }) => `${own?.name ?? '-'} ${claim?.name ?? '-'}`).sort()
    },
    /** The totals of each pool: as they are kept, and counted from scratch. */
    counted() {
      settle()
      const fresh = fleetOf(stateNodes({ node: [...index.nodes.values()], nodeClaim: [...index.claims.values()], pod: [] }, leaving))
      const of = (each: typeof fresh) => ['default', 'other'].map((pool) => each.counted(pool))
      return { kept: of(fleet), fresh: of(fresh) }
    },
  }
}

describe('machines', () => {
  it('CL-03 of a claim and a node of one name are two, of which each goes by itself', () => {
    const { node: putNode, claim, machines } = cluster()
    putNode('same', node({ name: 'same' }))
    claim('same', nodeClaim({ name: 'same', stage: 'launched' }))
    expect(machines()).toEqual(['- same', 'same -'])
    claim('same')
    expect(machines()).toEqual(['same -'])
    putNode('same')
    expect(machines()).toEqual([])
  })

  it('CL-07 of a claim and a node become one once the node says whose it is', () => {
    const { node: putNode, claim, machines } = cluster()
    const { providerId, ...unknown } = node({ claim: 'a' })
    putNode(unknown.name, unknown)
    claim('a', nodeClaim({ name: 'a', stage: 'launched' }))
    expect(machines()).toEqual(['- a', `${unknown.name} -`])
    putNode(unknown.name, { ...unknown, ...(providerId && { providerId }) })
    expect(machines()).toEqual([`${unknown.name} a`])
  })

  it('CL-05 go with their claim, with a move that takes it, and with their node where they have no claim', () => {
    const { index, node: putNode, claim, moves } = cluster()
    const isDeleting = () => index.changes().flatMap(({ machine }) => (machine === undefined ? [] : [machine.isDeleting]))
    const own = nodeClaim({ name: 'a', stage: 'launched' })
    claim('a', own)
    expect(isDeleting()).toEqual([false])
    moves(own)
    expect(isDeleting()).toEqual([true])
    moves()
    expect(isDeleting()).toEqual([false])
    claim('a', nodeClaim({ name: 'a', stage: 'launched', meta: { deletedAt: ago(SECOND) } }))
    putNode('n', node({ name: 'n', meta: { deletedAt: ago(SECOND) } }))
    expect(isDeleting()).toEqual([true, true])
  })
})

const big = (claim: string, nodePool = 'default'): Node => node({ claim, nodePool, capacity: { cpu: 7 } })

/** Changes of the machines of two pools, made one after another. */
const CHANGES: { readonly [sentence: string]: (its: ReturnType<typeof cluster>) => void } = {
  'two claims come': ({ claim }) => {
    claim('a', nodeClaim({ name: 'a', stage: 'launched' }))
    claim('b', nodeClaim({ name: 'b', nodePool: 'other', stage: 'launched' }))
  },
  'a node comes': ({ node: put }) => put('a', big('a')),
  'its claim is initialized': ({ claim }) => claim('a', nodeClaim({ name: 'a' })),
  'the node says the same again': ({ node: put }) => put('a', big('a')),
  'node and claim change their pool': ({ node: put, claim }) => {
    put('a', big('a', 'other'))
    claim('a', nodeClaim({ name: 'a', nodePool: 'other' }))
  },
  'the node is another machine’s': ({ node: put }) => put('a', { ...big('a', 'other'), providerId: providerIdOf('b') }),
  'and its own again': ({ node: put }) => put('a', big('a', 'other')),
  'a move takes the claim': ({ moves }) => moves(nodeClaim({ name: 'a' })),
  'and leaves it': ({ moves }) => moves(),
  'the node goes': ({ node: put }) => put('a'),
  'the claim is deleted': ({ claim }) => claim('a', nodeClaim({ name: 'a', nodePool: 'other', meta: { deletedAt: ago(SECOND) } })),
  'and is gone': ({ claim }) => claim('a'),
  'a node comes that no claim made': ({ node: put }) => put('own', { ...node({ name: 'own' }), name: nodeName('own') }),
}

describe('what a pool’s machines are together', () => {
  it('CL-15 CL-16 is what it would be counted from the beginning, whatever happened before', () => {
    const its = cluster()
    const seen = new Set<string>()
    for (const [sentence, change] of Object.entries(CHANGES)) {
      change(its)
      const { kept, fresh } = its.counted()
      expect(kept, sentence).toEqual(fresh)
      seen.add(JSON.stringify(kept))
    }
    expect(seen.size).toBeGreaterThan(4)
  })
})
