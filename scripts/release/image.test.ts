import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { digestOf, readLayout, writeLayout } from './imageLayout.ts'
import { pinnedBase } from './main.ts'
import { IMAGE_CEILING_BYTES, refuseLargeImage, SHIM_IMAGE, shimImage } from './shimImage.ts'
import { tarOf } from './tar.ts'
import { smallBase, temporaryFolder } from './testing/smallBase.ts'

const PROGRAM = [{ path: 'main.mjs', bytes: Buffer.from('console.log(1)') }]
const LABELS = { version: '1.2.3', revision: 'abc', created: '2026-01-02T03:04:05.000Z' }

async function made() {
  const base = await smallBase()
  const image = await shimImage(readLayout(base.folder), PROGRAM, LABELS)
  const folder = temporaryFolder()
  writeLayout(folder, image.blobs, { index: image.index, name: LABELS.version })
  return { base, image, folder, back: readLayout(folder) }
}

describe('the image of the shim', () => {
  it('is one layer of ours on each platform of the base', async () => {
    const { base, back } = await made()
    const platforms = readLayout(base.folder).platforms
    expect(back.platforms.map(({ architecture }) => architecture)).toEqual(['amd64', 'arm64'])
    for (const [index, { layers, config }] of back.platforms.entries()) {
      expect(layers[0]?.bytes).toEqual(platforms[index]?.layers[0]?.bytes)
      expect(gunzipSync(layers[1]?.bytes ?? '')).toEqual(
        await tarOf([{ path: 'app/main.mjs', bytes: PROGRAM[0]?.bytes ?? Buffer.alloc(0), owner: 65_532 }]),
      )
      expect(config.rootfs.diff_ids).toEqual(layers.map(({ bytes }) => digestOf(gunzipSync(bytes))))
      expect(config.history).toHaveLength(2)
    }
  })

  it('starts Node as nobody, with what the base says besides', async () => {
    const { base, back } = await made()
    expect(back.platforms.map(({ config }) => [config['created'], config.config])).toEqual(
      ['amd64', 'arm64'].map(() => [
        LABELS.created,
        {
          User: '65532:65532',
          WorkingDir: '/app',
          Entrypoint: ['/nodejs/bin/node'],
          Cmd: SHIM_IMAGE.command,
          Env: ['PATH=/nodejs/bin', 'NODE_ENV=production', 'MALLOC_ARENA_MAX=1'],
          Labels: {
            kept: 'yes',
            'org.opencontainers.image.title': 'joiner-shim',
            'org.opencontainers.image.licenses': 'Apache-2.0',
            'org.opencontainers.image.version': '1.2.3',
            'org.opencontainers.image.revision': 'abc',
            'org.opencontainers.image.base.digest': base.digest,
          },
        },
      ]),
    )
  })

  it('lies in a layout where every blob has the name of its digest, found by its version', async () => {
    const { image, folder, back } = await made()
    const blobs = readdirSync(join(folder, 'blobs/sha256'))
    expect(blobs.map((name) => digestOf(readFileSync(join(folder, 'blobs/sha256', name))))).toEqual(blobs.map((name) => `sha256:${name}`))
    expect(back.digest).toBe(image.index.descriptor.digest)
    const index: unknown = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
    expect(index).toMatchObject({ manifests: [{ annotations: { 'org.opencontainers.image.ref.name': '1.2.3' } }] })
    expect(JSON.parse(image.index.bytes.toString())).toMatchObject({
      manifests: ['amd64', 'arm64'].map((architecture) => ({ platform: { architecture, os: 'linux' } })),
    })
  })

  it('counts the bytes that a node pulls, and may have as many as its ceiling', async () => {
    const { image, back } = await made()
    expect(image.sizes.map(({ bytes }) => bytes)).toEqual(
      back.platforms.map(({ layers }) => layers.reduce((sum, { bytes }) => sum + bytes.length, 0)),
    )
    const of = (bytes: number) => ({ ...image, sizes: [{ architecture: 'arm64', bytes, ownBytes: 1 }] })
    expect(() => refuseLargeImage(of(IMAGE_CEILING_BYTES))).not.toThrow()
    expect(() => refuseLargeImage(of(IMAGE_CEILING_BYTES + 1))).toThrow(/the image for arm64 has 60000001 bytes, its ceiling is 60000000/)
  })
})

describe('a base', () => {
  const dockerfile = (digest: string): string => `# ...\nFROM example.com/node:24@${digest}\nCMD []\n`

  it('is the one that the Dockerfile is built on, with every platform', async () => {
    const { folder, digest } = await smallBase(['arm64', 's390x', 'amd64'])
    expect(pinnedBase(folder, dockerfile(digest)).platforms.map(({ architecture }) => architecture)).toEqual(['arm64', 'amd64'])
    const other = `sha256:${'0'.repeat(64)}`
    expect(() => pinnedBase(folder, dockerfile(other))).toThrow(`is ${digest}, and shim/Dockerfile is built on ${other}`)
    const one = await smallBase(['amd64'])
    expect(() => pinnedBase(one.folder, dockerfile(one.digest))).toThrow('is not for arm64')
  })

  it('may have one platform only, without an index of platforms', async () => {
    const { folder } = await smallBase(['amd64'])
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
    const inner = JSON.parse(readFileSync(join(folder, 'blobs', index.manifests[0].digest.replace(':', '/')), 'utf8'))
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ ...index, manifests: inner.manifests.slice(0, 1) }))
    expect(readLayout(folder).platforms.map(({ architecture }) => architecture)).toEqual(['amd64'])
  })

  it.each<[string, (folder: string) => void, RegExp]>([
    ['is no layout', (folder) => writeFileSync(join(folder, 'index.json'), '{"manifests":[]}'), /names 0 images/],
    ['has a blob that changed', (folder) => writeFileSync(blobsOf(folder)[0] ?? '', 'x'), /is not what its name says; copy the base again/],
    [
      'is of a type of Docker',
      (folder) => {
        const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
        index.manifests[0].mediaType = 'application/vnd.docker.distribution.manifest.list.v2+json'
        writeFileSync(join(folder, 'index.json'), JSON.stringify(index))
      },
      /docker.*copy the base as an OCI layout/,
    ],
  ])('is refused when it %s', async (_, spoil, message) => {
    const { folder } = await smallBase(['amd64'])
    spoil(folder)
    expect(() => readLayout(folder)).toThrow(message)
  })

  it('is refused where there is none', () =>
    expect(() => readLayout(temporaryFolder())).toThrow('index.json cannot be read; name the folder'))
})

/** Returns the path of the first blob, through which all other blobs are read. */
function blobsOf(folder: string): readonly string[] {
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
  return [join(folder, 'blobs', index.manifests[0].digest.replace(':', '/'))]
}
