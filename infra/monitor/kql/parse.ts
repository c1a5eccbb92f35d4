// Parses the part of Kusto's language that the queries here use. Throws for everything else.
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  /** A path of names: `Properties.sku`. */
  | { readonly kind: 'path'; readonly names: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'in'; readonly value: Expression; readonly list: readonly Expression[] }
  | { readonly kind: 'star' }

/** An expression with its name. `name` is undefined if the query gives none. */
export type Named = { readonly name: string | undefined; readonly expression: Expression }

export type Operator =
  | { readonly kind: 'where'; readonly condition: Expression }
  | { readonly kind: 'extend' | 'project'; readonly columns: readonly Named[] }
  | { readonly kind: 'summarize'; readonly columns: readonly Named[]; readonly by: readonly Named[] }
  | { readonly kind: 'order'; readonly column: string; readonly isDescending: boolean }

export type Query = { readonly table: string; readonly operators: readonly Operator[] }

const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?(?:ms|s|m|h|d)?\b|[A-Za-z_]\w*|==|!=|>=|<=|[-+*/<>(),.=]/y
const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Binding strength of the operators. */
const BINARY: { readonly [operator: string]: number } = {
  or: 1,
  and: 2,
  '==': 3,
  '!=': 3,
  '>': 3,
  '<': 3,
  '>=': 3,
  '<=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
}
const IN_STRENGTH = 3

export function parseQuery(text: string): Query {
  const [first = '', ...rest] = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('//'))
    .map((line) => line.trim())
  if (!/^App\w+$/.test(first)) throw new Error(`a query begins with a table, not with ${first}`)
  return { table: first, operators: rest.map(operatorOf) }
}

function operatorOf(line: string): Operator {
  const [, kind = '', rest = ''] = /^\| (\w+) (.*)$/.exec(line) ?? []
  const cursor: Cursor = { text: rest, tokens: kind === 'order' ? [] : tokensOf(rest), at: 0 }
  const operator = operatorBegun(kind, cursor)
  if (cursor.at < cursor.tokens.length) throw strange(cursor)
  return operator
}

function operatorBegun(kind: string, cursor: Cursor): Operator {
  switch (kind) {
    case 'order':
      return orderOf(cursor.text)
    case 'where':
      return { kind, condition: expressionAt(cursor) }
    case 'extend':
    case 'project':
      return { kind, columns: listAt(cursor) }
    case 'summarize':
      return { kind, columns: listAt(cursor), by: takes(cursor, 'by') ? listAt(cursor) : [] }
    default:
      throw new Error(`operator ${kind} is not understood: ${cursor.text}`)
  }
}

function orderOf(text: string): Operator {
  const [, column = '', direction] = /^by (\w+) (asc|desc)$/.exec(text) ?? []
  if (direction === undefined) throw new Error(`order is not understood: ${text}`)
  return { kind: 'order', column, isDescending: direction === 'desc' }
}

/** A line, and the position of its next token. */
type Cursor = { readonly text: string; readonly tokens: readonly string[]; at: number }

const strange = ({ text, tokens, at }: Cursor): Error => new Error(`"${tokens.slice(at).join(' ')}" is not understood in: ${text}`)

function takes(cursor: Cursor, token: string): boolean {
  if (cursor.tokens[cursor.at] !== token) return false
  cursor.at += 1
  return true
}

function expect(cursor: Cursor, token: string): void {
  if (!takes(cursor, token)) throw new Error(`${token} is missing before "${cursor.tokens.slice(cursor.at).join(' ')}" of: ${cursor.text}`)
}

function next(cursor: Cursor): string {
  cursor.at += 1
  return cursor.tokens[cursor.at - 1] ?? ''
}

function listAt(cursor: Cursor): readonly Named[] {
  const items: Named[] = []
  do items.push(namedAt(cursor))
  while (takes(cursor, ','))
  return items
}

function namedAt(cursor: Cursor): Named {
  const [name = '', sign] = cursor.tokens.slice(cursor.at)
  if (sign !== '=' || !/^[A-Za-z_]/.test(name)) return { name: undefined, expression: expressionAt(cursor) }
  cursor.at += 2
  return { name, expression: expressionAt(cursor) }
}

/** Reads an expression, with operators that bind more tightly than `strength`. */
function expressionAt(cursor: Cursor, strength = 0): Expression {
  let left = primaryAt(cursor)
  for (;;) {
    const operator = cursor.tokens[cursor.at] ?? ''
    const own = operator === 'in' ? IN_STRENGTH : BINARY[operator]
    if (own === undefined || own <= strength) return left
    cursor.at += 1
    if (operator === 'in') {
      expect(cursor, '(')
      left = { kind: 'in', value: left, list: argumentsAt(cursor) }
    } else left = { kind: 'binary', operator, left, right: expressionAt(cursor, own) }
  }
}

/** Reads arguments up to the closing bracket. */
function argumentsAt(cursor: Cursor): readonly Expression[] {
  const args: Expression[] = []
  if (takes(cursor, ')')) return args
  do args.push(expressionAt(cursor))
  while (takes(cursor, ','))
  expect(cursor, ')')
  return args
}

function primaryAt(cursor: Cursor): Expression {
  const token = next(cursor)
  if (token === '(') {
    const inner = expressionAt(cursor)
    expect(cursor, ')')
    return inner
  }
  if (token === '*') return { kind: 'star' }
  if (token.startsWith('"')) return { kind: 'literal', value: token.slice(1, -1).replaceAll(/\\(.)/g, '$1') }
  if (/^\d/.test(token)) return { kind: 'literal', value: numberOf(token) }
  if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' }
  if (/^[A-Za-z_]/.test(token)) return nameAt(cursor, token)
  cursor.at -= 1
  throw strange(cursor)
}

function nameAt(cursor: Cursor, name: string): Expression {
  if (takes(cursor, '(')) return { kind: 'call', name, args: argumentsAt(cursor) }
  const names = [name]
  while (takes(cursor, '.')) names.push(next(cursor))
  return { kind: 'path', names }
}

/** Returns the value of a number. Durations are in milliseconds. */
function numberOf(token: string): number {
  const [, digits = '', unit] = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(token) ?? []
  return Number(digits) * (unit === undefined || unit === '' ? 1 : (UNITS[unit] ?? Number.NaN))
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex
    const [token] = TOKEN.exec(text) ?? []
    if (token === undefined) throw new Error(`"${text.slice(from)}" is not understood in: ${text}`)
    if (token.trim() !== '') tokens.push(token)
  }
  return tokens
}
