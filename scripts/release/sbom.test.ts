import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeBundle } from '../build.ts'
import { packagesIn, sbomText } from './sbom.ts'
import { temporaryFolder } from './testing/smallBase.ts'

const CHECKSUM = Buffer.alloc(64, 7)
const USED = { license: 'MIT', main: 'index.js', type: 'module' }

/** Packages by their folder: a used package, a scoped package inside it, a package whose code is not used, and a package for development only. */
const PACKAGES: { readonly [folder: string]: { readonly manifest: object; readonly code: string } } = {
  'node_modules/used': {
    manifest: { ...USED, name: 'used', version: '1.0.0', dependencies: { '@scope/deep': '2.0.0' } },
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

const ROOT = { name: 'root', version: '1.0.0', dependencies: { used: '1.0.0', shaken: '3.0.0', development: '4.0.0' } }
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
  write('package.json', JSON.stringify(ROOT))
  const locked = Object.entries(packages).map(([folder, { manifest }]) => [folder, { ...manifest, ...entry }])
  write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: { '': ROOT, ...Object.fromEntries(locked) } }))
  write('a/main.ts', MAIN)
  return packagesIn(await writeBundle(root, { entry: 'a/main.ts', out: 'dist/main.mjs', external: [] }), root)
}

describe('the packages of a bundle', () => {
  it('are those whose code is in it', async () => {
    expect(await packagesOf(PACKAGES)).toEqual([
      { folder: 'node_modules/used', name: 'used', version: '1.0.0', license: 'MIT' },
      { folder: 'node_modules/used/node_modules/@scope/deep', name: '@scope/deep', version: '2.0.0', license: '(MIT OR Apache-2.0)' },
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
    await expect(packagesOf(PACKAGES, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' })).rejects.toThrow(
      'package-lock.json has no SHA-512 of used 1.0.0',
    )
  })

  it('are none for development only', async () => {
    await expect(packagesOf(PACKAGES, { integrity: INTEGRITY, dev: true })).rejects.toThrow(
      'node_modules/used is installed for development only',
    )
  })
})

describe('a bill of materials', () => {
  const product = { name: 'app', version: '1.0.0', created: '2026-01-02T03:04:05.000Z' }
  const packages = ['b', '@x/a'].map((name) => ({ folder: `node_modules/${name}`, name, version: '1.0.0', license: 'MIT' }))
  const component = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, type: 'library', name })
  const bom = (run: string) => ({
    bomFormat: 'CycloneDX',
    serialNumber: `urn:uuid:${run}`,
    metadata: { timestamp: run, tools: [{ name: 'cli', version: run }], component: component('joiner') },
    components: ['@x/a', 'b', 'not-shipped'].map(component),
    dependencies: [
      { ref: 'joiner@1.0.0', dependsOn: ['b@1.0.0', 'not-shipped@1.0.0'] },
      { ref: '@x/a@1.0.0', dependsOn: [] },
      { ref: 'b@1.0.0', dependsOn: ['@x/a@1.0.0', 'not-shipped@1.0.0'] },
      { ref: 'not-shipped@1.0.0', dependsOn: [] },
    ],
  })

  it('names each package of the product and of the base, and who needs it', () => {
    const part = { type: 'container', name: 'base', version: '1', purl: 'pkg:oci/base@1' } as const
    expect(JSON.parse(sbomText(product, bom('one'), { packages, baseParts: [part] }))).toEqual({
      bomFormat: 'CycloneDX',
      serialNumber: expect.stringMatching(/^urn:uuid:[-0-9a-f]{36}$/),
      metadata: {
        timestamp: product.created,
        component: { type: 'application', 'bom-ref': 'app', name: 'app', version: '1.0.0', licenses: [{ license: { id: 'Apache-2.0' } }] },
      },
      components: [component('@x/a'), component('b'), { ...part, 'bom-ref': part.purl }],
      dependencies: [
        { ref: 'app', dependsOn: ['b@1.0.0'] },
        { ref: '@x/a@1.0.0', dependsOn: [] },
        { ref: 'b@1.0.0', dependsOn: ['@x/a@1.0.0'] },
      ],
    })
  })

  it('has the same bytes at each run, and another number for another content', () => {
    const [one, other, less] = [
      sbomText(product, bom('one'), { packages }),
      sbomText(product, bom('other'), { packages }),
      sbomText(product, bom('one'), { packages: packages.slice(1) }),
    ]
    expect(other).toBe(one)
    expect(JSON.parse(less).serialNumber).not.toBe(JSON.parse(one).serialNumber)
  })
})
