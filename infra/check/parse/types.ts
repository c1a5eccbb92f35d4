// Reads types as they are written: `string?`, `'a' | 'b'`, `cluster[]`, `{ name: string }`.
import type { Cursor } from './cursor.ts'
import { readDecorators } from './decorators.ts'
import { Refusal, type TypeProperty, type TypeSyntax } from './syntax.ts'
import { textOf } from './tokens.ts'

export function readType(cursor: Cursor): TypeSyntax {
  const place = cursor.place()
  cursor.take('|')
  const options = [readOption(cursor)]
  while (cursor.take('|')) options.push(readOption(cursor))
  const [only] = options
  return options.length === 1 && only !== undefined ? only : { ...place, kind: 'union', options }
}

function readOption(cursor: Cursor): TypeSyntax {
  const place = cursor.place()
  let type = readSimple(cursor)
  for (;;) {
    if (cursor.isAt('[') && cursor.peek(1)?.text === ']') {
      cursor.expect('[')
      cursor.expect(']')
      type = { ...place, kind: 'array', of: type }
    } else if (cursor.take('?')) type = { ...place, kind: 'nullable', of: type }
    else return type
  }
}

function readSimple(cursor: Cursor): TypeSyntax {
  const place = cursor.place()
  if (cursor.take('(')) {
    const inner = readType(cursor)
    cursor.expect(')')
    return inner
  }
  if (cursor.isAt('{')) return readObjectType(cursor)
  const token = cursor.next()
  if (token.kind === 'number') return { ...place, kind: 'literal', value: Number(token.text) }
  if (token.kind === 'text') {
    const text = textOf(token)
    if (text === undefined) throw new Refusal(place, 'a type has no interpolation')
    return { ...place, kind: 'literal', value: text }
  }
  if (token.text === 'true' || token.text === 'false') return { ...place, kind: 'literal', value: token.text === 'true' }
  if (token.text === 'null') return { ...place, kind: 'literal', value: null }
  if (token.kind === 'sign') throw new Refusal(place, `a type was expected, and "${token.text}" is there`)
  if (cursor.isAt('.') || cursor.isAt('<'))
    throw new Refusal(place, `a type of the form ${token.text}${cursor.next().text} is not supported: name the type`)
  return { ...place, kind: 'named', name: token.text }
}

function readObjectType(cursor: Cursor): TypeSyntax {
  const place = cursor.place()
  cursor.expect('{')
  const properties: TypeProperty[] = []
  let others: TypeSyntax | undefined
  while (!cursor.take('}')) {
    const decorators = readDecorators(cursor)
    const at = cursor.place()
    const token = cursor.next()
    cursor.expect(':')
    const type = readType(cursor)
    if (token.text === '*') others = type
    else properties.push({ ...at, name: textOf(token) ?? token.text, type, decorators })
    cursor.take(',')
  }
  return { ...place, kind: 'object', properties, others }
}
