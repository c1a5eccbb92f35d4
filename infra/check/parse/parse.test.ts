import { describe, expect, it } from 'vitest'
import { parseFile } from './parseFile.ts'
import type { Expression } from './syntax.ts'
import { createTokenReader } from './tokens.ts'

const read = await createTokenReader()

/** Prints the expression with all the parentheses that precedence makes unnecessary. */
function shape(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return String(expression.value)
    case 'text':
      return `'${expression.parts.map((part) => (typeof part === 'string' ? part : `\${${shape(part)}}`)).join('')}'`
    case 'name':
      return expression.name
    case 'array':
      return `[${expression.items.map(shape).join(' ')}]`
    case 'object':
      return `{${expression.properties.map(({ key, value }) => `${shape(key)}:${shape(value)}`).join(' ')}}`
    case 'for':
      return `[for ${expression.item}${expression.index === undefined ? '' : `,${expression.index}`} in ${shape(expression.list)}: ${shape(expression.body)}]`
    case 'if':
      return `if ${shape(expression.condition)} ${shape(expression.body)}`
    case 'member':
      return `(${shape(expression.of)}${expression.isSafe ? '.?' : '.'}${expression.name})`
    case 'index':
      return `(${shape(expression.of)}[${expression.isSafe ? '?' : ''}${shape(expression.index)}])`
    case 'nested':
      return `(${shape(expression.of)}::${expression.name})`
    case 'sure':
      return `(${shape(expression.of)}!)`
    case 'unary':
      return `(${expression.operator}${shape(expression.of)})`
    case 'binary':
      return `(${shape(expression.left)} ${expression.operator} ${shape(expression.right)})`
    case 'choice':
      return `(${shape(expression.condition)} ? ${shape(expression.yes)} : ${shape(expression.no)})`
    case 'lambda':
      return `(${expression.parameters.join(',')} => ${shape(expression.body)})`
    case 'call':
      return `${expression.on === undefined ? '' : `${shape(expression.on)}.`}${expression.name}(${expression.given.map(shape).join(', ')})`
  }
}

function parsed(text: string): string {
  const [declaration] = parseFile(read, 'main.bicep', `var it = ${text}\n`).declarations
  if (declaration?.kind !== 'var') throw new Error('no variable')
  return shape(declaration.value)
}

describe('operators bind as Bicep says', () => {
  it.each([
    ['a == b.c', '(a == (b.c))'],
    ['a || b && c', '(a || (b && c))'],
    ['a && b || c', '((a && b) || c)'],
    ['!a.b', '(!(a.b))'],
    ['!a == b', '((!a) == b)'],
    ['a ?? b.c', '(a ?? (b.c))'],
    ['a ?? b ? c.d : e.f', '((a ?? b) ? (c.d) : (e.f))'],
    ['a ? b : c ? d : e', '(a ? b : (c ? d : e))'],
    ['a + b * c - d', '((a + (b * c)) - d)'],
    ['a < b == c', '((a < b) == c)'],
    ['a -1', '(a - 1)'],
    ['-a + 1', '((-a) + 1)'],
    ['f(a, b)[0].c', '((f(a, b)[0]).c)'],
    ['a!.b.?c[?0]', '((((a!).b).?c)[?0])'],
    ['a::b::c.id', '(((a::b)::c).id)'],
    ['map(a, x => x.b == c.d && e)', 'map(a, (x => (((x.b) == (c.d)) && e)))'],
    ['reduce(a, 0, (x, y) => x + y)', 'reduce(a, 0, (x,y => (x + y)))'],
    ['(a || b) && c', '((a || b) && c)'],
    ['[for (x, i) in y.z: x ?? -1]', '[for x,i in (y.z): (x ?? -1)]'],
    ['sys.concat(a)', 'sys.concat(a)'],
    ["{ a: 1, 'b-c': 2, '${d}': null }", "{'a':1 'b-c':2 '${d}':null}"],
  ])('%s', (text, expected) => {
    expect(parsed(text)).toBe(expected)
  })
})

describe('texts', () => {
  it.each([
    ["'plain'", "'plain'"],
    ["'it\\'s \\\\ \\$ \\u{41}'", "'it's \\ $ A'"],
    ["'${a} ${b}'", "'${a} ${b}'"],
    ["'${a == b.c ? 'x' : 'y'}'", "'${((a == (b.c)) ? 'x' : 'y')}'"],
    ["'''\nraw ${a} \\n'''", "'raw ${a} \\n'"],
    ["''", "''"],
    ["'https://${a}'", "'https://${a}'"],
  ])('%s', (text, expected) => {
    expect(parsed(text)).toBe(expected)
  })
})

describe('what is not understood is refused, with its line', () => {
  it.each([
    ['spread', 'var a = 1\nvar b = {\n  ...c\n}\n', 3, 'spread'],
    ['an extension', 'extension kubernetes\n', 1, 'extension'],
    ['resourceInput', "type t = resourceInput<'A/b@2020-01-01'>\n", 1, 'resourceInput'],
    ['a namespace import', "import * as t from 't.bicep'\n", 1, 'import'],
    ['a comment that the grammar sees in a text', "var a = 1\nvar b = '${a}//c'\n", 2, 'variable'],
    ['an assertion', 'assert a = true\n', 1, 'assert'],
    ['a missing brace', 'var a = {\n  b: 1\n', 2, 'b: 1'],
    ['a wrong escape', "var a = '\\q'\n", 1, ''],
    ['an unknown statement', 'variable a = 1\n', 1, ''],
    ['a type member', 'param a b.c\n', 1, 'name the type'],
  ])('%s', (_, text, line, words) => {
    expect(() => parseFile(read, 'main.bicep', text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(words), place: { file: 'main.bicep', line } }),
    )
  })

  it('a file of parameters', () => {
    expect(() => parseFile(read, 'main.bicepparam', "using 'main.bicep'\n")).toThrow('JSON')
  })
})
