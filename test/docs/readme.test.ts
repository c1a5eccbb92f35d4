import { describe, expect, it } from 'vitest'
import { commandsOf, read } from './pages.ts'
import { FAMILIES, README_COMMANDS, readmeCommands } from './readme.ts'

describe('the commands of the README', () => {
  it('are each run by something, and nothing is listed that it does not say', () => {
    const single = readmeCommands().filter((command) => !FAMILIES.some(({ pattern }) => pattern.test(command)))
    expect([...single].sort()).toEqual(Object.keys(README_COMMANDS).sort())
  })

  const suites = Object.entries(README_COMMANDS).flatMap(([command, runBy]) => (typeof runBy === 'string' ? [] : [{ command, ...runBy }]))
  it.each(suites)('$command is run by $suite', ({ suite, evidence }) => expect(read(suite)).toContain(evidence))

  it('are run by tests, or by CI', () => {
    const runBy = [...suites, ...FAMILIES].map(({ suite }) => suite)
    expect(runBy.filter((suite) => suite !== '.ci/run' && !suite.endsWith('.test.ts'))).toEqual([])
  })

  it('of a family are played by its suite, as soon as there is one', () => {
    const met = FAMILIES.filter(({ pattern }) => readmeCommands().some((command) => pattern.test(command)))
    expect(met.filter(({ suite, evidence }) => !read(suite).includes(evidence))).toEqual([])
  })

  it('that install and remove Joiner are those of the pages that say more', () => {
    const azd = readmeCommands().filter((command) => /^(azd|az) /.test(command))
    const pages = ['docs/install.md', 'docs/uninstall.md'].flatMap((page) => commandsOf(read(page)))
    expect(azd.filter((command) => !pages.includes(command))).toEqual([])
    expect(azd).toContain('azd up')
    expect(azd).toContain('azd down')
    const first = (page: string): readonly string[] => commandsOf(read(page)).filter((command) => /^azd (env|up)/.test(command))
    expect(first('README.md').slice(0, 3)).toEqual(first('docs/install.md').slice(0, 3))
    const variables = [...read('README.md').matchAll(/`?(JOINER_[A-Z_]+)/g)].map(([, name = '']) => name)
    expect(variables.filter((name) => !read('docs/install.md').includes(`| \`${name}\` |`))).toEqual([])
    expect(new Set(variables).size).toBeGreaterThan(1)
  })

  it('that no other suite runs are run by test/e2e/readme.test.ts', () => {
    const source = read('test/e2e/readme.test.ts')
    const own = Object.entries(README_COMMANDS).flatMap(([command, runBy]) => (typeof runBy === 'string' ? [command] : []))
    expect(own.length).toBeGreaterThan(4)
    expect(own.filter((command) => !source.includes(`'${command}'`))).toEqual([])
  })
})
