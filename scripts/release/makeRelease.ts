// Makes all parts of a release in one folder. The same sources and the same base give the same bytes.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crdFiles } from '../crdFiles.ts'
import { walk } from '../floors.ts'
import { startPackage } from '../packApp.ts'
import { type BasePart, basePartsOf } from './baseParts.ts'
import { CHARTS, chartArchive } from './chartArchive.ts'
import { type BaseImage, writeLayout } from './imageLayout.ts'
import type { PackedFile } from './packedFile.ts'
import { buildPrograms, type Program } from './programs.ts'
import { npmSbom, packagesIn, sbomText } from './sbom.ts'
import { refuseLargeImage, type ShimImage, shimImage } from './shimImage.ts'
import type { Sources } from './sources.ts'
import { upgradeNotes } from './upgradeNotes.ts'
import { filesOfZip, zipOf } from './zip.ts'

export type ReleaseOrder = {
  readonly root: string
  readonly version: string
  readonly sources: Sources
  readonly base: BaseImage
  /** The repository of the image, such as `ghcr.io/joiner/shim`. */
  readonly repository: string
}

export const CHECKSUMS = 'SHA256SUMS'

/** Writes the release into an empty folder. Throws a Fault if the image is too large. */
export async function makeRelease(order: ReleaseOrder, out: string): Promise<ShimImage> {
  const { root, version, sources, base, repository } = order
  const programs = await buildPrograms(root, version)
  const of = (name: string): Program => {
    const program = programs.find((each) => each.name === name)
    if (program === undefined) throw new Error(`scripts/build.ts makes no bundle of ${name}`)
    return program
  }
  const image = await shimImage(base, of('shim').files, { version, ...sources })
  refuseLargeImage(image)
  const { digest } = image.index.descriptor
  const bom = npmSbom(root)
  const sbom = (name: string, program: Program, baseParts?: readonly BasePart[]): Buffer => {
    const packages = packagesIn(program.metafile, root, bom)
    return Buffer.from(sbomText({ name, version, created: sources.created }, bom, { packages, ...(baseParts && { baseParts }) }))
  }
  const charts = await Promise.all(
    CHARTS.map(async (name) => ({
      path: `${name}-${version}.tgz`,
      bytes: await chartArchive(root, name, { version, image: { repository, digest } }),
    })),
  )
  const files: readonly PackedFile[] = [
    { path: `joiner-app-${version}.zip`, bytes: zipOf(of('functions').files) },
    ...charts,
    { path: `joiner-crds-${version}.yaml`, bytes: Buffer.from(crdBundle()) },
    { path: `joiner-app-${version}.cdx.json`, bytes: sbom('joiner-app', of('functions')) },
    { path: `joiner-shim-${version}.cdx.json`, bytes: sbom('joiner-shim', of('shim'), await basePartsOf(base, baseNameOf(root))) },
    {
      path: `joiner-source-maps-${version}.zip`,
      bytes: zipOf(programs.flatMap(({ name, maps }) => maps.map((map) => ({ ...map, path: `${name}/${map.path}` })))),
    },
    { path: 'UPGRADE.md', bytes: Buffer.from(upgradeNotes(root, { version, image: `${repository}@${digest}` })) },
  ]
  writeFiles(out, files)
  writeLayout(join(out, `joiner-shim-${version}`), image.blobs, { index: image.index, name: version })
  writeFileSync(join(out, CHECKSUMS), checksumsOf(out))
  return image
}

/** Returns the repository of the base that shim/Dockerfile names. */
function baseNameOf(root: string): string {
  return /^FROM ([^:@\s]+)/m.exec(readFileSync(join(root, 'shim/Dockerfile'), 'utf8'))?.[1] ?? ''
}

/** Returns all definitions in one file, for installations without Helm. */
function crdBundle(): string {
  return crdFiles()
    .map(({ text }) => text)
    .join('---\n')
}

/** Returns a line for each file below a folder, in the format of `sha256sum --check`. */
export function checksumsOf(folder: string): string {
  const files = walk(folder, (name) => name !== CHECKSUMS)
  return files
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('')
}

/** Makes the release a second time. Returns the names of the files that differ. */
export async function differences(order: ReleaseOrder, out: string): Promise<readonly string[]> {
  const again = mkdtempSync(join(tmpdir(), 'joiner-release-'))
  try {
    await makeRelease(order, again)
    return differentFiles(readFileSync(join(out, CHECKSUMS), 'utf8'), readFileSync(join(again, CHECKSUMS), 'utf8'))
  } finally {
    rmSync(again, { recursive: true, force: true })
  }
}

/** Returns the files whose lines differ between two lists of checksums. */
export function differentFiles(one: string, other: string): readonly string[] {
  const [ones, others] = [linesOf(one), linesOf(other)]
  const lines = [...ones.filter((line) => !others.includes(line)), ...others.filter((line) => !ones.includes(line))]
  return [...new Set(lines.map((line) => line.slice(line.indexOf('  ') + 2)))].toSorted((a, b) => a.localeCompare(b, 'en'))
}

function linesOf(checksums: string): readonly string[] {
  return checksums.trim().split('\n')
}

/** Unpacks the archive of the function app into an empty folder and starts it. Returns the functions that it registers, or why it does not start. */
export async function startZip(root: string, zip: string): ReturnType<typeof startPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-zip-'))
  try {
    writeFiles(join(folder, 'app'), filesOfZip(readFileSync(zip)))
    return await startPackage(root, join(folder, 'app'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeFiles(folder: string, files: readonly PackedFile[]): void {
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}
