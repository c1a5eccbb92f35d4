import { describe, expect, it } from 'vitest'
import { hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodeClaimName, vmSizeName, zoneName } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'
import { createFirstTries, type FirstTries, type Offered } from './firstTries.ts'

const OFFERING = { size: vmSizeName('Standard_D2as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot' } as const
const OTHERS: readonly Offered[] = [
  { ...OFFERING, size: vmSizeName('Standard_D4as_v6') },
  { ...OFFERING, zone: zoneName('eastus-2') },
  { ...OFFERING, capacityType: 'on-demand' },
]
const ALL = [OFFERING, ...OTHERS]

type Asked = {
  readonly claim?: string
  readonly at?: EpochMs
  readonly waitedFor?: readonly Offered[]
  readonly usable?: readonly Offered[]
}

function begin(tries: FirstTries, choice: Offered, { claim = 'a', at = NOW, waitedFor = [], usable = ALL }: Asked = {}) {
  const candidates = usable.map((each) => ({ choice: each, instanceType: instanceType(), labels: {} }))
  return tries.begin({ claim: nodeClaimName(claim), choice, open: { candidates }, now: at, hasWaited: (each) => waitedFor.includes(each) })
}

function tryOf(tries: FirstTries, choice: Offered = OFFERING, asked: Asked = {}) {
  const begun = begin(tries, choice, asked)
  if (begun.kind !== 'try') expect.fail('the claim has to wait')
  return begun
}

/** Tries of offerings that Azure refused. */
function refused(count: number): FirstTries {
  const tries = createFirstTries()
  for (let n = 0; n < count; n++) tryOf(tries, { ...OFFERING, size: vmSizeName(`Standard_${n}`) }).end('refused', NOW)
  return tries
}

describe('while a claim tries an offering for the first time', () => {
  it('other claims wait for its answer, and only for this offering', async () => {
    const tries = createFirstTries()
    const first = tryOf(tries)
    const other = begin(tries, OFFERING)
    if (other.kind !== 'wait') expect.fail('a second claim tries it, too')
    for (const each of OTHERS) tryOf(tries, each)
    let isAnswered = false
    const waiting = other.answer.then(() => void (isAnswered = true))
    await Promise.resolve()
    expect(isAnswered).toBe(false)
    first.end('unknown', NOW)
    await waiting
  })

  it('a claim that has waited goes on beside it, and may learn that Azure has the offering', () => {
    const tries = createFirstTries()
    tryOf(tries)
    const waitedFor = [OFFERING]
    tryOf(tries, OFFERING, { waitedFor }).end('refused', NOW)
    expect(begin(tries, OFFERING).kind).toBe('wait')
    tryOf(tries, OFFERING, { waitedFor }).end('made', NOW)
    tryOf(tries)
    tryOf(tries)
  })
})

describe('after the answer', () => {
  it.each([
    ['nobody waits for an offering that Azure has', 'made', 0, 'try'],
    ['nobody waits for it in the next minutes', 'made', 5 * MINUTE - SECOND, 'try'],
    ['it is tried anew later', 'made', 5 * MINUTE, 'wait'],
    ['it is tried anew if Azure refused it', 'refused', 10 * SECOND, 'wait'],
  ] as const)('%s', (_sentence, result, laterMs, second) => {
    const tries = createFirstTries()
    tryOf(tries).end(result, NOW)
    begin(tries, OFFERING, { at: hence(laterMs) })
    expect(begin(tries, OFFERING, { at: hence(laterMs) }).kind).toBe(second)
  })

  it('a claim that does not know of a refusal yet reads once more, and then may be the first to try', async () => {
    const tries = createFirstTries()
    tryOf(tries).end('refused', NOW)
    const late = begin(tries, OFFERING)
    if (late.kind !== 'wait') expect.fail('it asks Azure again')
    await late.answer
    tryOf(tries, OFFERING, { waitedFor: [OFFERING] })
    expect(begin(tries, OFFERING).kind).toBe('wait')
  })

  it('another claim tries an offering of which Azure was not asked, and the others wait for this claim', async () => {
    const tries = createFirstTries()
    const first = tryOf(tries)
    const waiting = begin(tries, OFFERING, { claim: 'b' })
    first.end('unasked', NOW)
    expect(waiting.kind === 'wait' && (await waiting.answer)).toBe('unasked')
    tryOf(tries, OFFERING, { claim: 'b' })
    expect(begin(tries, OFFERING, { claim: 'c' }).kind).toBe('wait')
  })

  it('an offering of which Azure made a machine lately is known to work, and no other one', () => {
    const tries = createFirstTries()
    tryOf(tries).end('made', NOW)
    const worksAt = (at: EpochMs): readonly boolean[] => ALL.map((each) => tries.works(each, at))
    expect(worksAt(hence(5 * MINUTE - SECOND))).toEqual([true, false, false, false])
    expect(worksAt(hence(5 * MINUTE))).toEqual([false, false, false, false])
  })
})

describe('while Azure refuses offerings', () => {
  const [other = OFFERING, third = OFFERING, fourth = OFFERING] = OTHERS

  it('one claim looks for the next one, and others that could use it wait', () => {
    const tries = refused(1)
    tryOf(tries, other)
    expect(begin(tries, third)).toMatchObject({ kind: 'wait', choice: other })
    tryOf(tries, third, { usable: [third] })
  })

  it.each([
    ['before any refusal', 0, NOW],
    ['five minutes later', 1, hence(5 * MINUTE)],
  ])('and not %s', (_when, count, at) => {
    const tries = refused(count)
    tryOf(tries, other, { at })
    tryOf(tries, third, { at })
  })

  it('a claim waits once for each offering', () => {
    const tries = refused(1)
    tryOf(tries, other)
    tryOf(tries, third, { waitedFor: [other] })
  })

  it('as many more claims look for it as there were four refusals', () => {
    const tries = refused(4)
    tryOf(tries, other)
    tryOf(tries, third)
    expect(begin(tries, fourth).kind).toBe('wait')
  })

  it('claims that were refused or wait are counted until they leave', () => {
    const tries = refused(1)
    tryOf(tries, other, { claim: 'b' })
    expect(tries.seeking()).toBe(1)
    begin(tries, third, { claim: 'c' })
    begin(tries, fourth, { claim: 'c' })
    expect(tries.seeking()).toBe(2)
    tries.leave(nodeClaimName('a'))
    tries.leave(nodeClaimName('c'))
    expect(tries.seeking()).toBe(0)
  })
})
