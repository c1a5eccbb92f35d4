// The release that is installed. It is made once for all rehearsals, and unpacked as its users unpack it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chartImage } from '../../cli/preflight/shimImage.ts'
import { listAt, textAt } from '../../local/azure/json.ts'
import { repositoryRoot } from '../floors.ts'
import { readLayout } from '../release/imageLayout.ts'
import { machineBase } from '../release/machineBase.ts'
import { makeRelease } from '../release/makeRelease.ts'
import { sourcesOf, versionOf } from '../release/sources.ts'
import { filesOfZip } from '../release/zip.ts'

export type ReleaseParts = {
  readonly version: string
  /** The folder with all files of the release. */
  readonly folder: string
  readonly zipFile: string
  readonly crdChart: string
  readonly chart: string
  /** File system of the shim's image: all its layers, one over the other. */
  readonly imageRoot: string
  readonly imageEntrypoint: readonly string[]
  readonly imageWorkingDirectory: string
  readonly imageEnv: { readonly [name: string]: string }
  close(): void
}

/** Makes a release, or takes it from the folder `made` if that is given. Unpacks its parts. */
export async function makeReleaseParts(made?: string): Promise<ReleaseParts> {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-rehearsed-release-'))
  const version = versionOf(repositoryRoot, undefined)
  const out = made ?? join(folder, 'release')
  const order = {
    root: repositoryRoot,
    version,
    sources: sourcesOf(repositoryRoot),
    base: await machineBase(process.execPath),
    repository: chartImage().repository,
  }
  if (made === undefined) {
    mkdirSync(out)
    await makeRelease(order, out)
  }
  const imageRoot = join(folder, 'image')
  const image = unpackImage(join(out, `joiner-shim-${version}`), imageRoot)
  return {
    version,
    folder: out,
    zipFile: join(out, `joiner-app-${version}.zip`),
    crdChart: join(out, `joiner-crd-${version}.tgz`),
    chart: join(out, `joiner-${version}.tgz`),
    imageRoot,
    ...image,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Unpacks the image for this machine's architecture, as a node would run it. */
function unpackImage(layout: string, root: string): Pick<ReleaseParts, 'imageEntrypoint' | 'imageWorkingDirectory' | 'imageEnv'> {
  const [platform] = readLayout(layout).platforms
  if (platform === undefined) throw new Error(`${layout} has no image`)
  mkdirSync(root, { recursive: true })
  for (const { bytes } of platform.layers) execFileSync('tar', ['-xzf', '-', '-C', root, '--no-same-owner'], { input: bytes })
  const entrypoint = listAt(platform.config, 'config.Entrypoint').filter((each) => typeof each === 'string')
  const env = listAt(platform.config, 'config.Env').flatMap((line) => (typeof line === 'string' ? [line] : []))
  return {
    imageEntrypoint: entrypoint,
    imageWorkingDirectory: textAt(platform.config, 'config.WorkingDir') ?? '/',
    imageEnv: Object.fromEntries(env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])),
  }
}

/** Unpacks the package of the app as the platform does. */
export function unpackZip(zipFile: string, folder: string): void {
  for (const { path, bytes } of filesOfZip(readFileSync(zipFile))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}
