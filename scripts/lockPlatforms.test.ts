import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../test/architecture/temporaryTree.ts'
import { integrityOf, type LockEntry, lockGate, missingEntries, platformOf, problemsOf, unchecked, withIntegrity } from './lockPlatforms.ts'

describe('platformOf', () => {
  it.each([
    ['@oxlint/binding-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    ['@swc/core-linux-arm64-gnu', { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] }],
    ['@swc/core-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
    ['@biomejs/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
    // Parts of a name that mean a C library on Linux only.
    ['@rollup/rollup-win32-x64-gnu', { os: ['win32'], cpu: ['x64'] }],
    ['fsevents', {}],
  ])('%s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform)
  })
})

describe('missingEntries', () => {
  const tool = { version: '1.0.0', dev: true, optionalDependencies: { 'tool-darwin-x64': '1.0.0', 'tool-linux-x64': '1.0.0' } }

  it('names what the lock lacks, with the version that is asked for', () => {
    const packages = { 'node_modules/tool': tool, 'node_modules/tool-linux-x64': { version: '1.0.0' } }
    expect(missingEntries(packages)).toEqual({
      'node_modules/tool-darwin-x64': { version: '1.0.0', dev: true, optional: true, os: ['darwin'], cpu: ['x64'] },
    })
  })

  it('knows an entry nested under its dependent', () => {
    const nested = { version: '1.0.0' }
    const packages = {
      'node_modules/tool': tool,
      'node_modules/tool/node_modules/tool-darwin-x64': nested,
      'node_modules/tool-linux-x64': nested,
    }
    expect(missingEntries(packages)).toEqual({})
  })
})

describe('unchecked', () => {
  const integrity = `sha512-${'a'.repeat(86)}==`

  it.each<[string, LockEntry, 'here' | 'elsewhere' | 'nowhere']>([
    ['a package with a checksum', { version: '1.0.0', integrity }, 'nowhere'],
    ['a link', { link: true }, 'nowhere'],
    ['a package without one', { version: '1.0.0' }, 'here'],
    ['a checksum that is too weak', { version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'here'],
    ['a tool for the platform that is built on', { dev: true, optional: true, os: ['linux'], cpu: ['x64'], libc: ['glibc'] }, 'here'],
    ['a tool for any processor of it', { dev: true, optional: true, os: ['linux'] }, 'here'],
    ['a tool for the other processor of AKS', { dev: true, optional: true, os: ['linux'], cpu: ['arm64'] }, 'here'],
    ['a tool for another system', { dev: true, optional: true, os: ['darwin'], cpu: ['x64'] }, 'elsewhere'],
    ['a tool for another C library', { dev: true, optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] }, 'elsewhere'],
    ['a binary for another system that ships', { optional: true, os: ['darwin'], cpu: ['x64'] }, 'here'],
  ])('%s', (_, entry, where) => {
    const { here, elsewhere } = unchecked({ '': {}, 'node_modules/x': entry })
    expect(here.length > 0 ? 'here' : elsewhere.length > 0 ? 'elsewhere' : 'nowhere').toBe(where)
  })
})

describe('a lock file', () => {
  const integrity = `sha512-${'a'.repeat(86)}==`
  const foreign: LockEntry = { version: '1.0.0', dev: true, optional: true, os: ['darwin'] }
  const whole: LockEntry = { version: '1.0.0', integrity }

  it.each([
    { name: 'is whole', packages: { 'node_modules/x': whole }, allowed: 0, says: [] },
    { name: 'has as many unchecked binaries as it may', packages: { 'node_modules/x': foreign }, allowed: 1, says: [] },
    { name: 'has more', packages: { 'node_modules/x': foreign, 'node_modules/y': foreign }, allowed: 1, says: [/^2 .* 1; .*not rise/] },
    { name: 'has fewer', packages: { 'node_modules/x': whole }, allowed: 1, says: [/^0 .* 1; lower/] },
    { name: 'has no checksum', packages: { 'node_modules/x': { version: '1.0.0' } }, allowed: 0, says: [/checksum .* node_modules\/x;/] },
    {
      name: 'lacks a platform',
      packages: { 'node_modules/x': { ...whole, optionalDependencies: { y: '1' } } },
      allowed: 0,
      says: [/lacks node_modules\/y;/],
    },
  ])('that $name is said to', ({ packages, allowed, says }) => {
    expect(problemsOf(packages, allowed)).toEqual(says.map((text) => expect.stringMatching(text)))
  })

  it('gets the checksums that the registry has', () => {
    const packages = {
      '': {},
      'node_modules/have': whole,
      'node_modules/here': { version: '2' },
      'node_modules/there': foreign,
      'node_modules/none': { version: '3' },
      'node_modules/odd': {},
    }
    const asked: string[] = []
    const found = withIntegrity(packages, (path, version) => {
      asked.push(`${path} ${version}`)
      return path.endsWith('none') ? undefined : integrity
    })
    expect(asked.sort()).toEqual(['node_modules/here 2', 'node_modules/none 3', 'node_modules/there 1.0.0'])
    expect(found).toEqual({
      ...packages,
      'node_modules/here': { version: '2', integrity },
      'node_modules/there': { ...foreign, integrity },
    })
  })
})

describe('the registry', () => {
  const npm = (status: number | null, stdout: string) => {
    const asked: string[] = []
    const says = integrityOf('node_modules/a/node_modules/@b/c', '1.2.3', (args) => {
      asked.push(args.join(' '))
      return { status, stdout }
    })
    return { says, asked }
  }

  it('is asked for a package as npm names it', () => {
    expect(npm(0, 'sha512-x\n')).toEqual({ says: 'sha512-x', asked: ['view @b/c@1.2.3 dist.integrity'] })
  })

  it.each([
    ['has no such package', 1, 'npm error 404'],
    ['has it without a checksum', 0, '\n'],
    ['cannot be asked', null, ''],
  ])('%s: there is no checksum', (_, status, stdout) => expect(npm(status, stdout).says).toBeUndefined())
})

describe('the gate of the lock file', () => {
  const integrity = `sha512-${'a'.repeat(86)}==`

  function gate(packages: Readonly<Record<string, LockEntry>>, uncheckedBinaries = 0) {
    const root = temporaryTree({
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
      'ratchet.json': JSON.stringify({ uncheckedBinaries }),
    })
    const lines: string[] = []
    return {
      run: (writes: boolean) => lockGate(root, writes, { ask: () => integrity, say: (line) => lines.push(line) }),
      lines,
      text: () => readFileSync(join(root, 'package-lock.json'), 'utf8'),
    }
  }

  it('is content with a lock file that is whole', () => {
    const { run, lines, text } = gate({ 'node_modules/x': { version: '1', integrity } })
    const before = text()
    expect(run(false)).toBe(0)
    expect({ lines, text: text() }).toEqual({ lines: [], text: before })
  })

  it('counts what ratchet.json allows', () => {
    const foreign = { version: '1', dev: true, optional: true, os: ['darwin'] }
    expect(gate({ 'node_modules/x': foreign }, 1).run(false)).toBe(0)
    expect(gate({ 'node_modules/x': foreign }, 0).run(false)).toBe(1)
  })

  it('says what is missing, adds it in order of names where that is asked for, and is content afterwards', () => {
    const { run, lines, text } = gate({
      '': {},
      'node_modules/tool': { optionalDependencies: { 'a-darwin-arm64': '2', 'z-linux-x64': '3' }, dev: true, version: '1', integrity },
    })
    expect(run(false)).toBe(1)
    expect(lines.splice(0)).toEqual([expect.stringContaining('a-darwin-arm64'), expect.stringContaining('z-linux-x64')])
    expect(run(true)).toBe(0)
    expect(lines.splice(0)).toEqual([expect.stringMatching(/^2 /)])
    expect(run(false)).toBe(0)
    const lock = JSON.parse(text())
    expect(lock.lockfileVersion).toBe(3)
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/a-darwin-arm64', 'node_modules/tool', 'node_modules/z-linux-x64'])
    expect(lock.packages['node_modules/z-linux-x64']).toMatchObject({ version: '3', integrity, os: ['linux'], cpu: ['x64'] })
    // Existing entries keep the order of their members, so that the diff shows only what was added.
    expect(Object.keys(lock)).toEqual(['lockfileVersion', 'packages'])
    expect(Object.keys(lock.packages['node_modules/tool'])).toEqual(['optionalDependencies', 'dev', 'version', 'integrity'])
    expect(text()).toBe(`${JSON.stringify(lock, undefined, 2)}\n`)
  })

  it('refuses what is no lock file', () => {
    const root = temporaryTree({ 'package-lock.json': '{ "packages": [{ "version": 1 }] }' })
    expect(() => lockGate(root, true, { ask: () => integrity, say: () => undefined })).toThrow(/package-lock\.json/)
  })
})
