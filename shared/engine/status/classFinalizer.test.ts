import { describe, expect, it } from 'vitest'
import { ago, MINUTE } from '../../../test/builders/clock.ts'
import { statusOf } from '../../../test/builders/decided.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { Meta } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'

const HELD = ['karpenter.azure.com/termination']
const GOING: Partial<Meta> = { deletedAt: ago(MINUTE), finalizers: HELD }

function decided(meta: Partial<Meta>, claims: readonly NodeClaim[] = []) {
  const objects = { nodeClass: [nodeClass({ meta })], nodePool: [nodePool()], nodeClaim: claims }
  const holds = statusOf(snapshot({ objects })).actions.flatMap((action) => {
    if (action.kind === 'holdNodeClass' || action.kind === 'releaseNodeClass') return [`${action.kind} ${action.nodeClass}`]
    return action.kind === 'publish' && action.event.reason === 'WaitingOnNodeClaimTermination' ? [action.event.message] : []
  })
  return holds
}

function claimsOf(count: number, className = 'default'): readonly NodeClaim[] {
  return Array.from({ length: count }, (_, index) =>
    nodeClaim({ name: `default-${count - index}`, spec: { nodeClassRef: nodeClassRef(className) } }),
  )
}

describe('NS-12 the finalizer of an AKSNodeClass', () => {
  it('is there from the start, and set once', () => {
    expect(decided({ finalizers: [] })).toEqual(['holdNodeClass default'])
    expect(decided({ finalizers: ['of/another'] })).toEqual(['holdNodeClass default'])
    expect(decided({ finalizers: HELD }, claimsOf(1))).toEqual([])
  })

  it('goes once no NodeClaim refers to the class', () => {
    expect(decided(GOING)).toEqual(['releaseNodeClass default'])
    expect(decided(GOING, claimsOf(2, 'other'))).toEqual(['releaseNodeClass default'])
    expect(decided({ ...GOING, finalizers: ['of/another'] })).toEqual([])
  })

  it('stays while NodeClaims refer to the class, and an Event names at most five of them', () => {
    expect(decided(GOING, claimsOf(2))).toEqual(['stays until the nodeclaims that refer to it are gone: default-1, default-2'])
    expect(decided(GOING, claimsOf(7))).toEqual([
      'stays until the nodeclaims that refer to it are gone: default-1, default-2, default-3, default-4, default-5 and 2 more',
    ])
  })
})
