import { expect, it } from 'vitest'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { epochMs } from '../../model/units.ts'
import { createSnapshotRequestReader } from './snapshotRequest.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)

function scene() {
  const clock = createVirtualClock(START)
  const stored: { reads: number; wanted: string | undefined } = { reads: 0, wanted: undefined }
  const log = { snapshotRequest: async () => (stored.reads++, stored.wanted) }
  const wanted = createSnapshotRequestReader(log, clock)
  return { clock, stored, wanted: () => wanted(NEVER) }
}

it('storage is asked once a second while nothing is wanted', async () => {
  const { clock, stored, wanted } = scene()
  for (let post = 0; post < 20; post++) {
    expect(await wanted()).toBeUndefined()
    await clock.advance(100)
  }
  expect(stored.reads).toBe(2)
})

it('what is wanted is heard within a second, and at each post until it is there', async () => {
  const { clock, stored, wanted } = scene()
  await wanted()
  stored.wanted = 'a hole'
  await clock.advance(1_000)
  expect([await wanted(), await wanted(), stored.reads]).toEqual(['a hole', 'a hole', 3])
  stored.wanted = undefined
  expect(await wanted()).toBeUndefined()
})
