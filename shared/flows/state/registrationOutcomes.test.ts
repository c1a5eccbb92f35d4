import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import type { Change } from '../../model/change.ts'
import { nodePoolName, uid } from '../../model/ids.ts'
import type { Meta } from '../../model/meta.ts'
import { createRegistrationOutcomes } from './registrationOutcomes.ts'

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
const NEVER_READY = [
  condition('Launched'),
  condition('Registered'),
  condition('Initialized', { status: 'Unknown', reason: 'InitializationTimeout' }),
]
const GIVEN_UP = claim({ stage: 'launched', status: { conditions: TIMED_OUT } })
const ENDING = claim({ stage: 'launched', status: { conditions: TIMED_OUT }, meta: { deletedAt: ago(SECOND) } })

const LIVES: { readonly [sentence: string]: { readonly life: readonly Change[]; readonly want: readonly string[] } } = {
  'that registers joined': { life: [LAUNCHED, claim({ stage: 'registered' }), claim({ stage: 'initialized' })], want: ['joined'] },
  'that is given up did not, and counts once': { life: [LAUNCHED, GIVEN_UP, ENDING, GONE], want: ['RegistrationFailed never came'] },
  'whose end was seen at once counts, too': { life: [LAUNCHED, ENDING], want: ['RegistrationFailed never came'] },
  'of which only the end was missed counts, too': { life: [GIVEN_UP, GONE], want: ['RegistrationFailed never came'] },
  'that registered and never became ready did not, and counts once': {
    life: [LAUNCHED, claim({ stage: 'registered' }), claim({ stage: 'registered', status: { conditions: NEVER_READY } }), ENDING],
    want: ['RegistrationFailed never came'],
  },
  'that somebody deleted says nothing': {
    life: [LAUNCHED, claim({ stage: 'launched', meta: { deletedAt: ago(SECOND) } }), GONE],
    want: [],
  },
  'that was registered when it was first seen says nothing': { life: [claim({ stage: 'registered' })], want: [] },
}

describe('a claim', () => {
  for (const [sentence, { life, want }] of Object.entries(LIVES)) {
    it(sentence, () => {
      const registrationOutcomes = createRegistrationOutcomes()
      for (const [index, change] of life.entries()) registrationOutcomes.note(life[index - 1], change)
      expect(registrationOutcomes.of(POOL).map((each) => (each.joined ? 'joined' : `${each.reason} ${each.message}`))).toEqual(want)
    })
  }
})

describe('outcomes', () => {
  const pool = (generation: number, of = uid('pool')): Change => ({
    ...HEAD,
    key: 'default',
    op: 'put',
    kind: 'nodePool',
    object: nodePool({ meta: { generation, uid: of } }),
  })

  it('CL-22 are kept four deep, and forgotten when the pool changes', () => {
    const registrationOutcomes = createRegistrationOutcomes()
    for (let each = 0; each < 6; each++) {
      const meta = { uid: uid(`${each}`) }
      registrationOutcomes.note(
        claim({ stage: 'launched', meta }),
        claim({ stage: 'launched', status: { conditions: TIMED_OUT }, meta: { ...meta, deletedAt: ago(SECOND) } }),
      )
    }
    registrationOutcomes.note(pool(1), pool(1))
    expect(registrationOutcomes.of(POOL)).toHaveLength(4)
    registrationOutcomes.note(pool(1), pool(2))
    expect(registrationOutcomes.of(POOL)).toEqual([])
  })

  const nodeClassOf = (meta: Partial<Meta>): Change => ({
    ...HEAD,
    key: 'default',
    op: 'put',
    kind: 'nodeClass',
    object: nodeClass({ meta }),
  })
  const GONE_POOL: Change = { ...HEAD, key: 'default', op: 'delete', kind: 'nodePool' }

  it.each<[sentence: string, before: Change | undefined, after: Change, isForgotten: boolean]>([
    ['stand while their pool is read again', pool(1), pool(1), false],
    ['begin anew with a pool that nobody knew', undefined, pool(1), true],
    ['begin anew with a pool that is gone', pool(1), GONE_POOL, true],
    ['begin anew with a pool that was made again', pool(1), pool(1, uid('other')), true],
    ['stand when another pool changes', pool(1), { ...pool(2), key: 'other' }, false],
    ['stand while their class is read again', nodeClassOf({}), nodeClassOf({}), false],
    ['begin anew with a class that changed', nodeClassOf({ generation: 1 }), nodeClassOf({ generation: 2 }), true],
    ['begin anew with a class that was made again', nodeClassOf({}), nodeClassOf({ uid: uid('other') }), true],
  ])('%s', (_sentence, before, after, isForgotten) => {
    const registrationOutcomes = createRegistrationOutcomes()
    registrationOutcomes.note(LAUNCHED, ENDING)
    registrationOutcomes.note(before, after)
    expect(registrationOutcomes.of(POOL)).toHaveLength(isForgotten ? 0 : 1)
  })

  it.each([
    ['LaunchTimeout', 'LaunchTimeout'],
    ['RegistrationTimeout', 'RegistrationFailed'],
    ['InitializationTimeout', 'RegistrationFailed'],
  ])('of a claim that says %s are %s, of its own pool', (said, want) => {
    const registrationOutcomes = createRegistrationOutcomes()
    const conditions = [condition('Launched', { status: 'Unknown', reason: said, message: 'why' })]
    registrationOutcomes.note(LAUNCHED, claim({ stage: 'created', status: { conditions }, meta: { deletedAt: ago(SECOND) } }))
    expect(registrationOutcomes.of(POOL)).toMatchObject([{ joined: false, reason: want, message: 'why', claim: 'default-aaaaa' }])
    expect(registrationOutcomes.of(nodePoolName('other'))).toEqual([])
  })

  it('are none of a claim whose stage was reached in the end, or that ends for another reason', () => {
    const registrationOutcomes = createRegistrationOutcomes()
    const end = (over: Parameters<typeof condition>[1]): Change =>
      claim({ stage: 'created', status: { conditions: [condition('Launched', over)] }, meta: { deletedAt: ago(SECOND) } })
    registrationOutcomes.note(LAUNCHED, end({ status: 'True', reason: 'LaunchTimeout' }))
    registrationOutcomes.note(LAUNCHED, end({ status: 'Unknown', reason: 'NodeNotFound' }))
    expect(registrationOutcomes.of(POOL)).toEqual([])
  })
})
