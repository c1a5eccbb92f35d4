import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRecordedTelemetry } from '../../adapters/memory/telemetry.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, uid } from '../../model/ids.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import { createClusterQueue } from './clusterQueue.ts'
import { createWorker, runWork } from './runWork.ts'

const never = new AbortController().signal

function request(eventAt: number, over: Partial<DecideRequest> = {}): DecideRequest {
  return { because: 'changes', eventAt: epochMs(eventAt), pendingPods: 1, ...over }
}

type Decide = (requests: readonly DecideRequest[]) => Promise<void>

/** A queue with a window of one second, and ten at most, whose decisions are made by `decide`. */
function queueWith(decide: Decide, clock = createVirtualClock(epochMs(100_000))) {
  const queue = createClusterQueue({ clock, batch: { idle: durationMs(1_000), max: durationMs(10_000) } })
  const workers = { decide, compact: async () => undefined, step: async () => undefined, failing: async () => undefined }
  const options = { cluster: clusterId('c'), queue, telemetry: createRecordedTelemetry(), workers: () => workers, budget: () => never }
  void runWork({ queue, clock, work: createWorker(options), isOpen: () => true, mayBegin: async () => undefined })
  return { clock, queue }
}

/** `firstTakesMs`: how long the first decision takes. */
function harness(firstTakesMs = 0) {
  const runs: { at: number; members: number }[] = []
  const { clock, queue } = queueWith(async (requests) => {
    runs.push({ at: clock.now() - 100_000, members: requests.length })
    if (runs.length === 1 && firstTakesMs > 0) await clock.sleep(firstTakesMs, never)
  })
  return { clock, runs, queue }
}

