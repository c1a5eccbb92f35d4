import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { findOnPath } from '../local/findOnPath.ts'
import { repositoryRoot } from '../scripts/floors.ts'

const folder = mkdtempSync(join(tmpdir(), 'joiner-bin-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { bin } = z
  .object({ bin: z.object({ joiner: z.string() }) })
  .parse(JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')))
const PROGRAM = join(repositoryRoot, bin.joiner)
const OLD = '--no-experimental-strip-types'

function run(args: readonly string[], node = process.execPath) {
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: folder, env: { PATH: process.env['PATH'] }, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('the program of the package', () => {
  it('can be started, since npm links to it', () => {
    expect(statSync(PROGRAM).mode & 0o111).toBe(0o111)
    expect(readFileSync(PROGRAM, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  it.each([
    ['one that runs TypeScript', []],
    ['one that runs none', [OLD]],
  ])('prints its commands, and ends as they do, with a Node of this kind: %s', (_, flags) => {
    expect(run([...flags, PROGRAM])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^npx joiner COMMAND\n/) })
    expect(run([...flags, PROGRAM, 'nothing'])).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no command nothing') })
  })

  // The Node of the machine runs the command, too. Its version does not matter.
  const path = (process.env['PATH'] ?? '').split(':').filter((each) => !each.includes('node_modules'))
  const own = findOnPath('node', path.join(':'))
  it.skipIf(own === undefined)(
    `prints its commands with the Node of the machine${own === undefined ? ' (skipped: it has none)' : ''}`,
    () => {
      expect(run([PROGRAM], own)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^npx joiner COMMAND\n/) })
    },
  )

  it('says what is missing where no Node can run it', () => {
    mkdirSync(join(folder, 'cli'))
    copyFileSync(PROGRAM, join(folder, 'cli', 'joiner.mjs'))
    const { status, stderr } = run([OLD, join(folder, 'cli', 'joiner.mjs')])
    expect(status).toBe(1)
    expect(stderr).toBe(`joiner needs Node 22.18 or newer, and this is ${process.version}; install it, or run npm ci in ${folder}/\n`)
  })
})
