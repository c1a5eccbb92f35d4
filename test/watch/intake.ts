import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createTestApp } from '../../functions/testing/testApp.ts'
import { createClusterReader } from '../../shared/flows/state/catchUp.ts'
import type { ClusterState } from '../../shared/flows/state/clusterState.ts'
import type { LogPosition, LogRecord } from '../../shared/ports/clusterLog.ts'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'
import { unpacked } from '../../shim/testing/unpacked.ts'

export const CLUSTER = 'alpha'

/** One post and its answer. */
export type Taken = {
  readonly status: number
  readonly bytes: number
  /** How the post was packed. */
  readonly encoding: string
  readonly records: readonly LogRecord[]
  readonly at: number
}

/** The app's HTTP trigger behind a real server, with a log in memory, and the state that the app makes of the log. */
export interface Intake {
  readonly url: string
  state(): Promise<ClusterState>
  /** The terms of all records so far, in order. */
  terms(): Promise<readonly number[]>
  /** Holds the next matching post: it is neither delivered nor answered. Resolves when there is one. */
  holdNext(isSuch: (text: string) => boolean): Promise<void>
  /** Delivers the held post and answers its sender if the sender still waits. */
  deliverHeld(): Promise<Taken>
  close(): Promise<void>
}

export async function startIntake(onTaken: (taken: Taken) => void = () => {}): Promise<Intake> {
  const app = createTestApp()
  const { ports } = app.worlds[CLUSTER]
  const reader = createClusterReader(ports.log)
  const never = new AbortController().signal
  let seenTo: LogPosition | undefined
  let holding: { readonly isSuch: (text: string) => boolean; readonly resolve: () => void } | undefined
  let held: (() => Promise<Taken>) | undefined

  async function take(body: Buffer, encoding: string): Promise<Taken & { readonly json: unknown }> {
    const headers = { 'content-encoding': encoding, 'content-type': 'application/json' }
    const answer = await app.request('events', { cluster: CLUSTER, authorization: `Bearer shim-${CLUSTER.charAt(0)}`, body, headers })
    const at = Date.now()
    const { records, position } = await ports.log.read(seenTo, never)
    seenTo = position
    const taken = { status: answer.status ?? 200, bytes: body.byteLength, encoding, records, at }
    onTaken(taken)
    return { ...taken, json: answer.jsonBody ?? JSON.parse(String(answer.body)) }
  }

  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then(async (body) => {
      const encoding = incoming.headers['content-encoding'] ?? ''
      const deliver = async (): Promise<Taken> => {
        const { json, ...taken } = await take(body, encoding)
        outgoing.writeHead(taken.status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
        return taken
      }
      if (!holding?.isSuch(unpacked(body, encoding))) return void (await deliver())
      held = deliver
      holding.resolve()
      holding = undefined
    })
  })
  const { port, close } = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    // The clock of the memory world stands still, so the app never times out and never asks for what a broken shim left out.
    state: async () => (await reader.catchUp(ports.clock.now(), never)).state,
    terms: async () => (await ports.log.read(undefined, never)).records.map(({ term }) => term),
    holdNext: (isSuch) => new Promise((resolve) => (holding = { isSuch, resolve })),
    async deliverHeld() {
      if (held === undefined) throw new Error('no post was held')
      return held()
    },
    close,
  }
}
