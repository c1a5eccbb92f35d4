import { request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 100

/** Polls until the API server reports that it is ready, or until the signal aborts. */
export async function serverIsReady(url: string, ca: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if ((await statusOf(`${url}/readyz`, ca, signal)) === 200) return true
    await sleep(PAUSE_MS)
  }
  return false
}

function statusOf(url: string, ca: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request(url, { ca, signal, timeout: 2_000, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.once('error', () => resolve(undefined))
    asked.once('timeout', () => asked.destroy())
    asked.end()
  })
}
