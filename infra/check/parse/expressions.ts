// Expressions, by precedence: `?:`, `??`, `||`, `&&`, equality, comparison, sum, product, sign, and what follows a value.
import { type Cursor, createCursor } from './cursor.ts'
import { type Expression, type Place, type Property, Refusal, type ResourceDeclaration } from './syntax.ts'

const LEVELS: readonly (readonly string[])[] = [
  ['??'],
  ['||'],
  ['&&'],
  ['==', '!=', '=~', '!~'],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
]

/** Reads a nested resource: an object in a resource may hold one beside its properties. */
export type ReadResource = (cursor: Cursor) => ResourceDeclaration

export function readExpression(cursor: Cursor, resource?: ReadResource): Expression {
  const place = cursor.place()
  const lambda = readLambda(cursor)
  if (lambda !== undefined) return lambda
  const condition = readBinary(cursor, 0, resource)
  if (!cursor.take('?')) return condition
  const yes = readExpression(cursor)
  cursor.expect(':')
  const no = readExpression(cursor)
  return { ...place, kind: 'choice', condition, yes, no }
}

function readLambda(cursor: Cursor): Expression | undefined {
  const place = cursor.place()
  const parameters: string[] = []
  if (cursor.peek()?.kind === 'word' && cursor.peek(1)?.text === '=>') parameters.push(cursor.word())
  else if (startsParameters(cursor)) {
    cursor.expect('(')
    while (!cursor.take(')')) {
      parameters.push(cursor.word())
      cursor.take(',')
    }
  } else return undefined
  cursor.expect('=>')
  return { ...place, kind: 'lambda', parameters, body: readExpression(cursor) }
}

/** Reports whether a lambda follows, `(a, b) =>`, and not an expression in parentheses. */
function startsParameters(cursor: Cursor): boolean {
  if (!cursor.isAt('(')) return false
  let ahead = 1
  while (cursor.peek(ahead)?.kind === 'word' || cursor.peek(ahead)?.text === ',') ahead += 1
  return cursor.peek(ahead)?.text === ')' && cursor.peek(ahead + 1)?.text === '=>'
}

function readBinary(cursor: Cursor, level: number, resource?: ReadResource): Expression {
  const operators = LEVELS[level]
  if (operators === undefined) return readUnary(cursor, resource)
  let left = readBinary(cursor, level + 1, resource)
  for (;;) {
    const token = cursor.peek()
    if (token === undefined) return left
    // The tokens of `a -1` are a value and the number -1.
    if (token.kind === 'number' && token.text.startsWith('-') && operators.includes('-') && !token.startsLine) {
      const place = cursor.place()
      cursor.next()
      left = { ...place, kind: 'binary', operator: '-', left, right: { ...place, kind: 'literal', value: -Number(token.text) } }
      continue
    }
    if (token.kind !== 'sign' || !operators.includes(token.text) || (token.text === '-' && token.startsLine)) return left
    cursor.next()
    const right = readBinary(cursor, level + 1)
    left = { file: left.file, line: left.line, kind: 'binary', operator: token.text, left, right }
  }
}

function readUnary(cursor: Cursor, resource?: ReadResource): Expression {
  const place = cursor.place()
  if (cursor.take('!')) return { ...place, kind: 'unary', operator: '!', of: readUnary(cursor) }
  if (cursor.take('-')) return { ...place, kind: 'unary', operator: '-', of: readUnary(cursor) }
  return readSuffixes(cursor, readPrimary(cursor, resource))
}

function readSuffixes(cursor: Cursor, start: Expression): Expression {
  let value = start
  for (;;) {
    const place = cursor.place()
    const token = cursor.peek()
    if (token === undefined) return value
    const continues = !token.startsLine
    if (cursor.take('.') || cursor.isAt('.?')) {
      const isSafe = cursor.take('.?') || cursor.take('?')
      const name = cursor.word()
      if (cursor.isAt('(')) value = { ...place, kind: 'call', on: value, name, given: readGiven(cursor) }
      else value = { ...place, kind: 'member', of: value, name, isSafe }
    } else if (cursor.take('::')) value = { ...place, kind: 'nested', of: value, name: cursor.word() }
    else if (continues && cursor.take('[')) {
      const isSafe = cursor.take('?')
      const index = readExpression(cursor)
      cursor.expect(']')
      value = { ...place, kind: 'index', of: value, index, isSafe }
    } else if (continues && cursor.take('!')) value = { ...place, kind: 'sure', of: value }
    else return value
  }
}

