import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot, walk } from '../../scripts/floors.ts'

export type Block = { readonly page: string; readonly line: number; readonly language: string; readonly text: string }

/** The pages for people who install, run or change Joiner. The changelog is left out: it is about earlier versions. */
export const PAGES: readonly string[] = walk(repositoryRoot, (name) => name.endsWith('.md')).filter((page) => page !== 'CHANGELOG.md')

export const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')

/** The fenced blocks of a page, also those in lists, with the line number of each. */
export function blocksOf(page: string, text: string): readonly Block[] {
  return [...text.matchAll(FENCE)].map(({ index, 1: indent = '', 2: language = '', 3: body = '' }) => ({
    page,
    line: lineAt(text, index),
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm

/** Programs whose commands the tests check. Other lines are pictures and output. */
const PROGRAM = /^(npm|npx|node|bash|helm|kubectl|azd|az|vitest|sha256sum)\b/

/** A command in a block is one to type. A command in inline code may be a mention. */
export type PageCommand = { readonly page: string; readonly line: number; readonly inBlock: boolean; readonly command: string }

/** The commands of a page in its order, in blocks and in inline code, one program each. A line that ends with a backslash continues on the next line. */
export function commandsIn(page: string, text: string): readonly PageCommand[] {
  const inBlocks = blocksOf(page, text)
    .filter(({ language }) => ['', 'bash', 'sh'].includes(language))
    .flatMap(({ line, text: body }) => wholeLines(body).map(({ at, code }) => ({ line: line + 1 + at, inBlock: true, code })))
  const prose = text.replaceAll(FENCE, (block) => block.replaceAll(/[^\n]/g, ' '))
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(({ index, 1: code = '' }) => ({ line: lineAt(text, index), inBlock: false, code }))
  return [...inBlocks, ...inline]
    .sort((first, second) => first.line - second.line)
    .flatMap(({ line, inBlock, code }) => programsOf(code).map((command) => ({ page, line, inBlock, command })))
}

export const commandsOf = (text: string): readonly string[] => commandsIn('', text).map(({ command }) => command)

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

function wholeLines(body: string): readonly { readonly at: number; readonly code: string }[] {
  const lines: { at: number; code: string }[] = []
  let continues = false
  for (const [at, line] of body.split('\n').entries()) {
    const code = line.replace(/\\$/, '')
    const last = continues ? lines.at(-1) : undefined
    if (last === undefined) lines.push({ at, code })
    else last.code += code.trimStart()
    continues = code !== line
  }
  return lines
}

function programsOf(line: string): readonly string[] {
  return line
    .replace(/^\$ /, '')
    .replace(/ +# .*$/, '')
    .split(/ && |; /)
    .map((part) => part.trim().replace(/^(?:\w+=\S+ )+/, ''))
    .filter((part) => PROGRAM.test(part))
}
