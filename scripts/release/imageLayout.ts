// OCI image layouts (image-spec 1.1): a folder with blobs that are named by their digest, and index.json, which names the first of them.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { Fault, problem } from '../../shared/model/problem.ts'

export const INDEX = 'application/vnd.oci.image.index.v1+json'
export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
export const CONFIG = 'application/vnd.oci.image.config.v1+json'
export const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'
const REFERENCE = 'org.opencontainers.image.ref.name'

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const Platform = z.looseObject({ os: z.string(), architecture: z.string() })
const DescriptorShape = z.looseObject({
  mediaType: z.string(),
  digest: Digest,
  size: z.int(),
  platform: Platform.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
})
const Index = z.looseObject({ manifests: z.array(DescriptorShape) })
const Manifest = z.looseObject({ config: DescriptorShape, layers: z.array(DescriptorShape) })
const ImageConfig = z.looseObject({
  os: z.string(),
  architecture: z.string(),
  config: z.looseObject({ Env: z.array(z.string()).optional(), Labels: z.record(z.string(), z.string()).optional() }).optional(),
  rootfs: z.looseObject({ type: z.literal('layers'), diff_ids: z.array(Digest) }),
  history: z.array(z.looseObject({})).optional(),
})

export type Descriptor = z.infer<typeof DescriptorShape>
/** One of a base image's platforms, with the bytes of its layers. */
export type PlatformImage = {
  readonly architecture: string
  readonly config: z.infer<typeof ImageConfig>
  readonly layers: readonly { readonly descriptor: Descriptor; readonly bytes: Buffer }[]
}
export type BaseImage = { readonly digest: string; readonly platforms: readonly PlatformImage[] }
export type Blob = { readonly descriptor: Descriptor; readonly bytes: Buffer }

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

export function blobOf(mediaType: string, content: Buffer | object): Blob {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
  return { descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length }, bytes }
}

/** Reads every platform of the image in a layout. Throws a Fault if a blob is missing or does not match its digest. */
export function readLayout(folder: string): BaseImage {
  const { manifests } = Index.parse(jsonOf(fileOf(folder, 'index.json')))
  const [first, ...others] = manifests
  if (first === undefined || others.length > 0)
    throw refused(`${folder}/index.json names ${manifests.length} images; a base is a layout of one image`)
  const bytes = readBlob(folder, first)
  const platforms = first.mediaType === INDEX ? Index.parse(jsonOf(bytes)).manifests : [first]
  // Attestations of an image are in its index under an unknown platform.
  const images = platforms.filter(({ platform }) => platform?.architecture !== 'unknown')
  return { digest: first.digest, platforms: images.map((each) => readPlatform(folder, each)) }
}

/** Writes the blobs, and an index.json that names `index` by the name under which tools find the image. */
export function writeLayout(
  folder: string,
  blobs: readonly Blob[],
  { index, name }: { readonly index: Blob; readonly name: string },
): void {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true })
  for (const { descriptor, bytes } of [...blobs, index]) writeFileSync(join(folder, blobPath(descriptor)), bytes)
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  const manifests = [{ ...index.descriptor, annotations: { [REFERENCE]: name } }]
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }))
}

function readPlatform(folder: string, descriptor: Descriptor): PlatformImage {
  if (descriptor.mediaType !== MANIFEST)
    throw refused(`${folder} has a manifest of type ${descriptor.mediaType}; copy the base as an OCI layout, of type ${MANIFEST}`)
  const manifest = Manifest.parse(jsonOf(readBlob(folder, descriptor)))
  const config = ImageConfig.parse(jsonOf(readBlob(folder, manifest.config)))
  const layers = manifest.layers.map((each) => ({ descriptor: each, bytes: readBlob(folder, each) }))
  return { architecture: config.architecture, config, layers }
}

function readBlob(folder: string, descriptor: Descriptor): Buffer {
  const bytes = fileOf(folder, blobPath(descriptor))
  if (digestOf(bytes) !== descriptor.digest)
    throw refused(`${folder}/${blobPath(descriptor)} is not what its name says; copy the base again`)
  return bytes
}

function fileOf(folder: string, path: string): Buffer {
  try {
    return readFileSync(join(folder, path))
  } catch (cause) {
    throw refused(`${folder}/${path} cannot be read; name the folder of an OCI image layout`, cause)
  }
}

function blobPath({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`
}

function jsonOf(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'))
}

function refused(message: string, cause?: unknown): Fault {
  return new Fault('read a base image', problem('SETTING.INVALID', message), cause)
}
