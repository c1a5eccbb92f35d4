import { describe, expect, it } from 'vitest'
import { type LockEntry, missingEntries, platformOf, unchecked } from './lockPlatforms.ts'

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
