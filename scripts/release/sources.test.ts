import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../floors.ts'
import { CHARTS } from './chartArchive.ts'
import { sourcesOf, versionOf } from './sources.ts'
import { temporaryFolder } from './testing/smallBase.ts'
import { changesOf } from './upgradeNotes.ts'

describe('the product', () => {
  it('has one version, in package.json and in both charts', () => {
    const version = versionOf(repositoryRoot, undefined)
    for (const name of CHARTS) {
      const chart = parse(readFileSync(join(repositoryRoot, 'charts', name, 'Chart.yaml'), 'utf8'))
      expect([chart.version, chart.appVersion], name).toEqual([version, version])
    }
  })
})

describe('the version of a release', () => {
  const folder = (): string => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'package.json'), '{"version":"1.2.3"}')
    return root
  }

  it.each([[undefined], ['1.2.3']])('is that of package.json: %s', (wanted) => expect(versionOf(folder(), wanted)).toBe('1.2.3'))
  it.each([['1.2.3-rc.1'], ['1.2.3-e2e-7']])('may be a trial of it: %s', (wanted) => expect(versionOf(folder(), wanted)).toBe(wanted))
  it.each([['1.2.4'], ['1.2.30'], ['1.2.3-'], ['1.2.3-a..b'], ['1.2.3-a b'], ['v1.2.3'], ['1.2.3+x'], ['']])('is no other: %s', (wanted) =>
    expect(() => versionOf(folder(), wanted)).toThrow(`--version ${wanted} is neither 1.2.3`),
  )
})

describe('the sources of a release', () => {
  it('are a commit and its time, and say when files differ from it', () => {
    const root = temporaryFolder()
    const env = { ...process.env, GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z' }
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root, env, encoding: 'utf8' }).trim()
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '--message', 'one')
    const commit = git('rev-parse', 'HEAD')
    expect(sourcesOf(root)).toEqual({ revision: commit, created: '2026-01-02T03:04:05.000Z' })
    writeFileSync(join(root, 'new'), '')
    expect(sourcesOf(root).revision).toBe(`${commit}-dirty`)
  })

  it('are in a clone', () => expect(() => sourcesOf(temporaryFolder())).toThrow('git names none here: run it in a clone'))
})

describe('what changed', () => {
  const changelog = '# Changelog\n\nWords.\n\n## [Unreleased]\n\n- new\n\n## [1.0.0] - 2026-01-02\n\n### Added\n\n- first\n'
  it.each([
    ['1.0.0', '### Added\n\n- first'],
    ['1.1.0', '- new'],
  ])('in %s is its section', (version, text) => expect(changesOf(changelog, version)).toBe(text))
  it('is nothing without one', () => expect(changesOf('# Changelog\n', '1.0.0')).toBe('Nothing that a user can notice.'))
})
