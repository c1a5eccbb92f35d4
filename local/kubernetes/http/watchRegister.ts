import type { ServerResponse } from 'node:http'

/** The running watches, so that all of them can be ended at once. */
export interface WatchRegister {
  add(response: ServerResponse, stop: () => void): void
  endAll(): void
  readonly size: number
}

export function createWatchRegister(): WatchRegister {
  const running = new Map<ServerResponse, () => void>()
  return {
    add: (response, stop) => {
      running.set(response, stop)
      response.on('close', () => {
        running.delete(response)
        stop()
      })
    },
    endAll: () => {
      for (const [response, stop] of running) {
        stop()
        response.destroy()
      }
    },
    get size() {
      return running.size
    },
  }
}
