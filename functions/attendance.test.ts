import { describe, expect, it } from 'vitest'
import { nodeClaimName } from '../shared/model/ids.ts'
import { epochMs } from '../shared/model/units.ts'
import { createAttendance } from './attendance.ts'
import { NOW } from './testing/testApp.ts'

const SECOND = 1_000
/** Each ten seconds. */
const SCHEDULE = { expression: '', next: (after: number) => epochMs((Math.floor(after / (10 * SECOND)) + 1) * 10 * SECOND) }

function scene() {
  let now = Math.floor(NOW / (10 * SECOND)) * 10 * SECOND
  const attendance = createAttendance({ now: () => epochMs(now) })
  return { attendance, pass: (ms: number) => void (now += ms) }
}

describe('posts of the shim that come for work', () => {
  it('look for it at the times of the schedule, however often they come', () => {
    const { attendance, pass } = scene()
    const looked: number[] = []
    for (let at = 0; at < 60; at++) {
      if (attendance.isDue(SCHEDULE)) {
        attendance.began()
        looked.push(at)
      }
      pass(SECOND)
    }
    expect(looked).toEqual([0, 10, 20, 30, 40, 50])
  })

  it('add a claim once a minute', () => {
    const { attendance, pass } = scene()
    const [one, other] = [nodeClaimName('one'), nodeClaimName('other')]
    expect([attendance.isClaimDue(one), attendance.isClaimDue(one), attendance.isClaimDue(other)]).toEqual([true, false, true])
    pass(60 * SECOND - 1)
    expect(attendance.isClaimDue(one)).toBe(false)
    pass(1)
    expect(attendance.isClaimDue(one)).toBe(true)
  })

  it('look at once after the clock went back', () => {
    const { attendance, pass } = scene()
    attendance.began()
    attendance.isClaimDue(nodeClaimName('one'))
    pass(-60 * SECOND)
    expect([attendance.isDue(SCHEDULE), attendance.isClaimDue(nodeClaimName('one'))]).toEqual([true, true])
  })
})
