import { describe, expect, it } from 'vitest'
import { missingEntries, platformOf } from './lockPlatforms.ts'

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
