import { describe, expect, it } from 'vitest'
import { hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import { createFirstTries, type FirstTries } from './firstTries.ts'

const OFFERING = { size: vmSizeName('Standard_D2as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot' } as const
type Offered = Parameters<FirstTries['begin']>[0]
const OTHERS: readonly Offered[] = [
  { ...OFFERING, size: vmSizeName('Standard_D4as_v6') },
  { ...OFFERING, zone: zoneName('eastus-2') },
  { ...OFFERING, capacityType: 'on-demand' },
]

function tryOf(tries: FirstTries, offered: Offered = OFFERING, hasWaited = false) {
  const begun = tries.begin(offered, NOW, hasWaited)
  if (begun.kind !== 'try') expect.fail('the claim has to wait')
  return begun
}

describe('while a claim tries an offering for the first time', () => {
  it('other claims wait for its answer, and only for this offering', async () => {
    const tries = createFirstTries()
    const first = tryOf(tries)
    const other = tries.begin(OFFERING, NOW, false)
    if (other.kind !== 'wait') expect.fail('a second claim tries it, too')
    for (const each of OTHERS) tryOf(tries, each)
    let isAnswered = false
    const waiting = other.answer.then(() => void (isAnswered = true))
    await Promise.resolve()
    expect(isAnswered).toBe(false)
    first.end(false, NOW)
    await waiting
  })

  it('a claim that has waited goes on beside it, and may learn that Azure has the offering', () => {
    const tries = createFirstTries()
    tryOf(tries)
    tryOf(tries, OFFERING, true).end(false, NOW)
    expect(tries.begin(OFFERING, NOW, false).kind).toBe('wait')
    tryOf(tries, OFFERING, true).end(true, NOW)
    tryOf(tries)
    tryOf(tries)
  })
})

describe('after the answer', () => {
  it.each([
    ['nobody waits for an offering that Azure has', true, 0, 'try'],
    ['nobody waits for it in the next minutes', true, 5 * MINUTE - SECOND, 'try'],
    ['it is tried anew later', true, 5 * MINUTE, 'wait'],
    ['it is tried anew if Azure refused it', false, 10 * SECOND, 'wait'],
  ])('%s', (_sentence, isMade, laterMs, second) => {
    const tries = createFirstTries()
    tryOf(tries).end(isMade, NOW)
    tries.begin(OFFERING, hence(laterMs), false)
    expect(tries.begin(OFFERING, hence(laterMs), false).kind).toBe(second)
  })

  it('a claim that does not know of a refusal yet reads once more, and then may be the first to try', async () => {
    const tries = createFirstTries()
    tryOf(tries).end(false, NOW)
    const late = tries.begin(OFFERING, NOW, false)
    if (late.kind !== 'wait') expect.fail('it asks Azure again')
    await late.answer
    tryOf(tries, OFFERING, true)
    expect(tries.begin(OFFERING, NOW, false).kind).toBe('wait')
  })
})
