import { describe, expect, it } from 'vitest'
import { hence, NOW } from '../../../test/builders/clock.ts'
import { SILENT } from '../../../test/builders/telemetry.ts'
import { err, ok } from '../../base/result.ts'
import { vmSizeName } from '../../model/ids.ts'
import { problem } from '../../model/problem.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import { createOfferingStore } from './offeringStore.ts'

const SIGNAL = new AbortController().signal

function mark(index: number): UnavailableOffering {
  const scope = { kind: 'offering', size: vmSizeName(`Standard_D${index}as_v6`) } as const
  return { scope, until: hence(60_000), code: 'AZURE.QUOTA.FAMILY', message: 'no quota' }
}

/** A document whose reads and writes take `callMs` of virtual time, as in storage, and the clock of its writers. */
function slowDocument(callMs: number) {
  let now = 0
  const sleepers: { readonly at: number; readonly wake: () => void }[] = []
  const sleep = (ms: number) => new Promise<void>((wake) => void sleepers.push({ at: now + ms, wake }))
  let stored: { value: string; etag: string } | undefined
  const counts = { written: 0, refused: 0 }
  const blobs: BlobStore = {
    read: async () => {
      await sleep(callMs)
      return stored
    },
    write: async (_path, text, etag) => {
      await sleep(callMs)
      if (stored?.etag !== etag) {
        counts.refused += 1
        return err(problem('STORE.CONFLICT', 'somebody else wrote'))
      }
      stored = { value: text, etag: String(++counts.written) }
      return ok(stored.etag)
    },
    remove: () => Promise.resolve(),
    list: () => Promise.resolve([]),
  }
  /** Lets time pass until there is no sleeper. */
  async function run(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      const next = sleepers.sort((first, second) => first.at - second.at).shift()
      if (next === undefined) return
      now = next.at
      next.wake()
    }
  }
  return { blobs, clock: { sleep }, counts, run }
}

/** A random source with the same numbers in each run. */
function seeded(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

async function marked(processes: number, marksOfEach: number) {
  const { blobs, clock, counts, run } = slowDocument(5)
  const random = seeded()
  const open = () => createOfferingStore({ blobs, region: 'regions/s/eastus', telemetry: SILENT, clock, random })
  const stores = Array.from({ length: processes }, open)
  const marks = stores.flatMap((store, process) =>
    Array.from({ length: marksOfEach }, (_, index) => store.mark([mark(process * marksOfEach + index)], NOW, SIGNAL)),
  )
  const settled = Promise.allSettled(marks)
  await run()
  const failed = (await settled).filter(({ status }) => status === 'rejected')
  const reading = open().unavailable(NOW, SIGNAL)
  await run()
  return { failed: failed.length, kept: (await reading).length, ...counts }
}

describe('marks at once', () => {
  it.each([
    [1, 128],
    [64, 1],
    [128, 1],
    [16, 8],
  ])('of %i processes with %i each are all kept', async (processes, marksOfEach) => {
    const { failed, kept } = await marked(processes, marksOfEach)
    expect({ failed, kept }).toEqual({ failed: 0, kept: processes * marksOfEach })
  })

  it('cost one process one write, however many there are', async () => {
    expect(await marked(1, 128)).toMatchObject({ written: 1, refused: 0 })
  })

  it('go on for those who joined when the time of whoever began is over', async () => {
    const { blobs, clock, run } = slowDocument(5)
    const over = new AbortController()
    const telemetry = SILENT
    const waiting: BlobStore = {
      ...blobs,
      read: async (path, signal) => {
        const found = await blobs.read(path, signal)
        if (signal.aborted) throw signal.reason
        return found
      },
    }
    const store = createOfferingStore({ blobs: waiting, region: 'regions/s/eastus', telemetry, clock, random: seeded() })
    const first = store.mark([mark(1)], NOW, over.signal)
    const second = store.mark([mark(2)], NOW, SIGNAL)
    over.abort(new Error('out of time'))
    const outcomes = Promise.allSettled([first, second])
    await run()
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })
})
