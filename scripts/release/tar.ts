// Tar archives (POSIX ustar) for layers of images and for charts.
import { gzipSync } from 'node:zlib'
import { inOrder, modeOf, type PackedFile } from './packedFile.ts'

const BLOCK = 512
const NAME_BYTES = 100
const PREFIX_BYTES = 155
/** The position of the operating system in a gzip header, and its value for an unknown system. */
const GZIP_SYSTEM = 9
const UNKNOWN_SYSTEM = 255

/** Returns a tar archive. Each folder comes before its content and belongs to root. */
export function tarOf(files: readonly PackedFile[]): Buffer {
  const ordered = inOrder(files)
  const parts: Buffer[] = []
  const folders = new Set<string>()
  for (const file of ordered) {
    for (const folder of foldersOf(file.path).filter((each) => !folders.has(each))) {
      folders.add(folder)
      parts.push(header(folder, { type: '5', mode: 0o755, owner: 0, size: 0 }))
    }
    parts.push(header(file.path, { type: '0', mode: modeOf(file), owner: file.owner ?? 0, size: file.bytes.length }))
    parts.push(Buffer.from(file.bytes), Buffer.alloc((BLOCK - (file.bytes.length % BLOCK)) % BLOCK))
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

export function gzipOf(bytes: Uint8Array): Buffer {
  const packed = gzipSync(bytes, { level: 9 })
  packed[GZIP_SYSTEM] = UNKNOWN_SYSTEM
  return packed
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}

type Header = { readonly type: '0' | '5'; readonly mode: number; readonly owner: number; readonly size: number }

function header(path: string, { type, mode, owner, size }: Header): Buffer {
  const block = Buffer.alloc(BLOCK)
  const [prefix, name] = splitPath(path)
  const octal = (value: number, at: number, bytes: number) => block.write(`${value.toString(8).padStart(bytes - 1, '0')}\0`, at)
  block.write(name, 0)
  octal(mode, 100, 8)
  octal(owner, 108, 8)
  octal(owner, 116, 8)
  octal(size, 124, 12)
  octal(0, 136, 12)
  block.write(' '.repeat(8), 148)
  block.write(type, 156)
  block.write('ustar\u000000', 257)
  block.write(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** Splits a path that is too long for the field of the name. The path is cut at a `/`, and its front goes into the prefix field. */
function splitPath(path: string): readonly [string, string] {
  if (Buffer.byteLength(path) <= NAME_BYTES) return ['', path]
  const cut = path.indexOf('/', path.length - NAME_BYTES - 1)
  const [prefix, name] = [path.slice(0, cut), path.slice(cut + 1)]
  if (cut < 0 || name === '' || Buffer.byteLength(name) > NAME_BYTES || Buffer.byteLength(prefix) > PREFIX_BYTES)
    throw new Error(`${path} is too long for a tar archive: give the file a shorter name`)
  return [prefix, name]
}
