// The parts of a base image: itself, and the packages of Debian in its layers. An image without a shell has one file for each package in
// var/lib/dpkg/status.d (GoogleContainerTools/distroless, PACKAGE_METADATA.md, 2025).
import { gunzipSync } from 'node:zlib'
import type { BaseImage } from './imageLayout.ts'
import { filesOfTar } from './tar.ts'

export type BasePart = { readonly type: 'container' | 'library'; readonly name: string; readonly version: string; readonly purl: string }

const STATUS = /^(?:\.\/)?var\/lib\/dpkg\/status\.d\/[^/]+$/
const GZIP = [0x1f, 0x8b]

/** `name` is the repository of the base. */
export async function basePartsOf({ digest, platforms }: BaseImage, name: string): Promise<readonly BasePart[]> {
  const purl = `pkg:oci/${name.split('/').at(-1)}@${encodeURIComponent(digest)}?repository_url=${name}`
  const parts = new Map<string, BasePart>([[purl, { type: 'container', name, version: digest, purl }]])
  for (const { architecture, layers } of platforms)
    for (const { bytes } of layers) {
      const texts = await statusFiles(bytes)
      for (const part of texts.flatMap((text) => debianPart(text, architecture) ?? [])) parts.set(part.purl, part)
    }
  return [...parts.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
}

function debianPart(text: string, platform: string): BasePart | undefined {
  const fieldOf = (name: string): string | undefined => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1]?.trim()
  const [name, version, architecture = platform] = [fieldOf('Package'), fieldOf('Version'), fieldOf('Architecture')]
  if (name === undefined || version === undefined) return undefined
  return { type: 'library', name, version, purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}` }
}

async function statusFiles(bytes: Buffer): Promise<readonly string[]> {
  const archive = GZIP.every((byte, at) => bytes[at] === byte) ? gunzipSync(bytes) : bytes
  const files = await filesOfTar(archive, (path) => STATUS.test(path) && !path.endsWith('.md5sums'))
  return files.map((file) => String(file.bytes))
}
