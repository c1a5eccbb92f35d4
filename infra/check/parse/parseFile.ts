// Parses a whole file: its statements, one after the other.
import { type Cursor, createCursor } from './cursor.ts'
import { readDecorators } from './decorators.ts'
import { readExpression } from './expressions.ts'
import {
  type BicepFile,
  type Declaration,
  type Decorator,
  type Expression,
  type Import,
  type Place,
  Refusal,
  type ResourceDeclaration,
  type TypeSyntax,
} from './syntax.ts'
import { type ReadTokens, textOf } from './tokens.ts'
import { readType } from './types.ts'

/** Throws `Refusal` for a construct that the check does not understand. */
export function parseFile(read: ReadTokens, path: string, source: string): BicepFile {
  if (path.endsWith('.bicepparam')) throw new Refusal({ file: path, line: 1 }, '.bicepparam is not supported: use parameters in JSON')
  for (const [at, line] of source.split('\n').entries()) {
    const place = { file: path, line: at + 1 }
    if (/^\s*\.\.\./.test(line)) throw new Refusal(place, 'spread is not supported: use union()')
    if (/^[^'/]*'.*\}(\/\/|#)/.test(line))
      throw new Refusal(place, 'the grammar takes // or # after an interpolation for a comment: give that part of the text to a variable')
    if (/^\s*(extension|using|assert|test)\s/.test(line)) throw new Refusal(place, `"${line.trim().split(/\s/)[0]}" is not supported`)
    if (/\bresource(Input|Output)\s*</.test(line))
      throw new Refusal(place, 'resourceInput<> and resourceOutput<> are not supported: name the type')
  }
  const cursor = createCursor(path, read(path, source))
  const imports: Import[] = []
  const declarations: Declaration[] = []
  let targetScope = 'resourceGroup'
  while (cursor.peek() !== undefined) {
    const decorators = readDecorators(cursor)
    if (cursor.isAt('import')) imports.push(readImport(cursor))
    else if (cursor.take('targetScope')) {
      cursor.expect('=')
      targetScope = plain(cursor)
    } else if (cursor.take('metadata')) {
      cursor.word()
      cursor.expect('=')
      readExpression(cursor)
    } else declarations.push(readDeclaration(cursor, decorators))
  }
  return { path, targetScope, imports, declarations }
}

function plain(cursor: Cursor): string {
  const place = cursor.place()
  const text = textOf(cursor.next())
  if (text === undefined) throw new Refusal(place, 'a text without interpolation was expected')
  return text
}

function readImport(cursor: Cursor): Import {
  const place = cursor.place()
  cursor.expect('import')
  const names: { name: string; alias: string }[] = []
  if (!cursor.take('{')) throw new Refusal(place, 'only `import { name } from file` is supported: name what is used')
  while (!cursor.take('}')) {
    const name = cursor.word()
    names.push({ name, alias: cursor.take('as') ? cursor.word() : name })
    cursor.take(',')
  }
  cursor.expect('from')
  return { ...place, names, path: plain(cursor) }
}

function readDeclaration(cursor: Cursor, decorators: readonly Decorator[]): Declaration {
  const place = cursor.place()
  const keyword = cursor.peek()?.text ?? ''
  if (keyword === 'resource') return readResource(cursor, decorators)
  const read = Object.hasOwn(READERS, keyword) ? READERS[keyword] : undefined
  if (read === undefined) throw new Refusal(place, `a statement cannot begin with "${keyword}"`)
  cursor.next()
  return read(cursor, { ...place, name: cursor.word(), decorators })
}

type Declared = Place & { readonly name: string; readonly decorators: readonly Decorator[] }

/** Readers of the text that follows the name of a declaration, by keyword. */
const READERS: { readonly [keyword: string]: (cursor: Cursor, declared: Declared) => Declaration } = {
  param: (cursor, declared) => {
    const type = readType(cursor)
    return { ...declared, kind: 'param', type, fallback: cursor.take('=') ? readExpression(cursor) : undefined }
  },
  var: (cursor, declared) => ({ ...declared, kind: 'var', value: readAssigned(cursor) }),
  output: (cursor, declared) => ({ ...declared, kind: 'output', type: readType(cursor), value: readAssigned(cursor) }),
  type: (cursor, declared) => {
    cursor.expect('=')
    return { ...declared, kind: 'type', type: readType(cursor) }
  },
  module: (cursor, declared) => ({ ...declared, kind: 'module', path: plain(cursor), body: readAssigned(cursor) }),
  func: (cursor, declared) => {
    const parameters: { name: string; type: TypeSyntax }[] = []
    cursor.expect('(')
    while (!cursor.take(')')) {
      parameters.push({ name: cursor.word(), type: readType(cursor) })
      cursor.take(',')
    }
    const returns = readType(cursor)
    cursor.expect('=>')
    return { ...declared, kind: 'func', parameters, returns, body: readExpression(cursor) }
  },
}

function readAssigned(cursor: Cursor): Expression {
  cursor.expect('=')
  return readExpression(cursor)
}

function readResource(cursor: Cursor, before?: readonly Decorator[]): ResourceDeclaration {
  const decorators = before ?? readDecorators(cursor)
  const place = cursor.place()
  cursor.expect('resource')
  const name = cursor.word()
  const type = plain(cursor)
  const isExisting = cursor.take('existing')
  cursor.expect('=')
  return { ...place, kind: 'resource', name, decorators, type, isExisting, body: readExpression(cursor, readResource) }
}
