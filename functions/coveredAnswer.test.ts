import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import type { ClusterDeps } from '../shared/flows/deps/clusterDeps.ts'
import { createClusterQueue, type Work } from '../shared/flows/queue/clusterQueue.ts'
import { clusterId, nodeClaimName } from '../shared/model/ids.ts'
import { durationMs, epochMs } from '../shared/model/units.ts'
import { settings } from '../test/builders/snapshot.ts'
import { createClusterRuntime, createClusterWork } from './clusterRuntime.ts'
import { createCover } from './cover.ts'
import { coveredAnswer, LONGEST_SILENCE_MS, msUntilAgain } from './coveredAnswer.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from './scheduleSettings.ts'
import { NOW } from './testing/testApp.ts'

const SECOND = 1_000

function scene() {
  const clock = createVirtualClock(NOW)
  const queue = createClusterQueue({ clock, batch: { idle: durationMs(0), max: durationMs(0) } })
  const cover = createCover(clock, queue)
  const lines: (readonly [at: number, line: unknown])[] = []
  /** Begins the run of a key. */
  function hold(): Work {
    queue.reconcile({ claim: nodeClaimName('x'), because: 'news', isFollowed: true, attempt: 0 })
    return queue.get() ?? expect.fail('nothing is due')
  }
  function answer(work?: () => Promise<unknown>): ReadableStream<Uint8Array> {
    const covered = {
      invocation: cover.open(true),
      result: { accepted: 1 },
      msUntilAgain: () => 7_000,
      ...(work === undefined ? {} : { work }),
    }
    const { body } = coveredAnswer({ deps: { clock } as unknown as ClusterDeps }, covered)
    if (!(body instanceof ReadableStream)) expect.fail('no stream')
    return body
  }
  async function read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stream) lines.push([clock.now() - NOW, JSON.parse(new TextDecoder().decode(chunk))])
    lines.push([clock.now() - NOW, 'end'])
  }
  return { clock, cover, queue, lines, hold, answer, read }
}

describe('an answer that covers its work', () => {
  it('has its result at once, and its last line when the work is done', async () => {
    const { clock, cover, queue, lines, hold, answer, read } = scene()
    const held = hold()
    void read(answer())
    await clock.advance(3 * SECOND)
    expect(lines).toEqual([[0, { accepted: 1 }]])
    queue.done(held)
    await clock.advance(0)
    expect(lines.slice(1)).toEqual([
      [3 * SECOND, { again: 7_000 }],
      [3 * SECOND, 'end'],
    ])
    expect(cover.isOpen()).toBe(false)
  })

  it('begins work of its own after the first line, and covers it', async () => {
    const { clock, cover, lines, answer, read } = scene()
    const { promise, resolve } = Promise.withResolvers<void>()
    void read(answer(() => promise))
    await clock.advance(SECOND)
    expect([lines.length, cover.isOpen()]).toEqual([1, true])
    resolve()
    await clock.advance(0)
    expect([lines.length, cover.isOpen()]).toEqual([3, false])
  })

  it('leaves it to an earlier answer to say when to come again', async () => {
    const { clock, lines, hold, answer, read } = scene()
    hold()
    answer()
    await clock.advance(SECOND)
    void read(answer())
    await clock.advance(0)
    expect(lines).toEqual([
      [SECOND, { accepted: 1 }],
      [SECOND, { again: null }],
      [SECOND, 'end'],
    ])
  })

  it('asks for the next post while it is still open, so that longer work stays covered', async () => {
    const { clock, cover, lines, hold, answer, read } = scene()
    hold()
    void read(answer())
    await clock.advance(20 * SECOND)
    expect(lines.at(-1)).toEqual([20 * SECOND, { again: 0 }])
    expect(cover.isOpen()).toBe(true)
    void answer()
    await clock.advance(0)
    expect(lines.at(-1), 'relieved').toEqual([20 * SECOND, 'end'])
    await clock.advance(10 * SECOND)
    expect(cover.isOpen()).toBe(true)
    await clock.advance(15 * SECOND)
    expect(cover.isOpen()).toBe(false)
  })

  it('covers the work though nobody reads it, or the reader goes away', async () => {
    for (const isRead of [true, false]) {
      const { clock, cover, queue, hold, answer } = scene()
      const held = hold()
      const stream = answer()
      if (isRead) await stream.cancel()
      await clock.advance(SECOND)
      expect(cover.isOpen()).toBe(true)
      queue.done(held)
      await clock.advance(0)
      expect(cover.isOpen()).toBe(false)
    }
  })
})

it('asks for no post before the longest silence is over: the shim comes then anyway, and would come twice', () => {
  const clock = createVirtualClock(epochMs(0))
  const deps = { ...createMemoryWorld({ clock, cluster: clusterId('alpha'), instanceTypes: [] }).ports, settings: settings() }
  const work = createClusterWork(deps.cluster, { clock, batch: { idle: durationMs(0), max: durationMs(0) } })
  const runtime = createClusterRuntime({ deps, work, instancePrefix: '' })
  expect(msUntilAgain(runtime, schedulesOf(DEFAULT_SCHEDULES).disruption)).toBe(LONGEST_SILENCE_MS)
})
