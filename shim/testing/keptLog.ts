import type { Log, LogFields } from '../log.ts'

export type LogEntry = { readonly level: keyof Log; readonly message: string; readonly fields: LogFields }

/** A log whose entries a test can read. */
export function createKeptLog(): Log & { readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = []
  const write =
    (level: keyof Log) =>
    (message: string, fields: LogFields = {}): void =>
      void entries.push({ level, message, fields })
  return { entries, info: write('info'), warn: write('warn'), error: write('error') }
}
