// What `bicep format` would change: lines that are wider than it writes them, and choices that it would join. Only what stands on one line is looked at.
import { finding, type Rule } from './rule.ts'

/** The width at which the formatter breaks, unless bicepconfig.json says otherwise. */
const WIDTH = 120

export const format: Rule = {
  name: 'format',
  check: ({ files, readText }) =>
    files.flatMap(({ path }) => {
      const lines = (readText(path) ?? '').split('\n')
      return lines.flatMap((line, at) => {
        const message = tooWide(line) ?? joined(lines, at)
        return message === undefined ? [] : [finding('format', { file: path, line: at + 1 }, message)]
      })
    }),
}

/** A comment and a single text cannot be broken. */
const UNBREAKABLE = /^\s*(\/\/|#|@description\(|[\w.]+: '(?:[^'\\]|\\.)*'$)/

function tooWide(line: string): string | undefined {
  if (line.length <= WIDTH || UNBREAKABLE.test(line)) return undefined
  return `the line has ${line.length} characters, and the formatter breaks it at ${WIDTH}: give a part of it to a variable`
}

/** Finds a choice on three lines that has room on one. */
function joined(lines: readonly string[], at: number): string | undefined {
  const [first = '', yes = '', no = ''] = lines.slice(at, at + 3)
  if (!/^\s*\? /.test(yes) || !/^\s*: /.test(no)) return undefined
  const whole = `${first} ${yes.trim()} ${no.trim()}`
  return whole.length <= WIDTH && isClosed(yes) && isClosed(no) ? 'the formatter writes this choice on one line' : undefined
}

const count = (text: string, signs: RegExp): number => [...text.matchAll(signs)].length
const isClosed = (text: string): boolean => count(text, /[([{]/g) === count(text, /[)\]}]/g)
