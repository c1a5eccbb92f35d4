import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClaimName } from '../../model/ids.ts'
import { FINALIZER } from '../../model/labels.ts'
import { createSeenClaims } from './observeKnown.ts'

describe('claims that a process has seen', () => {
  it('are remembered as they were last seen, and no longer once they go', () => {
    const seen = createSeenClaims()
    const first = nodeClaim({ stage: 'launched' })
    seen.note(first)
    const later = nodeClaim({ stage: 'registered' })
    seen.note(later)
    expect(seen.get(first.name)).toBe(later)
    seen.note(nodeClaim({ meta: { deletedAt: NOW } }))
    expect(seen.get(first.name)).toBeUndefined()
  })

  it('are remembered while Azure ends their machines, until their finalizer is lifted', () => {
    const seen = createSeenClaims()
    const meta = { deletedAt: NOW, finalizers: [FINALIZER] }
    const status = { conditions: [condition('InstanceTerminating')] }
    const ending = nodeClaim({ meta, status })
    seen.note(ending)
    expect(seen.get(ending.name)).toBe(ending)
    seen.note(nodeClaim({ meta: { ...meta, finalizers: [] }, status }))
    expect(seen.get(ending.name)).toBeUndefined()
  })

  it('are a bounded number, the one that was not seen for longest going first', () => {
    const seen = createSeenClaims()
    for (let n = 0; n < 1_001; n++) {
      seen.note(nodeClaim({ name: `claim-${n}` }))
      seen.note(nodeClaim({ name: 'claim-0' }))
    }
    expect(seen.get(nodeClaimName('claim-0'))).toBeDefined()
    expect(seen.get(nodeClaimName('claim-1'))).toBeUndefined()
    expect(seen.get(nodeClaimName('claim-1000'))).toBeDefined()
  })
})
