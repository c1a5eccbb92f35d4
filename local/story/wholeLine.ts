import type { AppLine } from './appLine.ts'

/** A line of the app with everything it says, for `--verbose`: `app measure: decide_ms value=55 cluster=local`. */
export function wholeLine({ level, message, fields }: AppLine): string {
  const { at, level: _level, message: _message, ...others } = fields
  const told = Object.entries(others).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [`app ${level}: ${message}`, ...told].join(' ')
}
