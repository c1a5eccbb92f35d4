import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { noticesText } from './notices.ts'
import type { BundledPackage } from './release/sbom.ts'
import { temporaryFolder } from './release/testing/smallBase.ts'

function packaged(name: string, license: string, files: { readonly [file: string]: string }): [root: string, part: BundledPackage] {
  const root = temporaryFolder()
  const folder = `node_modules/${name}`
  mkdirSync(join(root, folder), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, folder, file), text)
  return [root, { folder, name, version: '1.0.0', license }]
}

describe('the notices of a bundle', () => {
  it.each(['LICENSE', 'LICENCE.md', 'license.txt', 'COPYING'])('hold the text of %s, and that of a NOTICE', (file) => {
    const [root, part] = packaged('used', 'Apache-2.0', { [file]: 'The text.', NOTICE: 'The notice.', 'index.js': 'start()' })
    const text = noticesText(root, [part, part])
    expect(text.split('used 1.0.0 (Apache-2.0)')).toHaveLength(2)
    expect(text).toContain('The text.')
    expect(text).toContain('The notice.')
    expect(text).not.toContain('start()')
  })

  it.each([
    ['other', 'MIT', {}],
    ['other', 'MIT', { LICENSE: ' \n' }],
    ['@nodable/entities', 'ISC', {}],
  ])('refuse %s under %s without a text', (name, license, files) => {
    const [root, part] = packaged(name, license, files)
    expect(() => noticesText(root, [part])).toThrow(`node_modules/${name} has no text of its licence ${license}`)
  })

  it('give the known text where a package names only the licence and its author', () => {
    const [root, part] = packaged('@nodable/entities', 'MIT', { 'package.json': '{"author":"Somebody"}' })
    expect(noticesText(root, [part])).toMatch(/Copyright \(c\) Somebody[\s\S]*Permission is hereby granted/)
  })
})
