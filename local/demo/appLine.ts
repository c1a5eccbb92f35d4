/** One line of the function app's structured output. */
export type AppLine = {
  /** Epoch milliseconds. */
  readonly at: number
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'measure'
  readonly message: string
  readonly fields: { readonly [name: string]: unknown }
}

/** Parses a line of the functions host. Returns undefined for lines that are not the app's own, such as the host's log or a stack trace. */
export function parseAppLine(text: string): AppLine | undefined {
  const line = parseObject(text)
  // The host wraps the console output of the app.
  const inner = line?.['category'] === 'Worker.Console' ? parseObject(line['message']) : line
  const { at, level, message } = inner ?? {}
  if (inner === undefined || typeof at !== 'number' || typeof message !== 'string' || !isLevel(level)) return undefined
  return { at, level, message, fields: inner }
}

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error', 'measure']

function isLevel(value: unknown): value is AppLine['level'] {
  return LEVELS.includes(value)
}

function parseObject(text: unknown): { readonly [name: string]: unknown } | undefined {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