describe('the batch window', () => {
  it('closes one idle time after the event of a lone pod, not after its arrival', async () => {
    const { clock, runs, queue } = harness()
    queue.decide(request(99_600))
    await clock.advance(5_000)
    expect(runs).toEqual([{ at: 600, members: 1 }])
  })

  it('stays open while pods keep coming, up to the maximum', async () => {
    const { clock, runs, queue } = harness()
    for (let at = 0; at < 30_000 && runs.length === 0; at += 500) {
      queue.decide(request(100_000 + at))
      await clock.advance(500)
    }
    expect(runs[0]?.at).toBe(10_000)
  })

  it('stays open while pods of late events keep coming', async () => {
    const { clock, runs, queue } = harness()
    queue.decide(request(97_000))
    for (let step = 1; step <= 8; step++) {
      await clock.advance(200)
      queue.decide(request(97_000 + step * 200))
    }
    await clock.advance(300)
    expect(runs).toEqual([{ at: 1_850, members: 9 }])
  })

  it('is counted from the pods of a post, not from older changes that waited with them', async () => {
    const { clock, runs, queue } = harness()
    queue.decide(request(92_000, { podEvents: { first: epochMs(99_500), last: epochMs(99_900) } }))
    await clock.advance(5_000)
    expect(runs).toEqual([{ at: 900, members: 1 }])
  })

  it('begins with the first pods, where older changes opened it during a decision', async () => {
    const { clock, runs, queue } = harness(2_000)
    queue.decide(request(99_000))
    await clock.advance(500)
    queue.decide(request(90_500, { pendingPods: 0 }))
    await clock.advance(1_400)
    queue.decide(request(101_800))
    await clock.advance(500)
    queue.decide(request(102_300))
    await clock.advance(5_000)
    expect(runs.map(({ members }) => members)).toEqual([1, 3])
  })

  it('is not kept open by changes that bring no pods', async () => {
    const { clock, runs, queue } = harness()
    queue.decide(request(100_000))
    for (let step = 0; step < 4; step++) {
      await clock.advance(300)
      queue.decide(request(100_000 + step * 300, { pendingPods: 0 }))
    }
    expect(runs[0]?.at).toBe(1_000)
  })

  it('is kept open by pods that a refused owner makes, not by what else the scheduler refuses of it', async () => {
    const { clock, runs, queue } = harness()
    const owner = [uid('replica-set')]
    queue.decide(request(100_000, { waiting: { refused: owner, unseen: [] } }))
    for (let step = 1; step <= 10; step++) {
      await clock.advance(300)
      const at = 100_000 + step * 300
      queue.decide(request(at, { waiting: { refused: owner, unseen: step <= 4 ? owner : [] } }))
    }
    expect(runs[0]?.at).toBe(2_200)
  })

  it('is kept open by pods of owners not heard of, once', async () => {
    const { clock, runs, queue } = harness()
    queue.decide(request(100_000, { waiting: { refused: [uid('first')], unseen: [] } }))
    for (const owner of ['second', 'second', 'second', 'second']) {
      await clock.advance(400)
      queue.decide(request(clock.now(), { waiting: { refused: [uid(owner)], unseen: [uid('another')] } }))
    }
    expect(runs[0]?.at).toBe(1_400)
  })

  it('neither waits longer nor less than its bounds when the clocks disagree', async () => {
    const early = harness()
    early.queue.decide(request(105_000))
    await early.clock.advance(20_000)
    expect(early.runs[0]?.at).toBe(1_000)
    const late = harness()
    late.queue.decide(request(10_000))
    await late.clock.advance(20_000)
    expect(late.runs[0]?.at).toBe(0)
  })

  it('gathers any number of requests for one decision', async () => {
    const { clock, runs, queue } = harness()
    for (let n = 0; n < 101; n++) queue.decide(request(100_000))
    await clock.advance(999)
    expect(runs).toEqual([])
    await clock.advance(1)
    expect(runs).toEqual([{ at: 1_000, members: 101 }])
  })

  it('gives the requests of a decision that failed to the next one', async () => {
    const carried: number[] = []
    const { clock, queue } = queueWith(async (requests) => {
      carried.push(requests.length)
      if (carried.length === 1) throw new Error('storage is away')
    })
    queue.decide(request(100_000))
    await clock.advance(1_500)
    queue.decide(request(101_500))
    await clock.advance(10_000)
    expect(carried).toEqual([1, 2])
  })

  it('does not plan one wave in two parts because of the resync, a time for a decision or a retry', async () => {
    const { clock, runs, queue } = harness()
    queue.decide(request(100_000))
    for (let step = 1; step <= 4; step++) {
      await clock.advance(250)
      queue.decide(request(clock.now(), { because: 'resync', pendingPods: 0 }))
      queue.decideAt(clock.now())
      queue.retryDecide()
      queue.decide(request(clock.now()))
    }
    await clock.advance(2_000)
    expect(runs).toEqual([{ at: 2_000, members: 9 }])
  })

  it.each(['interruption', 'capacity'] as const)('closes at once for what cannot wait: %s', async (because) => {
    const { clock, runs, queue } = harness()
    queue.decide(request(100_000))
    queue.decide(request(100_000, { because, pendingPods: 0 }))
    await clock.advance(50)
    expect(runs).toEqual([{ at: 0, members: 2 }])
  })

  it('serves a timer at once while no pods are coming', async () => {
    const { clock, runs, queue } = harness()
    queue.decide(request(100_000, { because: 'resync', pendingPods: 0 }))
    await clock.advance(0)
    expect(runs).toEqual([{ at: 0, members: 1 }])
  })

  it('gathers the pods that come while the decision before is made, though a timer opened the window', async () => {
    const { clock, runs, queue } = harness(3_000)
    const timer = (): DecideRequest => request(clock.now(), { because: 'resync', pendingPods: 0 })
    queue.decide(timer())
    await clock.advance(100)
    queue.decide(timer())
    await clock.advance(2_400)
    queue.decide(request(clock.now()))
    await clock.advance(10_000)
    expect(runs).toEqual([
      { at: 0, members: 1 },
      { at: 3_500, members: 2 },
    ])
  })

  it('carries every request to a decision, one decision at a time, whatever comes beside it and whichever decision fails', async () => {
    const requests = fc.record({
      after: fc.nat(3_000),
      because: fc.constantFrom<DecideRequest['because']>('changes', 'resync', 'interruption', 'capacity'),
      pendingPods: fc.nat(2),
      fails: fc.boolean(),
      runsFor: fc.nat(4_000),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { maxLength: 12 }), async (played) => {
        let [running, served] = [0, 0]
        const carried: DecideRequest[] = []
        const { clock, queue } = queueWith(async (given) => {
          expect(++running).toBe(1)
          const { runsFor = 0, fails = false } = played[served++] ?? {}
          await clock.sleep(runsFor, never)
          running--
          if (fails) throw new Error('storage is away')
          carried.push(...given)
        })
        const sent: DecideRequest[] = []
        for (const { after, because, pendingPods } of played) {
          await clock.advance(after)
          sent.push(request(clock.now(), { because, pendingPods }))
          queue.decide(sent.at(-1) ?? request(0))
        }
        await clock.advance(1_000_000)
        expect(new Set(carried)).toEqual(new Set(sent))
        expect([carried.length, queue.size()]).toEqual([sent.length, 0])
      }),
    )
  })
})
