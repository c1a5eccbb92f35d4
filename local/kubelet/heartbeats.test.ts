import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHeartbeats } from './heartbeats.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

describe('heartbeats', () => {
  it('come to each member once a period, spread over it', () => {
    const heartbeats = createHeartbeats(10_000)
    const beats = Array.from({ length: 40 }, () => 0)
    for (const member of beats.keys()) heartbeats.join(() => (beats[member] = (beats[member] ?? 0) + 1))
    let most = 0
    for (let step = 0; step < 20; step++) {
      const before = beats.reduce((sum, count) => sum + count)
      vi.advanceTimersByTime(500)
      most = Math.max(most, beats.reduce((sum, count) => sum + count) - before)
    }
    expect(most).toBe(2)
    expect(beats).toEqual(beats.map(() => 1))
    vi.advanceTimersByTime(30_000)
    expect(beats).toEqual(beats.map(() => 4))
    heartbeats.close()
  })

  it('end for who leaves, and for all when they are closed', () => {
    const heartbeats = createHeartbeats(10_000)
    const heard: string[] = []
    const leave = heartbeats.join(() => void heard.push('one'))
    heartbeats.join(() => void heard.push('two'))
    vi.advanceTimersByTime(10_000)
    leave()
    vi.advanceTimersByTime(10_000)
    expect(heard.sort()).toEqual(['one', 'two', 'two'])
    heartbeats.close()
    vi.advanceTimersByTime(10_000)
    expect(heard).toHaveLength(3)
    expect(vi.getTimerCount()).toBe(0)
  })
})
