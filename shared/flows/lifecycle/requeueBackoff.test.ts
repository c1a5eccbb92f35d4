import { describe, expect, it } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { MAX_ATTEMPTS, nextRequeueOf } from './requeueBackoff.ts'

const FIRST = { attempt: 0, pace: 'deleting' } as const
const LATE = { attempt: 50, pace: 'deleting' } as const
const START = epochMs(1_000_000)

/** The times, in seconds after the start, of the runs of a claim whose steps do nothing and ask for another run at once. */
function runs(step: { readonly dueAt?: number } = {}, pace: 'coming' | 'deleting' = 'deleting'): readonly number[] {
  const at: number[] = [0]
  let now = START
  for (let attempt = 0; attempt < 100; attempt++) {
    const dueAt = step.dueAt === undefined || START + step.dueAt <= now ? {} : { dueAt: epochMs(START + step.dueAt) }
    const next = nextRequeueOf({ actions: [], reasons: [], wakeAt: now, ...dueAt }, { attempt, pace }, now)
    if (next === undefined) break
    now = next.at
    at.push(Math.round((now - START) / 1_000))
    if (!next.follow) break
  }
  return at
}

describe('requeues after runs that find nothing to do', () => {
  it('come later and later, and end when the resync comes as often', () => {
    expect(runs()).toEqual([0, 1, 2, 4, 6, 8, 11, 15, 20, 26, 33, 43, 54, 69, 87, 110, 138])
    expect(runs()).toHaveLength(MAX_ATTEMPTS)
  })

  it('are few for a claim that comes, since the watch reports its node', () => {
    expect(runs({}, 'coming')).toEqual([0, 4, 8, 16, 24])
  })

  it('wait for as long as the step knows that nothing can be found, and no longer than the resync', () => {
    const step = (seconds: number) => ({ actions: [], reasons: [], wakeAt: epochMs(START + seconds * 1_000) })
    expect(nextRequeueOf(step(20), FIRST, START)).toEqual({ at: START + 20_000, follow: true })
    expect(nextRequeueOf(step(60), FIRST, START)).toBeUndefined()
    expect(nextRequeueOf({ actions: [], reasons: [] }, FIRST, START)).toBeUndefined()
  })

  it('come at a known time, whatever their pace, and after their end once for it', () => {
    expect(runs({ dueAt: 17_000 })).toEqual([0, 1, 2, 4, 6, 8, 11, 15, 17, 23, 30, 40, 51, 66, 84, 107, 135])
    const due = { actions: [], reasons: [], wakeAt: START, dueAt: epochMs(START + 9_000) }
    expect(nextRequeueOf(due, LATE, START)).toEqual({ at: START + 9_000, follow: false })
    expect(nextRequeueOf({ ...due, dueAt: epochMs(START + 31_000) }, LATE, START)).toBeUndefined()
  })
})
