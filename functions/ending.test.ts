import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createEnding } from './ending.ts'

describe('the end of the process', () => {
  it('waits for what says that it leaves once the end is known', async () => {
    const { over, handedOver, end } = createEnding()
    let arrived = 0
    const leave = async (): Promise<void> => {
      await sleep(20)
      arrived++
    }
    over.addEventListener('abort', () => void Promise.resolve().then(() => handedOver(leave())))
    await end()
    expect([over.aborted, arrived]).toEqual([true, 1])
  })

  it('does not wait for ever', async () => {
    const { handedOver, end } = createEnding(10)
    handedOver(new Promise(() => undefined))
    await end()
  })

  it('comes at once where nothing leaves, or it has left before', async () => {
    const { handedOver, end } = createEnding(60_000)
    handedOver(Promise.resolve())
    await Promise.resolve()
    await end()
  })
})
