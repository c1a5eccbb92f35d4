import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../test/builders/clock.ts'
import { condition } from '../../test/builders/condition.ts'
import { type NodeClaimShape, nodeClaim } from '../../test/builders/nodeClaim.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import type { Change } from '../model/change.ts'
import { nodePoolName } from '../model/ids.ts'
import { createJoinings } from './joinings.ts'

const POOL = nodePoolName('default')
const HEAD = { seq: 1, at: NOW, key: 'default-aaaaa' } as const

function claim(shape: NodeClaimShape): Change {
  return { ...HEAD, op: 'put', kind: 'nodeClaim', object: nodeClaim(shape) }
}

const GONE: Change = { ...HEAD, op: 'delete', kind: 'nodeClaim' }
const LAUNCHED = claim({ stage: 'launched' })
const TIMED_OUT = [
  condition('Launched'),
  condition('Registered', { status: 'Unknown', reason: 'RegistrationTimeout', message: 'never came' }),
]
const GIVEN_UP = claim({ stage: 'launched', status: { conditions: TIMED_OUT } })
const ENDING = claim({ stage: 'launched', status: { conditions: TIMED_OUT }, meta: { deletedAt: ago(SECOND) } })

const LIVES: { readonly [sentence: string]: { readonly life: readonly Change[]; readonly want: readonly string[] } } = {
  'that registers joined': { life: [LAUNCHED, claim({ stage: 'registered' }), claim({ stage: 'initialized' })], want: ['joined'] },
  'that is given up did not, and counts once': { life: [LAUNCHED, GIVEN_UP, ENDING, GONE], want: ['RegistrationFailed never came'] },
  'whose end was seen at once counts, too': { life: [LAUNCHED, ENDING], want: ['RegistrationFailed never came'] },
  'of which only the end was missed counts, too': { life: [GIVEN_UP, GONE], want: ['RegistrationFailed never came'] },
  'that somebody deleted says nothing': {
    life: [LAUNCHED, claim({ stage: 'launched', meta: { deletedAt: ago(SECOND) } }), GONE],
    want: [],
  },
  'that was registered when it was first seen says nothing': { life: [claim({ stage: 'registered' })], want: [] },
}

describe('a claim', () => {
  for (const [sentence, { life, want }] of Object.entries(LIVES)) {
    it(sentence, () => {
      const joinings = createJoinings()
      for (const [index, change] of life.entries()) joinings.note(life[index - 1], change)
      expect(joinings.of(POOL).map(({ joined, reason, message }) => (joined ? 'joined' : `${reason} ${message}`))).toEqual(want)
    })
  }
})

describe('outcomes', () => {
  const pool = (generation: number): Change => ({
    ...HEAD,
    key: 'default',
    op: 'put',
    kind: 'nodePool',
    object: nodePool({ meta: { generation } }),
  })

  it('are kept four deep, and forgotten when the pool changes', () => {
    const joinings = createJoinings()
    for (let each = 0; each < 6; each++) joinings.note(LAUNCHED, ENDING)
    joinings.note(pool(1), pool(1))
    expect(joinings.of(POOL)).toHaveLength(4)
    joinings.note(pool(1), pool(2))
    expect(joinings.of(POOL)).toEqual([])
  })
})
