import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeBundle } from '../build.ts'
import { type BundledPackage, packagesIn, sbomText } from './sbom.ts'
import { temporaryFolder } from './testing/smallBase.ts'

const CHECKSUM = Buffer.alloc(64, 7)
const USED = { license: 'MIT', main: 'index.js', type: 'module' }

/** Packages by their folder: a used package, a scoped package inside it, a package whose code is not used, and a package for development only. */
const PACKAGES: { readonly [folder: string]: { readonly manifest: object; readonly code: string } } = {
  'node_modules/used': {
    manifest: { ...USED, name: 'used', version: '1.0.0' },
    code: `export { deep as used } from '@scope/deep'\nconsole.log('used')`,
  },
  'node_modules/used/node_modules/@scope/deep': {
    manifest: { ...USED, name: '@scope/deep', version: '2.0.0', license: '(MIT OR Apache-2.0)' },
    code: 'export const deep = process.argv',
  },
  'node_modules/shaken': {
    manifest: { ...USED, name: 'shaken', version: '3.0.0', sideEffects: false },
    code: `export const shaken = 'shaken'`,
  },
  'node_modules/development': { manifest: { ...USED, name: 'development', version: '4.0.0' }, code: 'export {}' },
}
const MAIN = `import { shaken } from 'shaken'\nimport { used } from 'used'\nif (used.length < 0 && false) console.log(shaken)\n`

const INTEGRITY = `sha512-${CHECKSUM.toString('base64')}`

async function packagesOf(packages: typeof PACKAGES, entry: object = { integrity: INTEGRITY }, root = temporaryFolder()) {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [folder, { manifest, code }] of Object.entries(packages)) {
    write(`${folder}/package.json`, JSON.stringify(manifest))
    write(`${folder}/index.js`, code)
  }
  const locked = Object.fromEntries(Object.keys(packages).map((folder) => [folder, entry]))
  write('package-lock.json', JSON.stringify({ packages: locked }))
  write('a/main.ts', MAIN)
  return packagesIn(await writeBundle(root, { entry: 'a/main.ts', out: 'dist/main.mjs', external: [] }), root)
}

const package_ = (name: string, version: string, license: string): BundledPackage => ({
  folder: `node_modules/${name}`,
  name,
  version,
  license,
  sha512: '07'.repeat(64),
})

describe('the packages of a bundle', () => {
  it('are those whose code is in it', async () => {
    expect(await packagesOf(PACKAGES)).toEqual([
      package_('used', '1.0.0', 'MIT'),
      { ...package_('@scope/deep', '2.0.0', '(MIT OR Apache-2.0)'), folder: 'node_modules/used/node_modules/@scope/deep' },
    ])
  })

  it('have the names of the lock file where node_modules is a link', async () => {
    const root = temporaryFolder()
    const packages = await packagesOf(PACKAGES, { integrity: INTEGRITY }, root)
    const copy = temporaryFolder()
    for (const name of ['a', 'package-lock.json']) cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    expect(packagesIn(await writeBundle(copy, { entry: 'a/main.ts', out: 'dist/main.mjs', external: [] }), copy)).toEqual(packages)
  })

  it('have a licence', async () => {
    const manifest = { name: 'used', version: '1.0.0', main: 'index.js', type: 'module' }
    const without = { ...PACKAGES, 'node_modules/used': { manifest, code: 'export const used = process.argv' } }
    await expect(packagesOf(without)).rejects.toThrow('node_modules/used/package.json names no licence')
  })

  it('have a checksum of SHA-512', async () => {
    await expect(packagesOf(PACKAGES, { integrity: 'sha1-abc=' })).rejects.toThrow('package-lock.json has no SHA-512 of node_modules/used')
  })

  it('are none for development only', async () => {
    await expect(packagesOf(PACKAGES, { integrity: INTEGRITY, dev: true })).rejects.toThrow(
      'node_modules/used is installed for development only',
    )
  })
})

describe('a bill of materials', () => {
  const product = { name: 'app', version: '1.0.0', created: '2026-01-02T03:04:05.000Z' }
  const packages = [package_('b', '1.0.0', 'MIT'), package_('@x/a', '2.0.0', 'MIT OR ISC')]
  const read = (all: readonly BundledPackage[]) => JSON.parse(sbomText(product, all))

  it('names each package with its licence, address and checksum', () => {
    const hashes = [{ alg: 'SHA-512', content: '07'.repeat(64) }]
    const [a, b] = ['pkg:npm/%40x/a@2.0.0', 'pkg:npm/b@1.0.0']
    expect(read(packages)).toEqual({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: expect.stringMatching(/^urn:uuid:[-0-9a-f]{36}$/),
      version: 1,
      metadata: {
        timestamp: product.created,
        component: { type: 'application', 'bom-ref': 'app', name: 'app', version: '1.0.0', licenses: [{ license: { id: 'Apache-2.0' } }] },
      },
      components: [
        { type: 'library', 'bom-ref': a, name: '@x/a', version: '2.0.0', purl: a, licenses: [{ expression: 'MIT OR ISC' }], hashes },
        { type: 'library', 'bom-ref': b, name: 'b', version: '1.0.0', purl: b, licenses: [{ license: { id: 'MIT' } }], hashes },
      ],
      dependencies: [{ ref: 'app', dependsOn: [a, b] }],
    })
  })

  it('names a package once that stands in two folders, and two versions of one', () => {
    const twice = [
      ...packages,
      { ...package_('b', '1.0.0', 'MIT'), folder: 'node_modules/c/node_modules/b' },
      package_('b', '3.0.0', 'MIT'),
    ]
    const { components } = read(twice)
    expect(components.map((each: { readonly purl: string }) => each.purl)).toEqual([
      'pkg:npm/%40x/a@2.0.0',
      'pkg:npm/b@1.0.0',
      'pkg:npm/b@3.0.0',
    ])
  })

  it('does not depend on the order', () => expect(sbomText(product, packages.toReversed())).toBe(sbomText(product, packages)))
})
