export type LogFields = { readonly [name: string]: string | number | boolean | undefined }

/** Writes one JSON line for each entry. Error: a person must act. Warn: a fallback was taken. Info: a state changed. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export function createLog(write: (line: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`)
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }
