import { type AppLine, parseAppLine } from './appLine.ts'

/** How many of the last lines go into the message of a wait that failed. */
const LINES_SHOWN = 40

/** The lines of a running stack, for tests that wait for some of them. */
export interface SaidLines {
  /** Takes a line of the app. `listen` takes the lines of all other parts. */
  listenToApp(text: string): void
  listen(text: string): void
  /** Lines of the app since the last `forget`. */
  ofApp(): readonly AppLine[]
  /** Returns the last lines of all parts. */
  lately(): readonly string[]
  /** Waits for the next line of the app that matches. Fails after `patienceMs` with the last lines. */
  when(text: RegExp, patienceMs: number): Promise<AppLine>
  forget(): void
}

export function createSaidLines(): SaidLines {
  const told: string[] = []
  let lines: AppLine[] = []
  const listeners = new Set<(line: AppLine) => void>()
  const lately = (): readonly string[] => told.slice(-LINES_SHOWN)

  return {
    listen: (text) => void told.push(text),
    listenToApp(text) {
      told.push(text)
      const line = parseAppLine(text)
      if (line === undefined) return
      lines.push(line)
      for (const listener of listeners) listener(line)
    },
    ofApp: () => lines,
    lately,
    when(text, patienceMs) {
      const { promise, resolve, reject } = Promise.withResolvers<AppLine>()
      const timer = setTimeout(() => {
        listeners.delete(listener)
        reject(new Error([`after ${patienceMs / 1000} s the app said nothing like ${text}; what was said last:`, ...lately()].join('\n')))
      }, patienceMs)
      const listener = (line: AppLine): void => {
        if (!text.test(line.message)) return
        clearTimeout(timer)
        listeners.delete(listener)
        resolve(line)
      }
      listeners.add(listener)
      return promise
    },
    forget() {
      lines = []
    },
  }
}
