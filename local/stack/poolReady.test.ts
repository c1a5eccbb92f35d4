import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { err, ok } from '../../shared/base/result.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { poolReady } from './poolReady.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const saying = (...conditions: readonly object[]) => ok({ status: { conditions } })
const NOT_READY = { type: 'Ready', status: 'False', message: 'its class is not there' }

/** Runs `poolReady` with these answers and repeats the last. Returns the outcome and the number of requests. */
async function asked(...answers: readonly unknown[]): Promise<{ readonly outcome: string; readonly looks: number }> {
  let looks = 0
  const client = {
    send: async () => {
      looks += 1
      return answers[Math.min(looks, answers.length) - 1]
    },
  } as unknown as KubeClient
  let outcome = 'it still waits'
  const ended = poolReady(client, new AbortController().signal).then(
    () => {
      outcome = 'ready'
    },
    (cause: unknown) => {
      outcome = String(cause)
    },
  )
  await vi.advanceTimersByTimeAsync(30_000)
  await Promise.race([ended, Promise.resolve()])
  return { outcome, looks }
}

describe('the wait for the sample pool', () => {
  it('is over at the first look that finds it ready', async () => {
    const ready = saying({ type: 'NodeClassReady', status: 'False' }, { type: 'Ready', status: 'True' })
    expect(await asked(ready)).toEqual({ outcome: 'ready', looks: 1 })
    const notThere = err({ code: 404, reason: 'NotFound', message: 'no such pool' })
    expect(await asked(notThere, ok({}), saying(NOT_READY), ready)).toEqual({ outcome: 'ready', looks: 4 })
  })

  it.each([
    ['what the pool says', saying(NOT_READY), 'its class is not there'],
    ['that it says nothing', ok({}), 'its status says nothing yet'],
    ['that nobody answers', err({ code: 0, reason: 'Unreachable', message: 'connection refused' }), 'connection refused'],
  ])('is given up after 20 seconds with %s', async (_what, answer, words) => {
    const { outcome, looks } = await asked(answer)
    expect(outcome).toContain(`it is not ready after 20 s: ${words}`)
    expect(looks).toBeGreaterThan(150)
  })
})
