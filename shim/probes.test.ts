import { afterEach, describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'
import { type Probes, startProbes } from './probes.ts'
import { createVirtualClock } from './testing/virtualClock.ts'

let probes: Probes | undefined
afterEach(() => probes?.close())

/** Starts the probes on a clock whose timers are late by `late` milliseconds. */
async function setUp(unreadyReasons: readonly string[] = []) {
  const clock = createVirtualClock()
  let late = 0
  const lagging = { ...clock, sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms + late, signal) }
  const started = await startProbes(
    0,
    { readiness: () => unreadyReasons, karpenterMetrics: () => ['karpenter_one 1\n', 'karpenter_two 2\n'] },
    createMetrics(),
    lagging,
  )
  probes = started
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${started.port}${path}`)
    return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') }
  }
  const run = async (ms: number, lateBy = 0) => {
    late = lateBy
    // A wait that began earlier was not late.
    await clock.advance(500)
    await clock.advance(ms)
  }
  return { get, run }
}

describe('the probes', () => {
  it('call a loop healthy whose timers come in time', async () => {
    const { get, run } = await setUp()
    await run(60_000)
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok\n' })
  })

  it('call a loop dead that was blocked for five seconds, until ten seconds have passed', async () => {
    const { get, run } = await setUp()
    await run(5_499, 5_000)
    // Timers come in time again.
    await run(500)
    expect(await get('/healthz')).toMatchObject({ status: 503, text: 'the event loop was blocked for 5000 ms\n' })
    expect((await get('/metrics')).text).toContain('joiner_shim_event_loop_lag_seconds 5')
    await run(8_500)
    expect((await get('/healthz')).status).toBe(503)
    await run(0)
    expect((await get('/healthz')).status).toBe(200)
  })

  it('do not call a loop dead that was blocked for less', async () => {
    const { get, run } = await setUp()
    await run(5_400, 4_900)
    expect((await get('/healthz')).status).toBe(200)
  })

  it('are ready while nothing is the matter, and say what is', async () => {
    const { get } = await setUp()
    expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ok\n' })
    probes?.close()
    const { get: getOther } = await setUp(['list pod: 403', 'the app answered 500'])
    expect(await getOther('/readyz')).toMatchObject({ status: 503, text: 'list pod: 403\nthe app answered 500\n' })
    expect((await getOther('/healthz')).status).toBe(200)
  })

  it('say so where their port is taken', async () => {
    await setUp()
    const taken = probes?.port ?? 0
    await expect(startProbes(taken, { readiness: () => [] }, createMetrics(), createVirtualClock())).rejects.toThrow('EADDRINUSE')
  })

  it('serve the metrics of Karpenter after their own', async () => {
    const { get } = await setUp()
    const { status, text, type } = await get('/metrics')
    expect([status, type]).toEqual([200, expect.stringContaining('text/plain')])
    expect(text).toMatch(/^joiner_shim_leader 0$[^]*\nkarpenter_one 1\nkarpenter_two 2\n$/m)
  })

  it('name the other paths', async () => {
    const { get } = await setUp()
    expect(await get('/')).toMatchObject({ status: 404, text: 'try /healthz, /readyz or /metrics\n', type: 'text/plain' })
  })
})
