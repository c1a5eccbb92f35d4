// Tar archives for layers of images and for charts.
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { inOrder, modeOf, type PackedFile } from './packedFile.ts'

const EPOCH = new Date(0)
/** The position of the operating system in a gzip header, and its value for an unknown system. */
const GZIP_SYSTEM = 9
const UNKNOWN_SYSTEM = 255

/** Returns a tar archive. Each folder comes before its content and belongs to root. */
export async function tarOf(files: readonly PackedFile[]): Promise<Buffer> {
  const archive = pack()
  const folders = new Set<string>()
  for (const file of inOrder(files)) {
    for (const name of foldersOf(file.path).filter((each) => !folders.has(each))) {
      folders.add(name)
      archive.entry({ name, type: 'directory', mtime: EPOCH })
    }
    const owner = file.owner ?? 0
    archive.entry({ name: file.path, mode: modeOf(file), uid: owner, gid: owner, mtime: EPOCH }, Buffer.from(file.bytes))
  }
  archive.finalize()
  return buffer(archive)
}

/** Returns the files of a tar archive whose paths `isWanted` accepts. */
export async function filesOfTar(archive: Buffer, isWanted: (path: string) => boolean): Promise<readonly PackedFile[]> {
  const reader = extract()
  reader.end(archive)
  const files: PackedFile[] = []
  for await (const entry of reader) {
    const bytes = await buffer(entry)
    if (isWanted(entry.header.name)) files.push({ path: entry.header.name, bytes })
  }
  return files
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
