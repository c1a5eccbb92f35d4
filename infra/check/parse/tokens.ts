// The tokens of a Bicep file, read by the tree-sitter grammar. The grammar decides what is valid Bicep. How operators bind is decided in
// expressions.ts, because the grammar binds `a == b.c` as `(a == b).c`.
import { createRequire } from 'node:module'
import { Language, type Node, Parser } from 'web-tree-sitter'
import { Refusal } from './syntax.ts'

export type Token = {
  readonly kind: 'word' | 'number' | 'sign' | 'text'
  readonly text: string
  readonly line: number
  /** True for the first token of a line. */
  readonly startsLine: boolean
  /** For a text: its parts, without quotes and with escapes resolved. */
  readonly parts: readonly (string | readonly Token[])[]
}

/** Reads the tokens of a file. Throws `Refusal` for a text that is not Bicep or is not supported. */
export type ReadTokens = (path: string, source: string) => readonly Token[]

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", $: '$' }

/** Loads the grammar. */
export async function createTokenReader(): Promise<ReadTokens> {
  await Parser.init()
  const language = await Language.load(createRequire(import.meta.url).resolve('tree-sitter-bicep/tree-sitter-bicep.wasm'))
  return (path, source) => {
    const parser = new Parser()
    parser.setLanguage(language)
    const tree = parser.parse(source)
    try {
      if (tree === null) throw new Refusal({ file: path, line: 1 }, 'the file cannot be parsed')
      refuseErrors(path, source, tree.rootNode)
      return tokensOf(path, source, tree.rootNode)
    } finally {
      tree?.delete()
      parser.delete()
    }
  }
}

function refuseErrors(path: string, source: string, root: Node): void {
  if (!root.hasError) return
  const wrong = firstError(root) ?? root
  const line = wrong.startPosition.row + 1
  const text = source.split('\n')[line - 1]?.trim() ?? ''
  throw new Refusal({ file: path, line }, `cannot be parsed near "${text.slice(0, 80)}"`)
}

function firstError(node: Node): Node | undefined {
  if (node.isError || node.isMissing) return node
  for (const child of node.children) {
    const found = child.hasError || child.isMissing ? firstError(child) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function tokensOf(path: string, source: string, root: Node): readonly Token[] {
  const tokens: Token[] = []
  let lastLine = 0
  const walk = (node: Node): void => {
    if (node.type === 'comment' || node.type === 'diagnostic_comment') return
    // The keyword `string` has this type too, but as an unnamed node.
    const isText = node.type === 'string' && node.isNamed
    if (!isText && node.childCount > 0) {
      for (const child of node.children) walk(child)
      return
    }
    const text = node.text.trim()
    if (text === '' || node.endIndex === node.startIndex) return
    const line = node.startPosition.row + 1
    const startsLine = line !== lastLine
    lastLine = node.endPosition.row + 1
    if (isText) tokens.push({ kind: 'text', text: '', line, startsLine, parts: partsOf(path, source, node) })
    else tokens.push({ kind: kindOf(text), text, line, startsLine, parts: [] })
  }
  walk(root)
  return tokens
}

function kindOf(text: string): Token['kind'] {
  if (/^-?[0-9]+$/.test(text)) return 'number'
  return /^[a-zA-Z_]/.test(text) ? 'word' : 'sign'
}

/** Returns the parts of a text, cut from the source itself, because the grammar loses blanks between two interpolations. */
function partsOf(path: string, source: string, node: Node): Token['parts'] {
  const line = node.startPosition.row + 1
  const place = { file: path, line }
  if (source.startsWith("'''", node.startIndex)) {
    return [source.slice(node.startIndex + 3, node.endIndex - 3).replace(/^\r?\n/, '')]
  }
  const parts: (string | readonly Token[])[] = []
  let from = node.startIndex + 1
  for (const child of node.children) {
    if (child.type !== 'interpolation') continue
    const start = source.indexOf('${', child.startIndex)
    parts.push(unescape(place, source.slice(from, start)))
    parts.push(tokensOf(path, source, child).slice(1, -1))
    from = child.endIndex
  }
  parts.push(unescape(place, source.slice(from, node.endIndex - 1)))
  return parts.filter((part) => part !== '')
}

function unescape(place: { readonly file: string; readonly line: number }, raw: string): string {
  return raw.replace(/\\(u\{([0-9a-fA-F]+)\}|.)/gs, (whole, sign: string, code: string | undefined) => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
    const known = ESCAPES[sign]
    if (known === undefined) throw new Refusal(place, `no such escape: ${whole}`)
    return known
  })
}

/** Returns the content of a text token. Undefined if it has an interpolation. */
export function textOf(token: Token): string | undefined {
  const parts = token.parts.flatMap((part) => (typeof part === 'string' ? [part] : []))
  return token.kind === 'text' && parts.length === token.parts.length ? parts.join('') : undefined
}
