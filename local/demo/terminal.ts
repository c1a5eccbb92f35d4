/** What a run says to whoever started it: a line each with its time. */
export interface Terminal {
  say(line: string): void
  /** From now on nothing is said, except the last line. */
  hush(): void
  /** Says the last line. After it nothing is said any more. */
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
