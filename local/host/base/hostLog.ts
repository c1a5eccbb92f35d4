import { ownValue } from '../../../shared/base/values.ts'

export const LOG_LEVELS = ['trace', 'debug', 'information', 'warning', 'error', 'critical', 'none'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type HostLogLine = {
  readonly at: string
  readonly level: LogLevel
  /** `Host...`, `Function.<name>` for lines of the host about a function, `Function.<name>.User` for lines of its handler. */
  readonly category: string
  readonly message: string
  readonly invocationId?: string
}

export type HostLog = (level: LogLevel, category: string, message: string, invocationId?: string) => void

export type LogLevels = { readonly [category: string]: LogLevel }

/** Makes a log without the lines that host.json's `logging.logLevel` hides. The longest matching prefix of the category decides. */
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
    const level = ownValue(levels, parts.slice(0, length).join('.'))
    if (level !== undefined) return level
  }
  return levels['default'] ?? 'information'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
