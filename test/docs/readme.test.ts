import { describe, expect, it } from 'vitest'
import { read } from './pages.ts'
import { FAMILIES, README_COMMANDS, readmeCommands } from './readme.ts'

describe('the commands of the README', () => {
  it('are each run by something, and nothing is listed that it does not say', () => {
    const single = readmeCommands().filter((command) => !FAMILIES.some(({ pattern }) => pattern.test(command)))
    expect([...single].sort()).toEqual(Object.keys(README_COMMANDS).sort())
  })

  const suites = Object.entries(README_COMMANDS).flatMap(([command, runBy]) => (typeof runBy === 'string' ? [] : [{ command, ...runBy }]))
  it.each(suites)('$command is run by $suite', ({ suite, evidence }) => expect(read(suite)).toContain(evidence))

  it('of a family are played by its suite, as soon as there is one', () => {
    const met = FAMILIES.filter(({ pattern }) => readmeCommands().some((command) => pattern.test(command)))
    expect(met.filter(({ suite, evidence }) => !read(suite).includes(evidence))).toEqual([])
  })

  it('that no other suite runs are run by test/e2e/readme.test.ts', () => {
    const source = read('test/e2e/readme.test.ts')
    const own = Object.entries(README_COMMANDS).flatMap(([command, runBy]) => (typeof runBy === 'string' ? [command] : []))
    expect(own.length).toBeGreaterThan(4)
    expect(own.filter((command) => !source.includes(`'${command}'`))).toEqual([])
  })
})
