// A base image of a few bytes for two platforms, as registry tools write one into a layout.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Blob, blobOf, CONFIG, digestOf, INDEX, LAYER, MANIFEST, writeLayout } from '../imageLayout.ts'
import { gzipOf, tarOf } from '../tar.ts'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the folder of the layout, which exists while the test runs, and the digest of the image. */
export async function smallBase(architectures?: readonly string[]): Promise<{ readonly folder: string; readonly digest: string }> {
  const folder = temporaryFolder()
  return { folder, digest: await writeSmallBase(folder, architectures) }
}

/** Writes the layout. Returns the digest of the image. */
export async function writeSmallBase(folder: string, architectures: readonly string[] = ['amd64', 'arm64']): Promise<string> {
  const images = await Promise.all(architectures.map(platformOf))
  const vouching = blobOf(MANIFEST, { schemaVersion: 2, config: images[0]?.manifest.descriptor, layers: [] })
  const index = blobOf(INDEX, {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [
      ...images.map(({ manifest, architecture }) => ({ ...manifest.descriptor, platform: { architecture, os: 'linux' } })),
      { ...vouching.descriptor, platform: { architecture: 'unknown', os: 'unknown' } },
    ],
  })
  writeLayout(folder, [...images.flatMap(({ blobs }) => blobs), vouching], { index, name: 'base' })
  return index.descriptor.digest
}

type Platform = { readonly architecture: string; readonly manifest: Blob; readonly blobs: readonly Blob[] }

async function platformOf(architecture: string): Promise<Platform> {
  const archive = await tarOf([
    { path: 'nodejs/bin/node', bytes: Buffer.from(`Node for ${architecture}`), isProgram: true },
    {
      path: 'var/lib/dpkg/status.d/libc6',
      bytes: Buffer.from(`Package: libc6\nVersion: 2.41-12+deb13u1\nArchitecture: ${architecture}\n`),
    },
    { path: 'var/lib/dpkg/status.d/libc6.md5sums', bytes: Buffer.from('0  lib/libc.so.6\n') },
  ])
  const layer = blobOf(LAYER, gzipOf(archive))
  const config = blobOf(CONFIG, {
    os: 'linux',
    architecture,
    config: { User: '0', Env: ['PATH=/nodejs/bin', 'NODE_ENV=development'], Cmd: ['shell'], Labels: { kept: 'yes' } },
    rootfs: { type: 'layers', diff_ids: [digestOf(archive)] },
    history: [{ created_by: 'the base' }],
  })
  const manifest = blobOf(MANIFEST, { schemaVersion: 2, mediaType: MANIFEST, config: config.descriptor, layers: [layer.descriptor] })
  return { architecture, manifest, blobs: [layer, config, manifest] }
}
