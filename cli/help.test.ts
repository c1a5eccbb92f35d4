/** Help texts name defaults and exit codes in plain words. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const MAIN = join(import.meta.dirname, 'main.ts')
const commands = [...readFileSync(MAIN, 'utf8').matchAll(/^ {2}(\w+): \{$/gm)].map(([, name = '']) => name)
const PHRASES = [/nothing is said/i, /what it was asked/, /\bwhoever\b/, /\bIt ends with\b/, /\bin the way\b/]

describe('joiner COMMAND --help', () => {
  it('is there for every command', () => expect(commands.length).toBeGreaterThan(4))

  it.each(commands)('%s says its exit codes, and its defaults as "default: X"', (command) => {
    const { status, stdout } = spawnSync(process.execPath, [MAIN, command, '--help'], { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Exit codes: 0 .+, 1 .+, 2 wrong arguments\.$/m)
    expect(PHRASES.filter((phrase) => phrase.test(stdout))).toEqual([])
  })
})
