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
    line: text.slice(0, index).split('\n').length,
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm

/** Programs whose commands the tests check. Other lines are pictures and output. */
const PROGRAM = /^(npm|npx|node|bash|helm|kubectl|azd|az|vitest)\b/

/** The commands of a page, in blocks and in inline code, one program each. A line that ends with a backslash continues on the next line. */
export function commandsOf(text: string): readonly string[] {
  const inBlocks = blocksOf('', text)
    .filter(({ language }) => ['', 'bash', 'sh'].includes(language))
    .flatMap(({ text: body }) => body.replaceAll(/\\\n\s*/g, '').split('\n'))
  const prose = text.replaceAll(FENCE, '')
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...inBlocks, ...inline]
    .flatMap((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/ +# .*$/, '')
        .split(/ && |; /),
    )
    .map((line) => line.trim().replace(/^(?:\w+=\S+ )+/, ''))
    .filter((line) => PROGRAM.test(line))
}