function readGiven(cursor: Cursor): readonly Expression[] {
  cursor.expect('(')
  const given: Expression[] = []
  while (!cursor.take(')')) {
    given.push(readExpression(cursor))
    if (!cursor.isAt(')')) cursor.expect(',')
  }
  return given
}

function readPrimary(cursor: Cursor, resource?: ReadResource): Expression {
  const place = cursor.place()
  if (cursor.isAt('{')) return readObject(cursor, resource)
  if (cursor.isAt('[')) {
    const first = cursor.peek(1)
    return first?.kind === 'word' && first.text === 'for' ? readFor(cursor, resource) : readArray(cursor)
  }
  if (cursor.take('(')) {
    const inner = readExpression(cursor)
    cursor.expect(')')
    return inner
  }
  const token = cursor.next()
  if (token.kind === 'number') return { ...place, kind: 'literal', value: Number(token.text) }
  if (token.kind === 'text') {
    const parts = token.parts.map((part) => (typeof part === 'string' ? part : readWhole(createCursor(cursor.file, part, token.line))))
    return { ...place, kind: 'text', parts }
  }
  if (token.kind === 'sign') throw new Refusal(place, `a value was expected, and "${token.text}" is there`)
  return readWord(cursor, token.text, place, resource)
}

const LITERALS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

function readWord(cursor: Cursor, word: string, place: Place, resource?: ReadResource): Expression {
  const value = LITERALS.get(word)
  if (value !== undefined) return { ...place, kind: 'literal', value }
  if (word === 'if' && cursor.take('(')) {
    const condition = readExpression(cursor)
    cursor.expect(')')
    return { ...place, kind: 'if', condition, body: readObject(cursor, resource) }
  }
  const isCall = cursor.isAt('(') && cursor.peek()?.startsLine === false
  if (isCall) return { ...place, kind: 'call', on: undefined, name: word, given: readGiven(cursor) }
  return { ...place, kind: 'name', name: word }
}

function readWhole(cursor: Cursor): Expression {
  const value = readExpression(cursor)
  if (cursor.peek() !== undefined) throw new Refusal(cursor.place(), `"${cursor.next().text}" is left over in an interpolation`)
  return value
}

function readArray(cursor: Cursor): Expression {
  const place = cursor.place()
  cursor.expect('[')
  const items: Expression[] = []
  while (!cursor.take(']')) {
    items.push(readExpression(cursor))
    cursor.take(',')
  }
  return { ...place, kind: 'array', items }
}

function readFor(cursor: Cursor, resource?: ReadResource): Expression {
  const place = cursor.place()
  cursor.expect('[')
  cursor.expect('for')
  let index: string | undefined
  let item: string
  if (cursor.take('(')) {
    item = cursor.word()
    cursor.expect(',')
    index = cursor.word()
    cursor.expect(')')
  } else item = cursor.word()
  cursor.expect('in')
  const list = readExpression(cursor)
  cursor.expect(':')
  const body = readExpression(cursor, resource)
  cursor.expect(']')
  return { ...place, kind: 'for', item, index, list, body }
}

function readObject(cursor: Cursor, resource?: ReadResource): Expression {
  const place = cursor.place()
  cursor.expect('{')
  const properties: Property[] = []
  const resources: ResourceDeclaration[] = []
  while (!cursor.take('}')) {
    const at = cursor.place()
    if (cursor.isAt('...')) throw new Refusal(at, 'spread is not supported: use union()')
    const isDeclared = cursor.isAt('@') || (cursor.isAt('resource') && cursor.peek(1)?.text !== ':')
    if (isDeclared && resource !== undefined) resources.push(resource(cursor))
    else {
      const key: Expression = cursor.peek()?.kind === 'text' ? readPrimary(cursor) : { ...at, kind: 'text', parts: [cursor.word()] }
      cursor.expect(':')
      properties.push({ ...at, key, value: readExpression(cursor) })
    }
    cursor.take(',')
  }
  return { ...place, kind: 'object', properties, resources }
}
