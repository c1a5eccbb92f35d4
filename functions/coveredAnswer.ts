import { settle } from '../shared/base/concurrency.ts'
import { isNotReady } from '../shared/flows/ledger/rest.ts'
import type { EpochMs } from '../shared/model/units.ts'
import type { ClusterRuntime } from './appDeps.ts'
import { type Invocation, LONGEST_COVER } from './cover.ts'
import type { HttpRequest, HttpResponseInit } from './functionApp.ts'
import type { Schedule } from './schedules.ts'

/** The form of an answer whose invocation stays open: lines of JSON. The shim asks for it. */
const STREAM = 'application/x-ndjson'
/** After this time, the shim is called again while the invocation is still open for a while. So work that lasts longer stays covered. */
const CALLED_AFTER_MS = LONGEST_COVER - 5_000

export function wantsStream({ headers }: HttpRequest): boolean {
  return (headers.get('accept') ?? '').split(',').some((each) => each.split(';')[0]?.trim().toLowerCase() === STREAM)
}

type Covered = {
  readonly invocation: Invocation
  /** The first line. */
  readonly result: object
  /** Work that begins after the first line. It never rejects. */
  readonly work?: () => Promise<unknown>
  /** Returns the `again` of the last line. */
  readonly msUntilAgain: () => number
}

/**
 * Answers with the result at once, and with a last line when the work is done: `{"again": ms}`. `null`: another answer says when. The work goes on
 * though the caller goes away, and nothing here throws: an error after the answer would end the process.
 */
export function coveredAnswer(
  { deps: { clock } }: Pick<ClusterRuntime, 'deps'>,
  { invocation, result, work, msUntilAgain }: Covered,
): HttpResponseInit {
  const over = new AbortController()

  async function lastLine(): Promise<{ readonly again: number | null }> {
    const waited = ended.then((how) => (how === 'left' ? null : msUntilAgain()))
    const called = clock.sleep(CALLED_AFTER_MS, over.signal).then(
      () => 0,
      () => waited,
    )
    return { again: await Promise.race([waited, called]) }
  }

  const ended = (async () => {
    await work?.()
    return invocation.end()
  })().finally(() => over.abort())
  return { status: 202, headers: { 'content-type': STREAM }, body: linesOf(result, lastLine(), ended) }
}

/** A stream that is written whether or not anybody reads it. */
function linesOf(first: object, last: Promise<object>, ended: Promise<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(stream) {
      const write = (line: object): void => stream.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      write(first)
      // Fails if the reader has gone.
      void settle(async () => {
        const said = await settle(() => last)
        if (said.ok) write(said.value)
        await settle(() => ended)
        stream.close()
      })
    },
  })
}

/** The longest time without a post of the shim. */
export const LONGEST_SILENCE_MS = 300_000
/** The shim comes this much before the time of the work, so that an invocation is open by then. */
const EARLY_MS = 500

/**
 * Returns after how many milliseconds the shim must come again: when the next work of this process is due, or, while a NodeClaim comes or goes, at
 * the next time of the schedule. `isMoving`: what the caller knows of that beyond the loaded cluster.
 */
export function msUntilAgain(
  { cover, deps, reader }: Pick<ClusterRuntime, 'cover' | 'deps' | 'reader'>,
  schedule: Schedule,
  isMoving = false,
): number {
  const now = deps.clock.now()
  const until = (at: EpochMs | undefined, early = 0): number => (at === undefined ? LONGEST_SILENCE_MS : Math.max(0, at - early - now))
  const comesOrGoes = isMoving || reader.known()?.objects().nodeClaim.some(isNotReady) === true
  const nextLook = until(comesOrGoes ? schedule.next(now) : undefined)
  return Math.min(until(cover.queue.nextDueAt(), EARLY_MS), nextLook)
}
