import { describe, expect, it } from 'vitest'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { simulateDecision } from '../../simulateDecision.ts'
import { claimsMovedBy } from '../candidates/endedClaims.ts'

/** The claims that go in a decision with one command. `cpus`: what the one pod of each node asks for. 0: no pod. */
function goneOf(cpus: readonly number[], budget = '100%'): readonly (readonly string[])[] {
  const names = cpus.map((_, at) => `default-n${at}`)
  const { objects, ...context } = snapshot({
    objects: {
      nodePool: [nodePool({ disruption: { budgets: [{ nodes: budget }], consolidationPolicy: 'WhenEmptyOrUnderutilized' } })],
      nodeClaim: names.map((name) => nodeClaim({ name })),
      node: names.map((claim) => node({ claim })),
      pod: names.flatMap((name, at) => {
        const own = cpus[at] ?? 0
        return own === 0 ? [] : [pod({ name, cpus: own, nodeName: nodeNameOf(name) })]
      }),
    },
  })
  return simulateDecision(objects, context, 'oneCommand')
    .actions.map(claimsMovedBy)
    .filter((claims) => claims.length > 0)
}

describe('a decision with one command', () => {
  it('lets empty nodes go, and waits with the others', () => {
    expect(goneOf([0, 0.5, 0.6])).toEqual([['default-n0']])
  })

  it('lets as many go together as one new node can replace', () => {
    expect(goneOf([0.5, 0.6, 0.7]).flat()).toHaveLength(3)
  })

  it('lets one node go where budgets allow no more', () => {
    expect(goneOf([0.5, 0.6, 0.7], '1').flat()).toHaveLength(1)
  })
})
