// Zip archives of the function app and of source maps.
import { unzipSync, type Zippable, zipSync } from 'fflate'
import { inOrder, modeOf, type PackedFile } from './packedFile.ts'

/** The system of the entries, so that the archive keeps their modes. */
const UNIX = 3
/** The first day of the format. The library writes it by the clock of the machine's own zone. */
const FIRST_DAY = new Date(1980, 0, 1)
const REGULAR_FILE = 0o100_000

export function zipOf(files: readonly PackedFile[]): Uint8Array {
  const entries = inOrder(files).map((file): readonly [string, Zippable[string]] => {
    const attrs = ((REGULAR_FILE | modeOf(file)) << 16) >>> 0
    return [file.path, [file.bytes, { level: 9, mtime: FIRST_DAY, os: UNIX, attrs }]]
  })
  return zipSync(Object.fromEntries(entries))
}

export function filesOfZip(zip: Uint8Array): readonly PackedFile[] {
  return Object.entries(unzipSync(zip)).map(([path, bytes]) => ({ path, bytes: Buffer.from(bytes) }))
}
