import { expect, it } from 'vitest'
import { createWorkerRestarts } from './workerRestarts.ts'

const MINUTE_MS = 60_000

it('a dead worker is back soon, then later; the third death within 30 minutes ends the host, and a new host counts anew', () => {
  const { died } = createWorkerRestarts()
  expect(died(0)).toEqual({ waitMs: 600, hostEnds: false })
  expect(died(29 * MINUTE_MS)).toEqual({ waitMs: 9_000, hostEnds: false })
  expect(died(58 * MINUTE_MS)).toEqual({ waitMs: 9_000, hostEnds: true })
  expect(died(59 * MINUTE_MS)).toEqual({ waitMs: 600, hostEnds: false })
})

it('deaths more than 30 minutes apart do not count together', () => {
  const { died } = createWorkerRestarts()
  died(0)
  expect(died(30 * MINUTE_MS + 1)).toEqual({ waitMs: 600, hostEnds: false })
})
