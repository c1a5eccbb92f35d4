import { parsedJson } from '../../shared/base/json.ts'
import { clusterId } from '../../shared/model/ids.ts'
import type { LogRecord } from '../../shared/model/logRecord.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { printEnvelope } from '../../shared/wire/envelope.ts'
import { NOW, type TestApp } from './testApp.ts'

type LastLine = { readonly again: number | null }

/** The shim of cluster `alpha` over the function of the app: posts in order, takes answers as streams, and comes again when it is told to. */
export interface PlayedShim {
  /** Posts the records. Without records, posts nothing unless it is time. */
  post(records: readonly LogRecord[]): void
  readonly posts: readonly { readonly changes: number; readonly at: number }[]
}

/** `run` runs one invocation, which is open until its promise resolves. */
export function createPlayedShim(app: TestApp, clock: Clock, run: (invocation: () => Promise<void>) => void): PlayedShim {
  const posts: { readonly changes: number; readonly at: number }[] = []
  let before: Promise<unknown> = Promise.resolve()
  let attendAt = Number.POSITIVE_INFINITY

  function start(body: LogRecord['body'], term: number): void {
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    const earlier = before
    before = taken
    run(async () => {
      await earlier
      posts.push({ changes: body.changes.length, at: clock.now() - NOW })
      const { again } = await postOnce(app, { body, term, sentAt: clock.now() }, resolve)
      if (again !== null) attendAt = Math.min(attendAt, clock.now() + again)
    })
  }

  return {
    posts,
    post(records) {
      for (const { body, term } of records) start(body, term)
      if (clock.now() < attendAt) return
      attendAt = Number.POSITIVE_INFINITY
      start({ kind: 'changes', changes: [] }, 1)
    },
  }
}

type Envelope = Pick<Parameters<typeof printEnvelope>[0], 'body' | 'term' | 'sentAt'>

/** Posts one envelope. Calls `onTaken` at the first line. Returns the last line. */
async function postOnce(app: TestApp, envelope: Envelope, onTaken: () => void): Promise<LastLine> {
  const json = printEnvelope({ cluster: clusterId('alpha'), ...envelope })
  const headers = { accept: 'application/x-ndjson, application/json' }
  const answer = await app.request('events', { cluster: 'alpha', authorization: 'Bearer shim-a', body: JSON.stringify(json), headers })
  if (!(answer.body instanceof ReadableStream)) throw new TypeError(`the post was answered with ${answer.status}: ${String(answer.body)}`)
  const lines: string[] = []
  const decoder = new TextDecoder()
  for await (const chunk of answer.body) {
    lines.push(decoder.decode(chunk))
    onTaken()
  }
  return parsedJson(lines.at(-1) ?? '') as LastLine
}
