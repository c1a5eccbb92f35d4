import { Fault, problem } from '../../shared/model/problem.ts'
import { trustedJson } from '../trustedJson.ts'

/** How an answer ended whose first line has come. */
export type AnswerEnd =
  /** The work is done. The app asks for the next post after `again` milliseconds. Undefined: another answer says when. */
  | { readonly kind: 'done'; readonly again: number | undefined }
  /** The answer broke off before its last line: the process of the app died. */
  | { readonly kind: 'broken' }

export type AnswerStream = { readonly first: string; readonly end: Promise<AnswerEnd> }

/** The media type of an answer in lines of JSON. */
export const LINES = 'application/x-ndjson'

/** Resolves with the first line as soon as it has come. Rejects if the stream ends or breaks before that. */
export async function readAnswerStream(chunks: AsyncIterable<Buffer>): Promise<AnswerStream> {
  const lines = linesOf(chunks)
  const first = await lines.next()
  if (first.done === true) throw new Fault('read an answer', problem('NETWORK.FAILED', 'the answer ended before its first line'))
  return { first: first.value, end: endOf(lines) }
}

/** Never rejects. Reads to the end, so that the connection can carry the next post. */
async function endOf(lines: AsyncIterator<string>): Promise<AnswerEnd> {
  const { promise, resolve } = Promise.withResolvers<AnswerEnd>()
  async function read(): Promise<void> {
    try {
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
        const { again } = trustedJson<{ readonly again?: number | null }>(line.value)
        resolve({ kind: 'done', again: again ?? undefined })
      }
    } catch {
      // The stream broke, or its last line was cut.
    }
    resolve({ kind: 'broken' })
  }
  void read()
  return promise
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield line
  }
  // A line without its end was cut.
  return undefined
}
