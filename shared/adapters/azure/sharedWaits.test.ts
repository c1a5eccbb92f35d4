import { describe, expect, it } from 'vitest'
import { clusterId } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import { createMemoryWorld } from '../memory/memoryWorld.ts'
import { createVirtualClock } from '../memory/virtualClock.ts'
import type { GivenResponse } from './exchange.ts'
import { createRetryAfterLimiter, RetryAfterError } from './retryAfterLimiter.ts'
import { createSharedWaits } from './sharedWaits.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const REGION = 'regions/s/eastus'
const PATH = `${REGION}/waits`
const SIGNAL = new AbortController().signal
const VM = 'https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/a'
const KEY = 's PUT microsoft.compute/virtualmachines'
const MADE: GivenResponse = { status: 201, headers: new Map() }

function busyFor(seconds: number): GivenResponse {
  return { status: 429, headers: new Map([['retry-after', String(seconds)]]) }
}

/** A region with storage. `start` makes a process of it. `over` replaces calls of its store. */
function region() {
  const clock = createVirtualClock(epochMs(1_000_000_000))
  const { ports } = createMemoryWorld({ clock, cluster: clusterId('test') })
  const stored = { reads: 0, writes: 0 }
  const warnings: string[] = []
  const blobs: BlobStore = {
    ...ports.blobs,
    read: (path, signal) => {
      stored.reads += 1
      return ports.blobs.read(path, signal)
    },
    write: (path, text, etag, signal) => {
      stored.writes += 1
      return ports.blobs.write(path, text, etag, signal)
    },
  }
  const start = (over: Partial<BlobStore> = {}) => {
    const telemetry = { warn: (message: string) => void warnings.push(message) }
    const shared = createSharedWaits({ blobs: { ...blobs, ...over }, region: REGION, clock, telemetry })
    const send = createRetryAfterLimiter({ ...clock, shared })
    let sent = 0
    return {
      shared,
      warnings,
      sent: () => sent,
      put: async (given: GivenResponse = MADE, method = 'PUT', abortSignal: AbortSignal = SIGNAL) => {
        const asked = send({ method, url: VM, abortSignal }, async () => {
          sent += 1
          return given
        })
        return asked.catch((error: unknown) => error)
      },
    }
  }
  return { clock, blobs: ports.blobs, stored, warnings, start }
}

const fails = async (): Promise<never> => {
  throw new Fault('read a blob', problem('STORE.UNAVAILABLE', 'the store is down'))
}

describe('a wait that Azure asked one process for', () => {
  it('is kept by the others within three seconds, also by one that starts later, and no longer than Azure said', async () => {
    const { clock, start } = region()
    const [first, second] = [start(), start()]
    await second.put()
    expect(await first.put(busyFor(60))).toBeInstanceOf(RetryAfterError)
    await clock.advance(3 * SECOND)
    expect(await second.put()).toMatchObject({ statusCode: 429, retryAfterMs: 57 * SECOND })
    const third = start()
    expect(await third.put()).toBeInstanceOf(RetryAfterError)
    await third.put(MADE, 'GET')
    expect([first.sent(), second.sent(), third.sent()]).toEqual([1, 1, 1])
    await clock.advance(57 * SECOND)
    expect(await Promise.all([first.put(), second.put(), third.put()])).toEqual([MADE, MADE, MADE])
  })

  it('outlives the process that was told', async () => {
    const { clock, start } = region()
    await start().put(busyFor(60))
    await clock.advance(30 * SECOND)
    expect(await start().put()).toMatchObject({ retryAfterMs: 30 * SECOND })
  })

  it('costs no storage call for each call to Azure', async () => {
    const { clock, start, stored } = region()
    const { put } = start()
    for (let n = 0; n < 100; n++) await put()
    expect(stored).toEqual({ reads: 1, writes: 0 })
    await clock.advance(3 * SECOND)
    await put()
    expect(stored).toEqual({ reads: 2, writes: 0 })
  })

  it('is written beside the waits of others at the same time, and a shorter one does not replace a longer one', async () => {
    const { start, blobs, clock } = region()
    const [first, second] = [start(), start()]
    await Promise.all([
      first.shared.tell('a', clock.now() + 20 * SECOND, SIGNAL),
      second.shared.tell('b', clock.now() + 10 * SECOND, SIGNAL),
    ])
    await second.shared.tell('a', clock.now() + SECOND, SIGNAL)
    const known = { a: clock.now() + 20 * SECOND, b: clock.now() + 10 * SECOND }
    expect(await start().shared.known()).toEqual(known)
    await clock.advance(15 * SECOND)
    await first.shared.tell('c', clock.now() + SECOND, SIGNAL)
    expect(JSON.parse((await blobs.read(PATH, SIGNAL))?.value ?? '')).toEqual({ waits: { a: known.a, c: clock.now() + SECOND } })
  })
})

describe('the read that callers share', () => {
  it('does not end with the call that asked for it first', async () => {
    const { clock, start, blobs } = region()
    const waits = { [KEY]: clock.now() + 60 * SECOND }
    await blobs.write(PATH, JSON.stringify({ waits }), undefined, SIGNAL)
    const opened = Promise.withResolvers<void>()
    const read: BlobStore['read'] = async (path, signal) => {
      await opened.promise
      if (signal.aborted) throw signal.reason
      return blobs.read(path, signal)
    }
    const { put, sent, warnings } = start({ read })
    const stop = new AbortController()
    const first = put(MADE, 'GET', stop.signal)
    const second = put()
    stop.abort(new Error('enough'))
    opened.resolve()
    await first
    expect(await second).toMatchObject({ statusCode: 429, retryAfterMs: 60 * SECOND })
    expect([sent() <= 1, warnings]).toEqual([true, []])
  })
})

describe('calls to Azure go on', () => {
  it.each<[sentence: string, over: Partial<BlobStore>, warned: RegExp]>([
    ['if the waits cannot be read', { read: fails }, /cannot be read/],
    ['if a wait cannot be written', { write: fails }, /cannot be told/],
    [
      'if other processes always write first',
      { write: async () => ({ ok: false, error: problem('STORE.CONFLICT', 'again') }) },
      /cannot be told/,
    ],
  ])('%s, and the process keeps its own wait', async (_sentence, over, warned) => {
    const { clock, start, warnings } = region()
    const { put, sent } = start(over)
    expect(await put()).toBe(MADE)
    expect(await put(busyFor(60))).toBeInstanceOf(RetryAfterError)
    expect(await put()).toBeInstanceOf(RetryAfterError)
    expect(sent()).toBe(2)
    await clock.advance(60 * SECOND)
    expect(await put()).toBe(MADE)
    expect(warnings.join('\n')).toMatch(warned)
  })

  it.each([
    ['that is no JSON', 'x'],
    ['without waits', '{"waits":null}'],
    ['of another kind', JSON.stringify({ waits: { [KEY]: 'soon' } })],
    ['of a process with a wrong clock', JSON.stringify({ waits: { [KEY]: 1_000_000_000 + 3 * HOUR } })],
    ['that is over', JSON.stringify({ waits: { [KEY]: 999_999_999 } })],
  ])('beside a document %s, which the next wait replaces', async (_sentence, text) => {
    const { start, blobs } = region()
    await blobs.write(PATH, text, undefined, SIGNAL)
    const first = start()
    expect(await first.put()).toBe(MADE)
    await first.put(busyFor(60))
    expect(await start().put()).toBeInstanceOf(RetryAfterError)
  })
})
