export const LOG_LEVELS = ['trace', 'debug', 'information', 'warning', 'error', 'critical', 'none'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type HostLogLine = {
  readonly at: string
  readonly level: LogLevel
  /** `Host...`, `Function.<name>` for the host's word on a function, `Function.<name>.User` for what its handler logs. */
  readonly category: string
  readonly message: string
  readonly invocationId?: string
}

export type HostLog = (level: LogLevel, category: string, message: string, invocationId?: string) => void

export type LogLevels = { readonly [category: string]: LogLevel }

/** A log that drops what host.json's `logging.logLevel` hides: the longest matching category prefix decides. */
export function createHostLog(write: (line: HostLogLine) => void, levels: LogLevels, now: () => number): HostLog {
  return (level, category, message, invocationId) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(levelOf(category, levels))) return
    const at = new Date(now()).toISOString()
    write(invocationId === undefined ? { at, level, category, message } : { at, level, category, message, invocationId })
  }
}

function levelOf(category: string, levels: LogLevels): LogLevel {
  const parts = category.split('.')
  for (let length = parts.length; length > 0; length--) {
    const level = levels[parts.slice(0, length).join('.')]
    if (level !== undefined) return level
  }
  return levels['default'] ?? 'information'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
