import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { repositoryRoot } from './floors.ts'

const folder = mkdtempSync(join(tmpdir(), 'joiner-npm-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A lock file as npm of another version may have written it. */
const LOCK = JSON.stringify({ name: 'p', version: '1.0.0', lockfileVersion: 3, requires: true, packages: { '': { name: 'p' } } })

/** Runs npm as azd 1.31 does before each hook in TypeScript (cli/azd/pkg/tools/node/node.go). Returns the lock file. */
function lockAfterInstall(name: string, hasSettings: boolean): string {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'p', version: '1.0.0', bin: { p: 'p.js' } }))
  writeFileSync(join(project, 'package-lock.json'), LOCK)
  if (hasSettings) copyFileSync(join(repositoryRoot, '.npmrc'), join(project, '.npmrc'))
  const env = { PATH: process.env['PATH'], HOME: folder, npm_config_offline: 'true', npm_config_update_notifier: 'false' }
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: project,
    env,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  return readFileSync(join(project, 'package-lock.json'), 'utf8')
}

describe('npm install, which azd runs before each hook', () => {
  it('leaves the lock file as it is', () => expect(lockAfterInstall('with', true)).toBe(LOCK))

  it('would write it anew without .npmrc', () => expect(lockAfterInstall('without', false)).not.toBe(LOCK))
})

const FIELDS = [
  'name',
  'version',
  'license',
  'bin',
  'engines',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'workspaces',
] as const
const manifest = z.looseObject({})
const lock = z.object({ packages: z.looseObject({ '': manifest }) })

describe('package-lock.json', () => {
  it('has the fields of package.json that npm copies into it', () => {
    const read = (file: string): unknown => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'))
    const [own, locked] = [manifest.parse(read('package.json')), lock.parse(read('package-lock.json')).packages['']]
    for (const field of FIELDS) expect([field, locked[field]]).toEqual([field, own[field]])
  })
})
