import { createServer } from 'node:http'
import { createAppModel, type ModelBody } from './appModel.ts'
import { listenOnLoopback } from './listenOnLoopback.ts'
import { unpacked } from './unpacked.ts'

export type Posted = {
  readonly v: number
  readonly kept?: number
  readonly cluster: string
  readonly term: number
  readonly sentAt: number
  readonly body: ModelBody
}
export type AppAnswer = { readonly status: number; readonly headers?: { readonly [name: string]: string }; readonly body: unknown }

const AWAY: AppAnswer = { status: 503, body: { code: 'STORE.LEASE_LOST', message: 'away' } }

/** An HTTP server in place of the app. It keeps what is posted and gives the answers of the test. */
export interface FakeApp {
  readonly endpoint: URL
  readonly posted: readonly Posted[]
  readonly headers: readonly { readonly [name: string]: unknown }[]
  readonly model: ReturnType<typeof createAppModel>
  /** Answers for the next posts, in order; then 202 again. Answers below 300 count as taken. */
  answerNext(...answers: readonly AppAnswer[]): void
  /** Answers 503 to every request while `isAway` is true. */
  setAway(isAway: boolean): void
  /** Resolves once the condition holds. The condition is checked after each post. */
  until(condition: () => boolean): Promise<void>
  close(): Promise<void>
}

export async function createFakeApp(): Promise<FakeApp> {
  const posted: Posted[] = []
  const headers: { readonly [name: string]: unknown }[] = []
  const answers: AppAnswer[] = []
  const model = createAppModel()
  let away = false
  let waiting: { condition: () => boolean; resolve: () => void }[] = []

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const envelope = JSON.parse(unpacked(Buffer.concat(chunks), request.headers['content-encoding'])) as Posted
      const answer = (away ? AWAY : answers.shift()) ?? { status: 202, body: { accepted: envelope.body.changes.length, rejected: [] } }
      headers.push({ ...request.headers, url: request.url })
      if (answer.status < 300) {
        posted.push(envelope)
        model.apply(envelope.term, envelope.body)
      }
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(JSON.stringify(answer.body))
      for (const { resolve } of waiting.filter(({ condition }) => condition())) resolve()
      waiting = waiting.filter(({ condition }) => !condition())
    })
  })
  const { port, close } = await listenOnLoopback(server)

  return {
    endpoint: new URL(`http://127.0.0.1:${port}`),
    posted,
    headers,
    model,
    answerNext: (...next) => void answers.push(...next),
    setAway(isAway) {
      away = isAway
    },
    until(condition) {
      if (condition()) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ condition, resolve }))
    },
    close,
  }
}
