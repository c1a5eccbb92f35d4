// The parts of a base image: itself, and the packages of Debian in its layers. An image without a shell has one file for each package in
// var/lib/dpkg/status.d (GoogleContainerTools/distroless, PACKAGE_METADATA.md, 2025).
import { gunzipSync } from 'node:zlib'
import type { BaseImage } from './imageLayout.ts'

export type BasePart = { readonly type: 'container' | 'library'; readonly name: string; readonly version: string; readonly purl: string }

const STATUS = /^(?:\.\/)?var\/lib\/dpkg\/status\.d\/[^/]+$/
const BLOCK = 512
const GZIP = [0x1f, 0x8b]

/** `name` is the repository of the base. */
export function basePartsOf({ digest, platforms }: BaseImage, name: string): readonly BasePart[] {
  const purl = `pkg:oci/${name.split('/').at(-1)}@${encodeURIComponent(digest)}?repository_url=${name}`
  const parts = new Map<string, BasePart>([[purl, { type: 'container', name, version: digest, purl }]])
  const debian = platforms.flatMap(({ architecture, layers }) =>
    layers.flatMap(({ bytes }) => statusFiles(bytes).flatMap((text) => debianPart(text, architecture) ?? [])),
  )
  for (const part of debian) parts.set(part.purl, part)
  return [...parts.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
}

function debianPart(text: string, platform: string): BasePart | undefined {
  const fieldOf = (name: string): string | undefined => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1]?.trim()
  const [name, version, architecture = platform] = [fieldOf('Package'), fieldOf('Version'), fieldOf('Architecture')]
  if (name === undefined || version === undefined) return undefined
  return { type: 'library', name, version, purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}` }
}

/** Reads a tar archive block by block. */
function statusFiles(bytes: Buffer): readonly string[] {
  const archive = GZIP.every((byte, at) => bytes[at] === byte) ? gunzipSync(bytes) : bytes
  const found: string[] = []
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const [name, size] = [textAt(archive, at, 100), Number.parseInt(textAt(archive, at + 124, 12), 8) || 0]
    const path = [textAt(archive, at + 345, 155), name].filter((part) => part !== '').join('/')
    if (STATUS.test(path) && !path.endsWith('.md5sums')) found.push(archive.toString('utf8', at + BLOCK, at + BLOCK + size))
    at += BLOCK * (1 + Math.ceil(size / BLOCK))
  }
  return found
}

function textAt(archive: Buffer, at: number, length: number): string {
  return archive
    .toString('utf8', at, at + length)
    .replace(/\0[\s\S]*$/, '')
    .trim()
}
