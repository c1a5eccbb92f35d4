import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, sourceFiles, walk } from '../../scripts/floors.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')

/** The words in the first column of the glossary's last table. */
function retiredWords(glossary: string): readonly string[] {
  const table = glossary.slice(glossary.indexOf('## Words that were given up'))
  return [...table.matchAll(/^\| `([a-z ]+)` \|/gm)].map((match) => match[1] ?? '')
}

/** A pattern that finds the words and their plurals, also across line breaks. `is going on` and the like have another meaning and do not count. */
function finder(words: readonly string[]): RegExp {
  const phrases = words.map((word) => word.replaceAll(' ', String.raw`\s+`))
  return new RegExp(String.raw`\b(${phrases.join('|')})s?\b(?! (?:on|to|first|below)\b)`, 'i')
}

function partsOf(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
}

function exportedNames(source: string): readonly string[] {
  return [...source.matchAll(/^export (?:async )?(?:const|function|type|interface|class) (\w+)/gm)].map((match) => match[1] ?? '')
}

/** The comments that stand on lines of their own, without the comment signs. */
function commentsIn(source: string): string {
  const lines = source.split('\n').filter((line) => /^\s*(\/\/|\/\*\*?|\*)/.test(line))
  return lines.map((line) => line.replace(/^\s*(\/\/|\/\*\*?|\*\/?)/, '')).join('\n')
}

/** The words of the messages that the work queue replaced. Keys are added, run and requeued. */
const OF_MESSAGES = ['hint', 'chain', 'doorbell', 'ring', 'rang', 'wish', 'a look', 'the look', 'next look', 'last look', 'each look']

describe('words that were given up', () => {
  const retired = finder(retiredWords(read('docs/glossary.md')))

  it('are those of the glossary', () => {
    expect(retiredWords(read('docs/glossary.md'))).toEqual(expect.arrayContaining(['occasion', 'is going', 'census']))
  })

  it('are found in names, in plurals and over a line break', () => {
    expect(['takeOccasion', 'isGoing', 'FAIR_PRICES'].filter((name) => retired.test(partsOf(name)))).toHaveLength(3)
    expect(retired.test('the sensors\nof a cluster')).toBe(true)
    expect(retired.test('a claim that is\n going, or gone')).toBe(true)
    expect(retired.test('the work is going on')).toBe(false)
  })

  it('are in no exported name and in no comment', () => {
    const files = sourceFiles(repositoryRoot).filter((file) => !file.startsWith('test/architecture/'))
    const found = files.flatMap((file) => {
      const source = read(file)
      const names = exportedNames(source).filter((name) => retired.test(partsOf(name)))
      const said = retired.exec(commentsIn(source))?.[0]
      return [...names, ...(said === undefined ? [] : [said])].map((word) => `${file}: ${word}`)
    })
    expect(files.length).toBeGreaterThan(1_000)
    expect(found).toEqual([])
  })

  it('of messages are in no name, comment or test of the queue and its functions', () => {
    const given = finder(OF_MESSAGES)
    const files = sourceFiles(repositoryRoot).filter((file) => /^(functions|shared\/flows\/queue)\//.test(file))
    const found = files.flatMap((file) => {
      const titles = [...read(file).matchAll(/\b(?:it|describe)\('([^']*)'/g)].map((match) => match[1] ?? '')
      const said = [partsOf(file), ...exportedNames(read(file)).map(partsOf), ...titles, commentsIn(read(file))]
      return said.flatMap((text) => (given.exec(text) ?? []).slice(0, 1)).map((word) => `${file}: ${word}`)
    })
    expect(files.length).toBeGreaterThan(50)
    expect(found).toEqual([])
  })

  it('are on no page', () => {
    const pages = walk(repositoryRoot, (name) => name.endsWith('.md')).filter((page) => !/^(CHANGELOG|docs\/glossary)\.md$/.test(page))
    const found = pages.flatMap((page) => (retired.exec(read(page)) ?? []).slice(0, 1).map((word) => `${page}: ${word}`))
    expect(pages).toContain('docs/architecture.md')
    expect(found).toEqual([])
  })
})
