import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PackedFile } from './packedFile.ts'
import { filesOfTar, gzipOf, tarOf } from './tar.ts'
import { filesOfZip, zipOf } from './zip.ts'

const LONG = `${'folder/'.repeat(20)}file.txt`
const FILES: readonly PackedFile[] = [
  { path: 'b/two.txt', bytes: Buffer.from('two') },
  { path: 'a.txt', bytes: Buffer.from('x'.repeat(512)) },
  { path: 'b/run', bytes: Buffer.from('#!'), isProgram: true, owner: 65_532 },
  { path: 'b/é.txt', bytes: Buffer.alloc(0) },
  { path: LONG, bytes: Buffer.from('long') },
]
const ORDER = ['a.txt', 'b/run', 'b/two.txt', 'b/é.txt', LONG]

function unpacked(name: string, bytes: Uint8Array, ...command: readonly [string, ...string[]]): string {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), bytes)
  const [program, ...args] = command
  execFileSync(program, args, { cwd: folder })
  return folder
}

function expectFiles(folder: string): void {
  for (const { path, bytes, isProgram } of FILES) {
    expect(readFileSync(join(folder, path)), path).toEqual(bytes)
    expect(statSync(join(folder, path)).mode & 0o777, path).toBe(isProgram === true ? 0o755 : 0o644)
  }
}

describe('a zip archive', () => {
  it('gives back what went in, in one order', () => {
    const back = filesOfZip(zipOf(FILES))
    expect(back.map(({ path }) => path)).toEqual(ORDER)
    for (const { path, bytes } of FILES) expect(back.find((each) => each.path === path)?.bytes).toEqual(bytes)
  })

  it('does not depend on the order in which files come', () => expect(zipOf(FILES.toReversed())).toEqual(zipOf(FILES)))

  it('is what others unpack', () => {
    const program = 'import zipfile, os\nwith zipfile.ZipFile("it.zip") as z:\n  assert z.testzip() is None\n'
    const modes =
      '  for i in z.infolist():\n    assert i.date_time == (1980, 1, 1, 0, 0, 0)\n    z.extract(i); os.chmod(i.filename, i.external_attr >> 16)\n'
    expectFiles(unpacked('it.zip', zipOf(FILES), 'python3', '-c', program + modes))
  })

  it('is refused where it is none', () => expect(() => filesOfZip(Buffer.from('nothing'))).toThrow('invalid zip data'))
})

describe('a tar archive', () => {
  it('is what others unpack', async () => expectFiles(unpacked('it.tar', await tarOf(FILES), 'tar', '-xf', 'it.tar')))

  it('names each folder once, before its files, with owners and no time', async () => {
    const folder = unpacked('it.tar', await tarOf(FILES.slice(0, 3)), 'sh', '-c', 'tar --numeric-owner --utc -tvf it.tar > list')
    const lines = readFileSync(join(folder, 'list'), 'utf8').trim().split('\n')
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      '-rw-r--r-- 0/0 512 1970-01-01 00:00 a.txt',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 b/',
      '-rwxr-xr-x 65532/65532 2 1970-01-01 00:00 b/run',
      '-rw-r--r-- 0/0 3 1970-01-01 00:00 b/two.txt',
    ])
  })

  it('does not depend on the order in which files come', async () => expect(await tarOf(FILES.toReversed())).toEqual(await tarOf(FILES)))

  it('keeps a path of any length', async () => {
    const path = `${'p'.repeat(200)}/${'q'.repeat(55)}/${'n'.repeat(101)}`
    const folder = unpacked('it.tar', await tarOf([{ path, bytes: Buffer.from('far') }]), 'tar', '-xf', 'it.tar')
    expect(readFileSync(join(folder, path), 'utf8')).toBe('far')
  })

  it('gives back the files that are asked for', async () => {
    const files = await filesOfTar(await tarOf(FILES), (path) => path.startsWith('b/t') || path === LONG)
    expect(files).toEqual([
      { path: 'b/two.txt', bytes: Buffer.from('two') },
      { path: LONG, bytes: Buffer.from('long') },
    ])
  })
})

describe('gzip', () => {
  it('gives back what went in, and tells neither time nor system', () => {
    const packed = gzipOf(Buffer.from('some text'))
    expect(gunzipSync(packed).toString()).toBe('some text')
    expect([...packed.subarray(4, 8), packed[9]]).toEqual([0, 0, 0, 0, 255])
  })
})
