import { describe, expect, it } from 'vitest'
import { nodeClaimName } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import { createLaunchLocks } from './clusterDeps.ts'

const [A, B] = [nodeClaimName('a'), nodeClaimName('b')]

describe('locks of launches', () => {
  it("are a process's own once, by claim and time", () => {
    const locks = createLaunchLocks()
    expect([locks.begin(A, epochMs(5)), locks.begin(B, epochMs(6))]).toEqual([5, 6])
    expect([locks.take(A, 6), locks.take(B, 6), locks.take(B, 6), locks.take(A, 5)]).toEqual([false, true, false, true])
  })

  it('keep their time where a claim is made a second time, since the first may be there', () => {
    const locks = createLaunchLocks()
    locks.begin(A, epochMs(5))
    expect(locks.begin(A, epochMs(9))).toBe(5)
    expect(locks.take(A, 9)).toBe(false)
    expect(locks.take(A, 5)).toBe(true)
  })

  it('are forgotten, the oldest first, beyond as many claims as a process has in hand', () => {
    const locks = createLaunchLocks()
    for (let index = 0; index <= 1_000; index++) locks.begin(nodeClaimName(`c-${index}`), epochMs(index))
    expect([0, 1].map((index) => locks.take(nodeClaimName(`c-${index}`), index))).toEqual([false, true])
  })
})
