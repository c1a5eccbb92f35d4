import { describe, expect, it } from 'vitest'
import { createKeyQueue } from './workQueue.ts'

/** Lets all due work run. */
const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a key queue', () => {
  it('takes a key added many times once', async () => {
    const seen: string[] = []
    const queue = createKeyQueue({ name: 'test', reconcile: async (key) => void seen.push(key) })
    queue.add('a')
    queue.add('b')
    queue.add('a')
    await settle()
    expect(seen).toEqual(['a', 'b'])
  })

  it('never works on one key twice at a time, and looks again when it changed meanwhile', async () => {
    let free = () => {}
    let running = 0
    let most = 0
    let rounds = 0
    const queue = createKeyQueue({
      name: 'test',
      reconcile: async () => {
        rounds++
        most = Math.max(most, ++running)
        await new Promise<void>((resolve) => {
          free = resolve
        })
        running--
      },
    })
    queue.add('a')
    await settle()
    queue.add('a')
    await settle()
    free()
    await settle()
    free()
    await settle()
    expect({ rounds, most }).toEqual({ rounds: 2, most: 1 })
  })

  it('tries again what failed, and says so', async () => {
    const lines: string[] = []
    let rounds = 0
    const done = new Promise<void>((resolve) => {
      const queue = createKeyQueue({
        name: 'test',
        log: (line) => lines.push(line),
        reconcile: async () => {
          if (++rounds === 1) throw new Error('no')
          resolve()
        },
      })
      queue.add('a')
    })
    await done
    expect(lines).toEqual(['test a: no; again in 50 ms'])
  })

  it('does nothing once closed', async () => {
    const seen: string[] = []
    const queue = createKeyQueue({ name: 'test', reconcile: async (key) => void seen.push(key) })
    queue.add('a')
    queue.close()
    queue.add('b')
    await settle()
    expect(seen).toEqual([])
  })
})
