import { describe, expect, it } from 'vitest'
import { hence, NOW, SECOND } from '../../../test/builders/clock.ts'
import { pod } from '../../../test/builders/pod.ts'
import { uid } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'
import { createEvictionBackOff } from './removePods.ts'

const app = pod({ name: 'app', nodeName: 'node' })
const held = { pod: app.key, by: 'poddisruptionbudget default/web' }

/** The pauses of a pod whose eviction is tried as soon as allowed and always refused. */
function pauses(times: number, retryAfterMs?: number): readonly number[] {
  const backOff = createEvictionBackOff()
  let now: EpochMs = NOW
  return Array.from({ length: times }, () => {
    const { dueAt } = backOff.refused(app, held, now, retryAfterMs)
    const pause = dueAt - now
    now = dueAt
    return pause
  })
}

describe('a pod whose eviction is refused', () => {
  it('is asked again after 100 ms, and each time after twice as long, up to ten seconds', () => {
    expect(pauses(10)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000])
  })

  it('is not asked sooner than the API server said, which may be later than its own pause or sooner', () => {
    expect(pauses(5, 700)).toEqual([700, 700, 700, 800, 1_600])
    expect(pauses(2, 30_000)).toEqual([30_000, 30_000])
  })

  it('rests until then, and who holds it is known meanwhile', () => {
    const backOff = createEvictionBackOff()
    backOff.refused(app, held, NOW, 1_000)
    expect(backOff.restingAt(app, hence(999))).toMatchObject({ held, dueAt: hence(SECOND) })
    expect(backOff.restingAt(app, hence(1_000))).toBeUndefined()
  })

  it('keeps no other pod waiting, nor the next of its name', () => {
    const backOff = createEvictionBackOff()
    backOff.refused(app, held, NOW, 1_000)
    expect(backOff.restingAt(pod({ name: 'other', nodeName: 'node' }), NOW)).toBeUndefined()
    expect(backOff.restingAt({ ...app, uid: uid('another') }, NOW)).toBeUndefined()
  })

  it('begins anew once it was let go', () => {
    const backOff = createEvictionBackOff()
    for (let n = 0; n < 8; n++) backOff.refused(app, held, NOW)
    backOff.forget(app)
    expect(backOff.restingAt(app, NOW)).toBeUndefined()
    expect(backOff.refused(app, held, NOW).dueAt).toBe(hence(100))
  })

  it('is asked at once where more pods rest than are kept in mind', () => {
    const backOff = createEvictionBackOff()
    const nth = (n: number) => ({ ...app, uid: uid(`pod-${n}`) })
    for (let n = 0; n <= 10_000; n++) backOff.refused(nth(n), undefined, NOW, 1_000)
    expect([0, 1, 10_000].map((n) => backOff.restingAt(nth(n), NOW)?.dueAt)).toEqual([undefined, hence(SECOND), hence(SECOND)])
  })
})
