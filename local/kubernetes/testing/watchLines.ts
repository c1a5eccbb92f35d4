import { request } from 'node:https'
import type { LocalKubernetes } from '../kubernetesOptions.ts'
import type { Json } from '../object/json.ts'

export interface WatchReader {
  /** Waits for the next event. Undefined if the stream has ended. */
  next(): Promise<Json | undefined>
  stop(): void
}

/** Opens a watch and reads it event by event. Resolves when the server has answered with the response headers. */
export function openWatch(server: LocalKubernetes, path: string): Promise<WatchReader> {
  const arrived: Json[] = []
  const waiting: ((event: Json | undefined) => void)[] = []
  let ended = false
  let rest = ''
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.adminToken}`, accept: 'application/json' }
    const sent = request(`${server.url}${path}`, { ca: server.caCertificate, headers, agent: false }, (response) => {
      const deliver = (event: Json): void => {
        const waiter = waiting.shift()
        if (waiter) waiter(event)
        else arrived.push(event)
      }
      response.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString('utf8')).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) deliver(JSON.parse(line))
      })
      const end = (): void => {
        ended = true
        for (const waiter of waiting.splice(0)) waiter(undefined)
      }
      response.on('end', end)
      response.on('error', end)
      resolve({
        next: () => {
          const first = arrived.shift()
          if (first !== undefined) return Promise.resolve(first)
          return ended ? Promise.resolve(undefined) : new Promise((wake) => waiting.push(wake))
        },
        stop: () => sent.destroy(),
      })
    })
    sent.on('error', (error) => (ended ? undefined : reject(error)))
    sent.end()
  })
}
