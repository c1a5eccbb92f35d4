import type { AppLine } from './appLine.ts'

const TOLD_ALREADY: readonly string[] = ['at', 'level', 'message']

/** Formats a line of the app with all its fields, for `--verbose`: `app measure: decide_ms value=55 cluster=local`. */
export function wholeLine({ level, message, fields }: AppLine): string {
  const others = Object.entries(fields).filter(([name]) => !TOLD_ALREADY.includes(name))
  const told = others.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [`app ${level}: ${message}`, ...told].join(' ')
}
