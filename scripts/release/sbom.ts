// Writes a bill of materials (CycloneDX) of a bundle: what `npm sbom` says of the packages whose code esbuild put into the bundle.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import * as z from 'zod'
import type { BasePart } from './baseParts.ts'

const INSIDE = 'node_modules/'
/** The lock file says the same on each machine. `--omit=dev` would also leave out packages that both the product and a tool need (npm 11). */
const NPM_SBOM = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
const MEGABYTE = 1_000_000
const PackageJson = z.looseObject({ name: z.string(), version: z.string() })
const Lock = z.looseObject({ packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })) })
const License = z.union([z.object({ expression: z.string() }), z.object({ license: z.object({ id: z.string() }) })])
const Component = z.looseObject({
  'bom-ref': z.string(),
  licenses: z.tuple([License]).optional(),
  hashes: z.array(z.looseObject({ alg: z.string() })).optional(),
})
const BomShape = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
})

/** The bill of materials of all installed packages. Its members keep npm's order, because they are written again. */
const Bom = z.custom<z.infer<typeof BomShape>>((bom) => BomShape.safeParse(bom).success, 'npm sbom does not write what it used to write')
export type NpmSbom = z.infer<typeof BomShape>

export type BundledPackage = {
  /** Its path in the lock file, such as `node_modules/undici`. */
  readonly folder: string
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
}

export function npmSbom(root: string): NpmSbom {
  const { stdout, stderr, status } = spawnSync('npm', NPM_SBOM, { cwd: root, encoding: 'utf8', maxBuffer: 20 * MEGABYTE })
  if (status !== 0) throw new Error(`npm ${NPM_SBOM.join(' ')} failed in ${root}: ${stderr}`)
  return Bom.parse(JSON.parse(stdout))
}

/**
 * Returns the packages in the bundles. Throws if a package has no licence or checksum, or is for development only: then nobody could say what ships.
 */
export function packagesIn(metafile: Metafile, root: string, { components }: NpmSbom = npmSbom(root)): readonly BundledPackage[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  const folders = new Set(inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? folderOf(path) : [])))
  return [...folders].toSorted().map((folder) => {
    const { name, version } = PackageJson.parse(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))
    const { licenses, hashes } = components.find((each) => each['bom-ref'] === `${name}@${version}`) ?? {}
    if (packages[folder]?.dev === true)
      throw new Error(`${folder} is installed for development only, and is in a bundle: see what takes it`)
    if (hashes?.some(({ alg }) => alg === 'SHA-512') !== true)
      throw new Error(`package-lock.json has no SHA-512 of ${name} ${version}: run node scripts/lockPlatforms.ts --write`)
    if (licenses === undefined) throw new Error(`${folder}/package.json names no licence: do not ship it, or ask its keepers to say one`)
    const [license] = licenses
    return { folder, name, version, license: 'expression' in license ? license.expression : license.license.id }
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
type Contents = { readonly packages: readonly BundledPackage[]; readonly baseParts?: readonly BasePart[] }

/** Returns the text of the file: npm's document without what is not in the product, and without what differs from one run to the next. */
export function sbomText({ name, version, created }: Product, bom: NpmSbom, { packages, baseParts = [] }: Contents): string {
  const shipped = new Set(packages.map((each) => `${each.name}@${each.version}`))
  const root = bom.metadata.component['bom-ref']
  const below = baseParts.map((each) => ({ ...each, 'bom-ref': each.purl }))
  const dependencies = bom.dependencies
    .filter(({ ref }) => ref === root || shipped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref: ref === root ? name : ref, dependsOn: dependsOn.filter((each) => shipped.has(each)) }))
  const document = {
    ...bom,
    metadata: {
      timestamp: created,
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components: [...bom.components.filter((each) => shipped.has(each['bom-ref'])), ...below],
    dependencies,
  }
  return `${JSON.stringify({ ...document, serialNumber: serialNumberOf({ ...document, serialNumber: '' }) }, undefined, 2)}\n`
}

/** The same content has the same number: a UUID of version 8 (RFC 9562), which holds a digest. */
function serialNumberOf(document: object): string {
  const bytes = createHash('sha256').update(JSON.stringify(document)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`
}
