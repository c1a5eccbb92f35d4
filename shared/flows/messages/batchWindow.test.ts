import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, uid } from '../../model/ids.ts'
import type { Doorbell } from '../../model/message.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import { createBatchWindow } from './batchWindow.ts'

const never = new AbortController().signal

function doorbell(eventAt: number, over: Partial<Doorbell> = {}): Doorbell {
  return {
    kind: 'doorbell',
    cluster: clusterId('c'),
    because: 'changes',
    eventAt: epochMs(eventAt),
    urgent: false,
    pendingPods: 1,
    ...over,
  }
}

/** `firstTakesMs`: how long the first decision takes. */
function harness(firstTakesMs = 0) {
  const clock = createVirtualClock(epochMs(100_000))
  const runs: { at: number; members: number }[] = []
  const window = createBatchWindow({
    clock,
    idle: durationMs(1_000),
    max: durationMs(10_000),
    run: async (doorbells, signal) => {
      runs.push({ at: clock.now() - 100_000, members: doorbells.length })
      if (runs.length === 1 && firstTakesMs > 0) await clock.sleep(firstTakesMs, signal)
    },
  })
  return { clock, runs, window }
}

describe('createBatchWindow', () => {
  it('closes one idle time after the event of a lone pod, not after its arrival', async () => {
    const { clock, runs, window } = harness()
    const done = window.join(doorbell(99_600), never)
    await clock.advance(5_000)
    await done
    expect(runs).toEqual([{ at: 600, members: 1 }])
  })

  it('stays open while pods keep coming, up to the maximum', async () => {
    const { clock, runs, window } = harness()
    const members: Promise<void>[] = []
    for (let at = 0; at < 30_000 && runs.length === 0; at += 500) {
      members.push(window.join(doorbell(100_000 + at), never))
      await clock.advance(500)
    }
    await Promise.all(members.slice(0, 20))
    expect(runs[0]?.at).toBe(10_000)
  })

  it('stays open while pods of late events keep coming', async () => {
    const { clock, runs, window } = harness()
    const opener = window.join(doorbell(97_000), never)
    for (let step = 1; step <= 8; step++) {
      await clock.advance(200)
      void window.join(doorbell(97_000 + step * 200), never)
    }
    await clock.advance(300)
    await opener
    expect(runs).toEqual([{ at: 1_850, members: 9 }])
  })

  it('is not kept open by changes that bring no pods', async () => {
    const { clock, runs, window } = harness()
    const first = window.join(doorbell(100_000), never)
    for (let step = 0; step < 4; step++) {
      await clock.advance(300)
      void window.join(doorbell(100_000 + step * 300, { pendingPods: 0 }), never)
    }
    await first
    expect(runs[0]?.at).toBe(1_000)
  })

  it('is kept open by pods that a refused owner makes, not by what else the scheduler refuses of it', async () => {
    const { clock, runs, window } = harness()
    const owner = [uid('replica-set')]
    const opener = window.join(doorbell(100_000, { waiting: { refused: owner, unseen: [] } }), never)
    for (let step = 1; step <= 10; step++) {
      await clock.advance(300)
      const at = 100_000 + step * 300
      void window.join(doorbell(at, { waiting: { refused: owner, unseen: step <= 4 ? owner : [] } }), never)
    }
    await opener
    expect(runs[0]?.at).toBe(2_200)
  })

  it('is kept open by pods of owners not heard of, once', async () => {
    const { clock, runs, window } = harness()
    const opener = window.join(doorbell(100_000, { waiting: { refused: [uid('first')], unseen: [] } }), never)
    for (const owner of ['second', 'second', 'second', 'second']) {
      await clock.advance(400)
      void window.join(doorbell(clock.now(), { waiting: { refused: [uid(owner)], unseen: [uid('another')] } }), never)
    }
    await opener
    expect(runs[0]?.at).toBe(1_400)
  })

  it('closes at once for an urgent doorbell', async () => {
    const { clock, runs, window } = harness()
    const first = window.join(doorbell(100_000), never)
    const second = window.join(doorbell(100_000, { urgent: true }), never)
    await clock.advance(100)
    await Promise.all([first, second])
    expect(runs).toEqual([{ at: 50, members: 2 }])
  })

  it('neither waits longer nor less than its bounds when the clocks disagree', async () => {
    const early = harness()
    const fromTheFuture = early.window.join(doorbell(105_000), never)
    await early.clock.advance(20_000)
    await fromTheFuture
    expect(early.runs[0]?.at).toBe(1_000)
    const late = harness()
    const fromThePast = late.window.join(doorbell(10_000), never)
    await late.clock.advance(20_000)
    await fromThePast
    expect(late.runs[0]?.at).toBe(0)
  })

  it('keeps only the message that opened it: the others are done at once', async () => {
    const { clock, runs, window } = harness()
    const opener = window.join(doorbell(100_000), never)
    await Promise.all(Array.from({ length: 100 }, () => window.join(doorbell(100_000), never)))
    expect(runs).toEqual([])
    await clock.advance(1_000)
    await opener
    expect(runs).toEqual([{ at: 1_000, members: 101 }])
  })

  it('fails the message that opened a batch whose decision failed, and serves the next one', async () => {
    const clock = createVirtualClock(epochMs(0))
    let fails = true
    const window = createBatchWindow({
      clock,
      idle: durationMs(10),
      max: durationMs(100),
      run: () => (fails ? Promise.reject(new Error('storage is away')) : Promise.resolve()),
    })
    const failed = window.join(doorbell(0), never).catch(String)
    await clock.advance(200)
    expect(await failed).toBe('Error: storage is away')
    fails = false
    const served = window.join(doorbell(200), never)
    await clock.advance(200)
    await expect(served).resolves.toBeUndefined()
  })

  it.each(['resync', 'disruption', 'wake', 'retry'] as const)(
    'does not plan one wave in two parts because a timer rings: %s',
    async (because) => {
      const { clock, runs, window } = harness()
      const opener = window.join(doorbell(100_000), never)
      for (let step = 1; step <= 4; step++) {
        await clock.advance(250)
        void window.join(doorbell(clock.now(), { because, urgent: true, pendingPods: 0 }), never)
        void window.join(doorbell(clock.now()), never)
      }
      await clock.advance(2_000)
      await opener
      expect(runs).toEqual([{ at: 2_000, members: 9 }])
    },
  )

  it.each(['interruption', 'capacity'] as const)('closes at once for what cannot wait: %s', async (because) => {
    const { clock, runs, window } = harness()
    const opener = window.join(doorbell(100_000), never)
    void window.join(doorbell(100_000, { because, urgent: true, pendingPods: 0 }), never)
    await clock.advance(50)
    await opener
    expect(runs).toEqual([{ at: 50, members: 2 }])
  })

  it('serves a timer at once while no pods are coming', async () => {
    const { clock, runs, window } = harness()
    const opener = window.join(doorbell(100_000, { because: 'resync', urgent: true, pendingPods: 0 }), never)
    await clock.advance(0)
    await opener
    expect(runs).toEqual([{ at: 0, members: 1 }])
  })

  it('gathers the pods that come while the decision before is made, though a timer opened the window', async () => {
    const { clock, runs, window } = harness(3_000)
    const timer = (): Doorbell => doorbell(clock.now(), { because: 'resync', urgent: true, pendingPods: 0 })
    const first = window.join(timer(), never)
    await clock.advance(100)
    const second = window.join(timer(), never)
    await clock.advance(2_400)
    void window.join(doorbell(clock.now()), never)
    await clock.advance(10_000)
    await Promise.all([first, second])
    expect(runs).toEqual([
      { at: 0, members: 1 },
      { at: 3_500, members: 2 },
    ])
  })

  it.each([
    ['inside the window', 0],
    ['while it waits for the decision before', 1],
  ])('serves what rings after an opener whose time ended %s', async (_, earlier) => {
    const clock = createVirtualClock(epochMs(100_000))
    const runs: number[] = []
    const window = createBatchWindow({
      clock,
      idle: durationMs(1_000),
      max: durationMs(10_000),
      run: async (doorbells, signal) => {
        if (signal.aborted) throw signal.reason
        runs.push(doorbells.length)
        if (runs.length <= earlier) await clock.sleep(20_000, signal)
      },
    })
    const budget = new AbortController()
    const before = earlier > 0 ? window.join(doorbell(100_000, { urgent: true }), never) : undefined
    await clock.advance(50)
    const opener = window.join(doorbell(clock.now()), budget.signal).catch(String)
    await clock.advance(earlier > 0 ? 5_000 : 500)
    budget.abort('the time is over')
    expect(await opener).toBe('the time is over')
    const next = window.join(doorbell(clock.now()), never)
    await clock.advance(60_000)
    await Promise.all([before, next])
    expect(runs).toHaveLength(earlier + 1)
  })

  it('serves every doorbell that rings, whatever rings beside it and whoever runs out of time', async () => {
    const ring = fc.record({
      after: fc.nat(3_000),
      because: fc.constantFrom<Doorbell['because']>('changes', 'resync', 'disruption', 'interruption', 'capacity', 'retry', 'wake'),
      pendingPods: fc.nat(2),
      endsAfter: fc.option(fc.nat(2_000)),
      runsFor: fc.nat(4_000),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(ring, { maxLength: 12 }), async (rings) => {
        const clock = createVirtualClock(epochMs(100_000))
        let running = 0
        let served = 0
        const carried: Doorbell[] = []
        const window = createBatchWindow({
          clock,
          idle: durationMs(1_000),
          max: durationMs(10_000),
          run: async (doorbells, signal) => {
            expect(++running).toBe(1)
            try {
              await clock.sleep(rings[served++ % rings.length]?.runsFor ?? 0, signal)
              carried.push(...doorbells)
            } finally {
              running--
            }
          },
        })
        const lost: Doorbell[] = []
        const joins: Promise<unknown>[] = []
        for (const { after, because, pendingPods, endsAfter } of rings) {
          await clock.advance(after)
          const bell = doorbell(clock.now(), { because, pendingPods, urgent: because !== 'changes' })
          const budget = new AbortController()
          joins.push(window.join(bell, budget.signal).catch(() => lost.push(bell)))
          if (endsAfter !== null) void clock.sleep(endsAfter, never).then(() => budget.abort('over'))
        }
        const last = doorbell(clock.now())
        joins.push(window.join(last, never).catch(() => lost.push(last)))
        await clock.advance(200_000)
        await Promise.all(joins)
        const again = doorbell(clock.now())
        const done = window.join(again, never)
        await clock.advance(20_000)
        await done
        expect(carried).toContain(again)
      }),
    )
  })
})
