import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Storage, startStorage } from '../../local/storage/startStorage.ts'
import { type Calm, firstEvent, type Hour, idleHour, totals } from './hours.ts'

let storage: Storage
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.close())

const count = ({ storage: calls }: Hour, what: string): number => calls.get(what) ?? 0

describe('an idle hour', () => {
  it.each<[Calm, looks: number]>([
    ['empty', 6],
    ['machines', 12],
    ['refused', 30],
  ])('of a cluster that is %s is %d looks, the timer that finds nothing to do, and a post in five minutes', async (calm, looks) => {
    const hour = await idleHour(storage.connectionString, calm)
    expect(Object.fromEntries(hour.executions)).toEqual({ timer: 60, events: 12 })
    expect(hour.looks).toBe(looks)
    expect(totals(hour).storageCalls).toBeLessThan(2_000)
    // A run of the timer or a post with nothing due reads the ledger, the length of the log, and Azure's facts of the cluster.
    expect(count(hour, 'read ledger')).toBe(60 + 12 + looks)
    expect(count(hour, 'read log')).toBeLessThanOrEqual(60 + 12 + looks)
    // One read for each time that something came due: a sweep every two minutes, together with the catalog.
    expect(count(hour, 'read timer')).toBeLessThanOrEqual(36)
    // The process runs its own keys and wakes no other one.
    expect(count(hour, 'send to wake')).toBe(0)
  })
})

describe('the first pod after an idle hour', () => {
  it('waits for the batch window and for no look at a queue', async () => {
    expect(await firstEvent(storage.connectionString)).toBeLessThanOrEqual(1_000 + 100)
  })
})
