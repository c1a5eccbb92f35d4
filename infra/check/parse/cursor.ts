// Reads the tokens of a file from first to last.

import { type Place, Refusal } from './syntax.ts'
import type { Token } from './tokens.ts'

export type Cursor = {
  readonly file: string
  readonly peek: (ahead?: number) => Token | undefined
  readonly place: () => Place
  /** Takes the next token if its text is `text`. Reports whether it did. */
  readonly take: (text: string) => boolean
  readonly expect: (text: string) => void
  readonly next: () => Token
  readonly word: () => string
  readonly isAt: (text: string) => boolean
}

export function createCursor(file: string, tokens: readonly Token[], lineAtEnd = tokens.at(-1)?.line ?? 1): Cursor {
  let at = 0
  const peek = (ahead = 0): Token | undefined => tokens[at + ahead]
  const place = (): Place => ({ file, line: peek()?.line ?? lineAtEnd })
  const isAt = (text: string): boolean => peek()?.text === text && peek()?.kind !== 'text'
  const take = (text: string): boolean => {
    const found = isAt(text)
    if (found) at += 1
    return found
  }
  const next = (): Token => {
    const token = peek()
    if (token === undefined) throw new Refusal(place(), 'the file ends in the middle of something')
    at += 1
    return token
  }
  const expect = (text: string): void => {
    if (!take(text)) throw new Refusal(place(), `"${text}" was expected, and "${peek()?.text ?? 'the end'}" is there`)
  }
  const word = (): string => {
    const token = next()
    if (token.kind !== 'word') throw new Refusal({ file, line: token.line }, `a name was expected, and "${token.text}" is there`)
    return token.text
  }
  return { file, peek, place, take, expect, next, word, isAt }
}
