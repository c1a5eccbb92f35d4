// Zip archives (APPNOTE 6.3), with what a function app needs: files, deflated, below 4 GiB.
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { inOrder, modeOf, type PackedFile } from './packedFile.ts'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
const END_BYTES = 22
/** Version 2.0 of the format, for deflate. */
const NEEDED = 20
const MADE_ON_UNIX = (3 << 8) | NEEDED
const NAMES_ARE_UTF8 = 0x0800
const DEFLATED = 8
/** 1 January 1980, the first day of the format. */
const FIRST_DAY = (1 << 5) | 1
const REGULAR_FILE = 0o100_000

type Entry = { readonly file: PackedFile; readonly name: Buffer; readonly packed: Buffer; readonly at: number }

export function zipOf(files: readonly PackedFile[]): Buffer {
  const entries: Entry[] = []
  const parts: Buffer[] = []
  let at = 0
  for (const file of inOrder(files)) {
    const entry = { file, name: Buffer.from(file.path), packed: deflateRawSync(file.bytes, { level: 9 }), at }
    const part = Buffer.concat([localHeader(entry), entry.name, entry.packed])
    entries.push(entry)
    parts.push(part)
    at += part.length
  }
  const directory = Buffer.concat(entries.flatMap((entry) => [centralHeader(entry), entry.name]))
  return Buffer.concat([...parts, directory, endOf({ count: entries.length, bytes: directory.length, at })])
}

/** Returns the files in the directory of an archive. Throws if an entry does not match its checksum. */
export function filesOfZip(zip: Buffer): readonly PackedFile[] {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0) throw new Error('this is no zip archive: it has no directory at its end')
  const files: PackedFile[] = []
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameBytes = zip.readUInt16LE(at + 28)
    const path = zip.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)
    const local = zip.readUInt32LE(at + 42)
    const data = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const bytes = inflateRawSync(zip.subarray(data, data + zip.readUInt32LE(at + 20)))
    if (crc32(bytes) !== zip.readUInt32LE(at + 16)) throw new Error(`${path} in the zip archive is not what its checksum says`)
    const isProgram = ((zip.readUInt32LE(at + 38) >>> 16) & 0o111) !== 0
    files.push({ path, bytes, ...(isProgram && { isProgram }) })
    at += CENTRAL_BYTES + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return files
}

function localHeader(entry: Entry): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES)
  header.writeUInt32LE(LOCAL, 0)
  header.writeUInt16LE(NEEDED, 4)
  writeCommon(header, 6, entry)
  return header
}

function centralHeader(entry: Entry): Buffer {
  const header = Buffer.alloc(CENTRAL_BYTES)
  header.writeUInt32LE(CENTRAL, 0)
  header.writeUInt16LE(MADE_ON_UNIX, 4)
  header.writeUInt16LE(NEEDED, 6)
  writeCommon(header, 8, entry)
  header.writeUInt32LE(((REGULAR_FILE | modeOf(entry.file)) << 16) >>> 0, 38)
  header.writeUInt32LE(entry.at, 42)
  return header
}

/** Writes the fields that both headers have in the same order: from the flags to the length of the name. */
function writeCommon(header: Buffer, from: number, { file, name, packed }: Entry): void {
  header.writeUInt16LE(NAMES_ARE_UTF8, from)
  header.writeUInt16LE(DEFLATED, from + 2)
  header.writeUInt16LE(FIRST_DAY, from + 6)
  header.writeUInt32LE(crc32(file.bytes), from + 8)
  header.writeUInt32LE(packed.length, from + 12)
  header.writeUInt32LE(file.bytes.length, from + 16)
  header.writeUInt16LE(name.length, from + 20)
}

function endOf({ count, bytes, at }: { readonly count: number; readonly bytes: number; readonly at: number }): Buffer {
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(bytes, 12)
  end.writeUInt32LE(at, 16)
  return end
}
