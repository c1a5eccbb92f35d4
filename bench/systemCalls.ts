import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** The number of a program's calls to the API server, by verb and resource. */
export type Calls = { readonly [call: string]: number }

/** Reads the audit log of a control plane from its last position on. */
export interface CallBook {
  /** Returns the calls of one user since the last call of `take`. `isCounted` gets the name of the object. The name is empty for a list. */
  take(user: string, isCounted: (call: string, name: string) => boolean): Calls
}

export function createCallBook(auditFile: string): CallBook {
  let position = 0
  return {
    take(user, isCounted) {
      const { lines, end } = linesFrom(auditFile, position)
      position = end
      const calls: { [call: string]: number } = {}
      for (const line of lines) {
        if (!line.includes(user)) continue
        const { verb, objectRef } = parsed(line)
        const call = `${verb} ${[objectRef?.resource ?? 'other', objectRef?.subresource].filter((part) => part !== undefined).join('/')}`
        if (isCounted(call, objectRef?.name ?? '')) calls[call] = (calls[call] ?? 0) + 1
      }
      return calls
    },
  }
}

export function sumOf(calls: Calls): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0)
}

/** Returns the sum of two counts, call by call. */
export function addCalls(some: Calls, others: Calls): Calls {
  return Object.entries(others).reduce<Calls>((sum, [call, count]) => ({ ...sum, [call]: (sum[call] ?? 0) + count }), some)
}

type AuditLine = {
  readonly verb: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly name?: string }
}

// The API server's own format, at the audit level Metadata.
function parsed(line: string): AuditLine {
  return JSON.parse(line) as AuditLine
}

/** Returns whole lines only: the last line may be incomplete. */
function linesFrom(file: string, position: number): { readonly lines: readonly string[]; readonly end: number } {
  const bytes = Buffer.alloc(Math.max(0, statSync(file).size - position))
  const handle = openSync(file, 'r')
  try {
    readSync(handle, bytes, 0, bytes.length, position)
  } finally {
    closeSync(handle)
  }
  const length = bytes.lastIndexOf('\n') + 1
  return { lines: bytes.toString('utf8', 0, length).split('\n').slice(0, -1), end: position + length }
}
