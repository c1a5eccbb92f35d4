import { describe, expect, it } from 'vitest'
import { type LockEntry, missingEntries, platformOf, problemsOf, unchecked, withIntegrity } from './lockPlatforms.ts'

describe('platformOf', () => {
  it.each([
    ['@oxlint/binding-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    ['@swc/core-linux-arm64-gnu', { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] }],
    ['@swc/core-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
    ['@biomejs/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
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
