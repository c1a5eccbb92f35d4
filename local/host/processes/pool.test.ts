import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { EXIT_TIMED_OUT, EXIT_WORKER_DIED } from '../workerRestarts.ts'
import { createPool, type Pool } from './pool.ts'

const LONG_MS = 10_000
let started: ((exitCode: number | null) => void)[]
let hostEnds: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] })
  started = []
  hostEnds = 0
})
afterEach(() => {
  vi.useRealTimers()
})

function pool(staysUp: boolean): Pool {
  return createPool({
    group: { name: 'http', functions: [] },
    most: 1,
    staysUp,
    start: (onEnd) => {
      started.push(onEnd)
      return {
        url: Promise.resolve(''),
        busy: () => 0,
        wake: () => undefined,
        serve: () => ({ ended: () => undefined }),
        stop: async () => onEnd(0),
      }
    },
    onHostEnd: () => void hostEnds++,
  })
}

/** Ends the process that runs, and asks for the next one. */
async function end(of: Pool, exitCode: number | null): Promise<void> {
  started.at(-1)?.(exitCode)
  await vi.advanceTimersByTimeAsync(LONG_MS)
  await of.trigger()
}

it.each([true, false])('the third death of a worker ends the host, whether its process stays up or not: %s', async (staysUp) => {
  const of = pool(staysUp)
  await of.trigger()
  await end(of, EXIT_WORKER_DIED)
  await end(of, 1)
  expect([started.length, hostEnds]).toEqual([3, 0])
  started.at(-1)?.(EXIT_WORKER_DIED)
  expect([started.length, hostEnds]).toEqual([3, 1])
})

it('an instance that was taken away, and a function that ran too long, are no deaths of a worker', async () => {
  const of = pool(false)
  await of.trigger()
  for (const exitCode of [null, EXIT_TIMED_OUT, null, EXIT_TIMED_OUT]) await end(of, exitCode)
  expect([started.length, hostEnds]).toEqual([5, 0])
})

it('a process that stays up and is killed from outside is a death, and is not started after a stop', async () => {
  const of = pool(true)
  await of.trigger()
  started.at(-1)?.(null)
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(started).toHaveLength(2)
  await of.stop()
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(started).toHaveLength(2)
})
