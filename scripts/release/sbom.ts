// Writes a bill of materials (CycloneDX 1.6) of the bundles: the packages whose code esbuild put into them, as they are installed and locked.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import * as z from 'zod'
import type { BasePart } from './baseParts.ts'

const INSIDE = 'node_modules/'
const PackageJson = z.looseObject({ name: z.string(), version: z.string(), license: z.string().optional() })
const Lock = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ integrity: z.string().optional(), dev: z.boolean().optional() })),
})

export type BundledPackage = {
  /** Its path in the lock file, such as `node_modules/undici`. */
  readonly folder: string
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** SHA-512 of the package in the registry, in hexadecimal. */
  readonly sha512: string
}

/**
 * Returns the packages in the bundles. Throws if a package has no licence or checksum, or is for development only: then nobody could say what ships.
 */
export function packagesIn(metafile: Metafile, root: string): readonly BundledPackage[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  const folders = new Set(inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? folderOf(path) : [])))
  return [...folders].toSorted().map((folder) => {
    const { name, version, license } = PackageJson.parse(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))
    const [, checksum] = /^sha512-(.+)$/.exec(packages[folder]?.integrity ?? '') ?? []
    if (packages[folder]?.dev === true)
      throw new Error(`${folder} is installed for development only, and is in a bundle: see what takes it`)
    if (license === undefined) throw new Error(`${folder}/package.json names no licence: do not ship it, or ask its keepers to say one`)
    if (checksum === undefined) throw new Error(`package-lock.json has no SHA-512 of ${folder}: run node scripts/lockPlatforms.ts --write`)
    return { folder, name, version, license, sha512: Buffer.from(checksum, 'base64').toString('hex') }
  })
}

/**
 * Returns the folder of the innermost package of a file, as the lock file has it. Empty for Joiner's own files. `node_modules` of a copy of the
 * repository may be a link, so that the path leads out of the copy first.
 */
function folderOf(path: string): readonly string[] {
  const [from, at] = [path.indexOf(INSIDE), path.lastIndexOf(INSIDE)]
  if (at < 0) return []
  const [first = '', second] = path.slice(at + INSIDE.length).split('/')
  const name = first.startsWith('@') ? `${first}/${second}` : first
  return [`${path.slice(from, at)}${INSIDE}${name}`]
}

export type Product = { readonly name: string; readonly version: string; readonly created: string }

/** Returns the text of the file. A package that is in two folders at one version is one component. */
export function sbomText(
  { name, version, created }: Product,
  packages: readonly BundledPackage[],
  baseParts: readonly BasePart[] = [],
): string {
  const bundled = packages.map((each) => [purlOf(each), componentOf(purlOf(each), each)] as const)
  const below = baseParts.map((each) => [each.purl, { ...each, 'bom-ref': each.purl }] as const)
  const components = new Map<string, object>([...bundled, ...below])
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumberOf([name, version, created, ...[...components.keys()].toSorted()]),
    version: 1,
    metadata: {
      timestamp: created,
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components: [...components].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each),
    dependencies: [{ ref: name, dependsOn: [...components.keys()].toSorted() }],
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

/** The same content has the same number: a UUID of version 8 (RFC 9562), which holds a digest. */
function serialNumberOf(parts: readonly string[]): string {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`
}

function componentOf(purl: string, { name, version, license, sha512 }: BundledPackage): object {
  const licenses = /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }]
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses, hashes: [{ alg: 'SHA-512', content: sha512 }] }
}

function purlOf({ name, version }: BundledPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
