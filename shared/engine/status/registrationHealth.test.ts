import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import type { Condition } from '../../model/condition.ts'
import { nodeClaimName, uid } from '../../model/ids.ts'
import type { RegistrationOutcome } from '../../model/nodePool.ts'
import { REGISTRATION_HEALTH, registrationHealth } from './registrationHealth.ts'

const whose = (index: number) => ({ claim: nodeClaimName(`default-${index}`), uid: uid(`${index}`), createdAt: NOW })

/** `+` joined, `-` did not; oldest first. */
function outcomes(text: string): readonly RegistrationOutcome[] {
  return text
    .split('')
    .map((sign, index) =>
      sign === '+'
        ? { joined: true, ...whose(index) }
        : { joined: false, ...whose(index), reason: 'RegistrationFailed', message: `claim ${index} never joined` },
    )
}

type Case = { readonly said?: Partial<Condition>; readonly classGeneration?: number; readonly seen: string; readonly want: string }

const CASES: { readonly [sentence: string]: Case } = {
  'a new pool is not known to be healthy': { seen: '', want: 'Unknown' },
  'a first node makes it healthy': { seen: '+', want: 'True' },
  'one failure says nothing': { seen: '-', want: 'Unknown' },
  'one failure leaves a healthy pool healthy': { said: { status: 'True' }, seen: '-', want: 'True' },
  'two failures make it unhealthy': { seen: '--', want: 'False' },
  'two failures make a healthy pool unhealthy': { said: { status: 'True' }, seen: '--', want: 'False' },
  'two failures among four are too many': { seen: '-+-+', want: 'False' },
  'RG-17 two failures and a success are too many': { seen: '--+', want: 'False' },
  'RG-17 with two more successes they are not': { seen: '--+++', want: 'True' },
  'one success does not make it healthy again': { said: { status: 'False' }, seen: '+', want: 'False' },
  'three do': { said: { status: 'False' }, seen: '+++', want: 'True' },
  'what an earlier process found stands': { said: { status: 'False' }, seen: '', want: 'False' },
  'that it was healthy stands, too': { said: { status: 'True' }, seen: '', want: 'True' },
  'a changed pool begins anew': { said: { status: 'False', observedGeneration: 0 }, seen: '', want: 'Unknown' },
  'a changed class begins anew': { said: { status: 'True' }, classGeneration: 2, seen: '', want: 'Unknown' },
}

describe('the registration health of a pool', () => {
  for (const [sentence, { said, classGeneration = 1, seen, want }] of Object.entries(CASES)) {
    it(`PN-09 CL-22 ${sentence}`, () => {
      const conditions = said === undefined ? [] : [condition(REGISTRATION_HEALTH, said)]
      const pool = nodePool({ status: { conditions, resources: {}, nodeClassObservedGeneration: 1 } })
      const theClass = nodeClass({ meta: { generation: classGeneration } })
      expect(registrationHealth(pool, theClass, outcomes(seen))?.status).toBe(want)
    })
  }

  it.each<[sentence: string, said: Partial<Condition>]>([
    ['LV-09 that was healthy', { status: 'True' }],
    ['LV-10 of which nothing was known', { status: 'Unknown', reason: 'AwaitingRegistration' }],
  ])('%s is False after two failures, with the reason of the last', (_sentence, said) => {
    const conditions = [condition(REGISTRATION_HEALTH, said)]
    const pool = nodePool({ status: { conditions, resources: {}, nodeClassObservedGeneration: 1 } })
    const [first, last] = outcomes('--')
    if (first === undefined || last?.joined !== false) expect.fail('two failures')
    for (const reason of ['RegistrationFailed', 'LaunchTimeout']) {
      expect(registrationHealth(pool, nodeClass(), [first, { ...last, reason }])).toMatchObject({ status: 'False', reason })
    }
    expect(registrationHealth(pool, nodeClass(), [first])?.status).toBe(said.status)
  })

  it('says how many failed and why the last one did', () => {
    expect(registrationHealth(nodePool(), nodeClass(), outcomes('+--'))).toEqual({
      type: REGISTRATION_HEALTH,
      status: 'False',
      reason: 'RegistrationFailed',
      message: '2 of the last 3 nodeclaims brought no node; lately: claim 2 never joined',
    })
  })

  it('PN-09 is not spoken of without its class', () => {
    expect(registrationHealth(nodePool(), undefined, outcomes('--'))).toBeUndefined()
  })
})
