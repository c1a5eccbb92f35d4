// Makes the image of the shim without a daemon: one layer with the shim, on a base with Node. shim/Dockerfile is the same image for a build with a
// daemon.
import { Fault, problem } from '../../shared/model/problem.ts'
import {
  type BaseImage,
  type Blob,
  blobOf,
  CONFIG,
  type Descriptor,
  digestOf,
  INDEX,
  LAYER,
  MANIFEST,
  type PlatformImage,
} from './imageLayout.ts'
import type { PackedFile } from './packedFile.ts'
import { gzipOf, tarOf } from './tar.ts'

/** How the image starts. shim/Dockerfile explains the flags. */
export const SHIM_IMAGE = {
  folder: '/app',
  user: '65532:65532',
  env: { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1' },
  entrypoint: ['/nodejs/bin/node'],
  command: ['--optimize-for-size', '--no-opt', '--no-maglev', '--max-semi-space-size=1', '--max-old-space-size=96', 'main.mjs'],
} as const

const MEGABYTE = 1_000_000
/** Largest size of the compressed layers of one platform, which a node has to pull. */
export const IMAGE_CEILING_BYTES = 60 * MEGABYTE
export const PLATFORMS: readonly string[] = ['amd64', 'arm64']

export type ImageLabels = {
  readonly version: string
  /** The revision of the sources. */
  readonly revision: string
  /** Time of the commit, in RFC 3339. The time of the build would change the image each time. */
  readonly created: string
}

export type ShimImage = {
  readonly index: Blob
  readonly blobs: readonly Blob[]
  readonly sizes: readonly { readonly architecture: string; readonly bytes: number; readonly ownBytes: number }[]
}

/** Makes the image. `program` holds the files of the bundle, relative to the folder in which the image starts. */
export async function shimImage(base: BaseImage, program: readonly PackedFile[], labels: ImageLabels): Promise<ShimImage> {
  const owner = Number(SHIM_IMAGE.user.split(':')[0])
  const archive = await tarOf(program.map((file) => ({ ...file, path: `${SHIM_IMAGE.folder.slice(1)}/${file.path}`, owner })))
  const layer = blobOf(LAYER, gzipOf(archive))
  const images = base.platforms.map((platform) => imageOf(platform, { layer, diffId: digestOf(archive), base: base.digest, labels }))
  const index = blobOf(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests: images.map(({ descriptor }) => descriptor) })
  return { index, blobs: [layer, ...images.flatMap(({ blobs }) => blobs)], sizes: images.map(({ size }) => size) }
}

type Added = { readonly layer: Blob; readonly diffId: string; readonly base: string; readonly labels: ImageLabels }

function imageOf(platform: PlatformImage, { layer, diffId, base, labels }: Added) {
  const config = blobOf(CONFIG, configOf(platform, { diffId, base, labels }))
  const layers: readonly Descriptor[] = [...platform.layers.map(({ descriptor }) => descriptor), layer.descriptor]
  const manifest = blobOf(MANIFEST, { schemaVersion: 2, mediaType: MANIFEST, config: config.descriptor, layers })
  const { os, architecture } = platform.config
  return {
    descriptor: { ...manifest.descriptor, platform: { architecture, os } },
    blobs: [...platform.layers, config, manifest],
    size: { architecture, bytes: layers.reduce((sum, { size }) => sum + size, 0), ownBytes: layer.descriptor.size },
  }
}

function configOf({ config: base }: PlatformImage, { diffId, base: baseDigest, labels }: Omit<Added, 'layer'>): object {
  const { folder, user, env, entrypoint, command } = SHIM_IMAGE
  const kept = (base.config?.Env ?? []).filter((line) => !Object.keys(env).some((name) => line.startsWith(`${name}=`)))
  return {
    ...base,
    created: labels.created,
    config: {
      ...base.config,
      User: user,
      WorkingDir: folder,
      Env: [...kept, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      Entrypoint: entrypoint,
      Cmd: command,
      Labels: {
        ...base.config?.Labels,
        'org.opencontainers.image.title': 'joiner-shim',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': labels.version,
        'org.opencontainers.image.revision': labels.revision,
        'org.opencontainers.image.base.digest': baseDigest,
      },
    },
    rootfs: { ...base.rootfs, diff_ids: [...base.rootfs.diff_ids, diffId] },
    history: [...(base.history ?? []), { created: labels.created, created_by: 'npm run release' }],
  }
}

/** Throws a Fault if an image is larger than it may be. */
export function refuseLargeImage({ sizes }: ShimImage): void {
  for (const { architecture, bytes } of sizes)
    if (bytes > IMAGE_CEILING_BYTES)
      throw new Fault(
        'build the image',
        problem(
          'SETTING.INVALID',
          `the image for ${architecture} has ${bytes} bytes, its ceiling is ${IMAGE_CEILING_BYTES}: take a smaller base, or look at what the shim imports`,
        ),
      )
}
