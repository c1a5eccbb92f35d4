import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { CaughtUp } from './catchUp.ts'
import { createClusterState } from './clusterState.ts'
import { createClusterStateReader } from './clusterStateReader.ts'

const SIGNAL = new AbortController().signal

/** A reader whose reads the test ends. A read whose caller has no time left fails. */
function heldReads() {
  const ends: ((failure?: Error) => void)[] = []
  const catchUp = (_now: number, signal: AbortSignalLike) =>
    new Promise<CaughtUp>((resolve, reject) => {
      const done: CaughtUp = { state: createClusterState(undefined), position: '' as CaughtUp['position'], records: 0 }
      ends.push((failure) => (signal.aborted ? reject(new Error('out of time')) : failure ? reject(failure) : resolve(done)))
    })
  return { read: createClusterStateReader({ catchUp }, { now: () => NOW }), ends }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('reads of the cluster state', () => {
  it('that come during a read share the next one', async () => {
    const { read, ends } = heldReads()
    const first = read(SIGNAL)
    await settled()
    const later = [read(SIGNAL), read(SIGNAL), read(SIGNAL)]
    await settled()
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await first
    await settled()
    expect(ends).toHaveLength(2)
    ends[1]?.()
    expect(new Set(await Promise.all(later)).size).toBe(1)
  })

  it('never share a read that began before they came', async () => {
    const { read, ends } = heldReads()
    const first = read(SIGNAL)
    await settled()
    let isDone = false
    const second = read(SIGNAL).then(() => {
      isDone = true
    })
    ends[0]?.()
    await first
    await settled()
    expect(isDone).toBe(false)
    ends[1]?.()
    await second
  })

  it('go on for callers that have time if the first caller has none', async () => {
    const { read, ends } = heldReads()
    const over = new AbortController()
    const outcomes = Promise.allSettled([read(over.signal), read(SIGNAL)])
    await settled()
    over.abort()
    ends[0]?.()
    await settled()
    ends[1]?.()
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  it('fail for all callers if the log cannot be read, and the next read tries again', async () => {
    const { read, ends } = heldReads()
    const outcomes = Promise.allSettled([read(SIGNAL), read(SIGNAL)])
    await settled()
    ends[0]?.(new Error('storage is away'))
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const next = read(SIGNAL)
    await settled()
    ends[1]?.()
    await expect(next).resolves.toBeDefined()
  })
})
