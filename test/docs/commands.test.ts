/** The parts of the commands on pages must exist: scripts, their options, charts and files. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, walk } from '../../scripts/floors.ts'
import { commandsIn, commandsOf, PAGES, read } from './pages.ts'

const { scripts, bin = {} }: { readonly scripts: { readonly [name: string]: string }; readonly bin?: object } = JSON.parse(
  read('package.json'),
)
/** Commands of npm itself, which need no script. */
const OF_NPM: ReadonlySet<string> = new Set(['ci', 'install'])
/** Words that the reader replaces. */
const PLACEHOLDER = /^[A-Z_]+$|^\.\.\.$|^NAME=value$/
/** Files that a command on the page makes before, or that the reader makes. */
const MADE = /^(\.local\/|dist\/|my\.yaml$|main\.json$)/

const all = PAGES.flatMap((page) => commandsOf(read(page)).map((command) => ({ page, command })))

describe('commands on pages', () => {
  it('are found', () => {
    expect(all.length).toBeGreaterThan(100)
    expect(commandsOf('1. x\n\n   ```\n   npm a\n   ```\n')).toEqual(['npm a'])
    expect(commandsOf('`npm ci && npm start`\n```\nhelm install \\\n  a b\n$ npm test # why\nok  all\n```\n```yaml\nnpm no\n```')).toEqual([
      'npm ci',
      'npm start',
      'helm install a b',
      'npm test',
    ])
    expect(commandsIn('x.md', '`npm a`\n```\nnpm b \\\n  c\nnpm d\n```\n').map(({ line, command }) => `${line} ${command}`)).toEqual([
      '1 npm a',
      '3 npm b c',
      '5 npm d',
    ])
  })

  it('of npm are scripts', () => expect(all.filter(({ command }) => nameOfScript(command) === undefined)).toEqual([]))

  it('of npm have options that their script reads', () => {
    const wrong = all.flatMap(({ page, command }) => unknownOptions(command).map((option) => `${page}: ${command}: ${option}`))
    expect(wrong).toEqual([])
    expect(unknownOptions('npm start -- --once --twice')).toEqual(['--twice'])
  })

  it('of Helm name charts and files that there are', () => {
    const words = all
      .filter(({ command }) => command.startsWith('helm '))
      .flatMap(({ page, command }) => pathsIn(command).map((path) => ({ page, path })))
    expect(words.length).toBeGreaterThan(2)
    expect(words.filter(({ path }) => !existsSync(join(repositoryRoot, path)))).toEqual([])
  })

  it('of other programs name files that there are', () => {
    const words = all
      .filter(({ command }) => /^(kubectl|node|bash|az|vitest|npx)\b/.test(command))
      .flatMap(({ page, command }) => pathsIn(command).map((path) => ({ page, path })))
    expect(words.filter(({ path }) => !existsSync(join(repositoryRoot, path)))).toEqual([])
    expect(pathsIn('bash .ci/run a/b/ /abs dev/x=1 https://a/b my.yaml --file infra/main.bicep')).toEqual(['.ci/run', 'infra/main.bicep'])
  })

  it('of joiner are commands that it has', () => {
    const asked = all.filter(({ command }) => /^npx joiner\b/.test(command))
    if (asked.length > 0) expect(bin).toHaveProperty('joiner')
  })
})

/** The name of the script or npm command. Empty if this is no npm command. Undefined if there is no such script. */
function nameOfScript(command: string): string | undefined {
  const [, name = ''] = /^npm (?:run )?(?:-s |--silent )?([a-z][\w:-]*)/.exec(command) ?? []
  if (!command.startsWith('npm ')) return ''
  return name in scripts || OF_NPM.has(name) ? name : undefined
}

/** The options after ` -- ` that no source in the folder of the script's file reads. */
function unknownOptions(command: string): readonly string[] {
  const [head = '', tail] = command.split(' -- ')
  const file = /node (\S+\.ts)/.exec(scripts[nameOfScript(head) ?? ''] ?? '')?.[1]
  if (tail === undefined || file === undefined) return []
  const folder = dirname(file)
  const sources = walk(join(repositoryRoot, folder), (name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).map((path) =>
    read(join(folder, path)),
  )
  const options = [...tail.matchAll(/(?:^|[ [])--([a-z][\w-]*)/g)].map(([, name = '']) => name)
  return options.filter((name) => name !== 'help' && !sources.some((text) => reads(text, name))).map((name) => `--${name}`)
}

/** Reports whether the source reads the option, as a key of `parseArgs` or with commander. */
function reads(source: string, option: string): boolean {
  return new RegExp(`'--${option}[ ']|^\\s*'?${option}'?: \\{`, 'm').test(source)
}

/** The words of the command that are paths of this repository. */
function pathsIn(command: string): readonly string[] {
  return command
    .split(/\s+/)
    .map((word) => word.replaceAll(/^["'[]|["'\]]$/g, '').replace(/^--[\w-]+=/, ''))
    .filter((word) => /^\.?[a-z][\w.-]*\/[\w./-]+[\w]$/.test(word) && !MADE.test(word) && !PLACEHOLDER.test(word))
    .filter((word) => existsSync(join(repositoryRoot, word.split('/')[0] ?? '')))
}
