/** The output of a run for the person who started it. Each line has its time. */
export interface Terminal {
  say(line: string): void
  /** Prints no more lines, except the last line. */
  hush(): void
  /** Prints the last line. Nothing is printed after it. */
  close(lastLine: string): void
}

export function createTerminal({ write, now }: { readonly write: (text: string) => void; readonly now: () => number }): Terminal {
  let state: 'open' | 'hushed' | 'closed' = 'open'
  const put = (line: string): void => write(`${new Date(now()).toISOString().slice(11, 21)}  ${line}\n`)
  return {
    say(line) {
      if (state === 'open') put(line)
    },
    hush() {
      if (state === 'open') state = 'hushed'
    },
    close(lastLine) {
      if (state === 'closed') return
      state = 'closed'
      put(lastLine)
    },
  }
}
