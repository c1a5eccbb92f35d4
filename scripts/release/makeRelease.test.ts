import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { HELM, helm, NAMESPACE, WITHOUT_HELM } from '../../test/charts/helm.ts'
import { REQUIRED } from '../../test/charts/valueSets.ts'
import { writeBundle } from '../build.ts'
import { repositoryRoot, walk } from '../floors.ts'
import { LICENSE, NOTICES } from '../notices.ts'
import { CHARTS } from './chartArchive.ts'
import { readLayout } from './imageLayout.ts'
import { CHECKSUMS, checksumsOf, differences, differentFiles, makeRelease, type ReleaseOrder, startZip } from './makeRelease.ts'
import { SHIM_IMAGE, type ShimImage } from './shimImage.ts'
import { temporaryFolder, writeSmallBase } from './testing/smallBase.ts'
import { filesOfZip, zipOf } from './zip.ts'

const VERSION = '0.1.0-rc.1'
const SOURCES = { revision: 'abc', created: '2026-01-02T03:04:05.000Z' }
const BASE_PARTS = ['gcr.io/distroless/nodejs24-debian13', 'libc6']
const REPOSITORY = 'registry.example.com/team/shim'

/** The release is made once: it takes seconds, and each test only reads it. */
const out = mkdtempSync(join(tmpdir(), 'release-'))
const base = mkdtempSync(join(tmpdir(), 'release-base-'))
let order: ReleaseOrder
let image: ShimImage
beforeAll(async () => {
  await writeSmallBase(base)
  order = { root: repositoryRoot, version: VERSION, sources: SOURCES, base: readLayout(base), repository: REPOSITORY }
  image = await makeRelease(order, out)
})
afterAll(() => [out, base].forEach((folder) => rmSync(folder, { recursive: true, force: true })))

describe('a release', () => {
  it('is whole, and the same when it is made again', async () => {
    const { digest } = image.index.descriptor
    expect(await differences(order, out)).toEqual([])
    expect(readdirSync(out).toSorted()).toEqual([
      'SHA256SUMS',
      'UPGRADE.md',
      `joiner-${VERSION}.tgz`,
      `joiner-app-${VERSION}.cdx.json`,
      `joiner-app-${VERSION}.zip`,
      `joiner-crd-${VERSION}.tgz`,
      `joiner-crds-${VERSION}.yaml`,
      `joiner-shim-${VERSION}`,
      `joiner-shim-${VERSION}.cdx.json`,
      `joiner-source-maps-${VERSION}.zip`,
    ])
    expect(execFileSync('sha256sum', ['--check', '--strict', CHECKSUMS], { cwd: out, encoding: 'utf8' })).not.toContain('FAILED')
    expect(checksumsOf(out).trim().split('\n')).toHaveLength(walk(out, () => true).length - 1)
    expect(readLayout(join(out, `joiner-shim-${VERSION}`)).digest).toBe(digest)
    expect(readFileSync(join(out, 'UPGRADE.md'), 'utf8')).toContain(`${REPOSITORY}@${digest}`)
    const definitions = parseAllDocuments(readFileSync(join(out, `joiner-crds-${VERSION}.yaml`), 'utf8')).map((each) => each.toJS())
    expect(definitions.map(({ metadata }) => `charts/joiner-crd/templates/${metadata.name}.yaml`).toSorted()).toEqual(
      walk(join(repositoryRoot, 'charts/joiner-crd/templates'), () => true).map((file) => `charts/joiner-crd/templates/${file}`),
    )
    expectCharts(digest)
    await expectStart()
    expectMaterials()
  })

  function expectCharts(digest: string): void {
    for (const name of CHARTS) {
      const folder = temporaryFolder()
      execFileSync('tar', ['-xzf', join(out, `${name}-${VERSION}.tgz`)], { cwd: folder })
      const source = join(repositoryRoot, 'charts', name)
      expect(readFileSync(join(folder, name, 'LICENSE'), 'utf8')).toBe(readFileSync(join(repositoryRoot, 'LICENSE'), 'utf8'))
      expect(walk(join(folder, name), () => true).toSorted()).toEqual([...walk(source, () => true), 'LICENSE'].toSorted())
      const changed = walk(source, () => true).flatMap((file) => changedLines(join(source, file), join(folder, name, file)))
      const versions = [`version: ${VERSION}`, `appVersion: ${VERSION}`]
      expect(changed).toEqual(name === 'joiner' ? [...versions, `  repository: ${REPOSITORY}`, `  digest: "${digest}"`] : versions)
      expect(parse(readFileSync(join(folder, name, 'Chart.yaml'), 'utf8')).name).toBe(name)
    }
  }

  function changedLines(before: string, after: string): readonly string[] {
    const old = readFileSync(before, 'utf8').split('\n')
    const now = readFileSync(after, 'utf8').split('\n')
    expect(now, after).toHaveLength(old.length)
    return now.filter((line, index) => line !== old[index])
  }

  async function expectStart(): Promise<void> {
    const zip = join(out, `joiner-app-${VERSION}.zip`)
    const { output, problem } = await startZip(repositoryRoot, zip)
    expect(problem, output).toBeUndefined()
    expect(output).toContain('wake')
    const manifest = filesOfZip(readFileSync(zip)).find(({ path }) => path === 'package.json')
    expect(JSON.parse(String(manifest?.bytes))).toMatchObject({ version: VERSION, main: 'main.mjs' })
  }

  function expectMaterials(): void {
    for (const [program, sure] of [
      ['app', '@azure/functions'],
      ['shim', 'prom-client'],
    ]) {
      const { components } = JSON.parse(readFileSync(join(out, `joiner-${program}-${VERSION}.cdx.json`), 'utf8'))
      const names: readonly string[] = components.map(({ name }: { readonly name: string }) => name)
      expect(names).toContain(sure)
      expectNotices(program ?? '', names)
    }
  }

  /** Every package that the bill of materials names has its text beside the code, and so has Joiner. */
  function expectNotices(program: string, names: readonly string[]): void {
    const files = program === 'app' ? filesOfZip(readFileSync(join(out, `joiner-app-${VERSION}.zip`))) : layerFiles()
    const textOf = (name: string): string => String(files.find(({ path }) => path === name || path === `app/${name}`)?.bytes ?? '')
    expect(textOf(LICENSE)).toBe(readFileSync(join(repositoryRoot, 'LICENSE'), 'utf8'))
    const notices = textOf(NOTICES).split(/^-{100}$/m)
    const packages = names.filter((name) => !BASE_PARTS.includes(name))
    expect(packages.length).toBeGreaterThan(20)
    for (const name of packages) {
      const part = notices.find((each) => each.trimStart().startsWith(`${name} `))
      expect(part?.length, name).toBeGreaterThan(400)
      expect(part, name).toMatch(/licen[cs]e|permission/i)
    }
  }

  function layerFiles(): readonly { readonly path: string; readonly bytes: string }[] {
    const [own] = image.blobs
    return [LICENSE, NOTICES].map((name) => ({
      path: name,
      bytes: execFileSync('tar', ['-xzO', `app/${name}`], { input: own?.bytes, encoding: 'utf8' }),
    }))
  }

  it('names the parts of the base image in its bill of materials, which has a number', () => {
    const { serialNumber, components } = JSON.parse(readFileSync(join(out, `joiner-shim-${VERSION}.cdx.json`), 'utf8')) as {
      readonly serialNumber: string
      readonly components: readonly { readonly name: string; readonly purl: string }[]
    }
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(components.filter(({ name }) => BASE_PARTS.includes(name)).map(({ purl }) => purl)).toEqual([
      'pkg:deb/debian/libc6@2.41-12%2Bdeb13u1?arch=amd64',
      'pkg:deb/debian/libc6@2.41-12%2Bdeb13u1?arch=arm64',
      `pkg:oci/nodejs24-debian13@${encodeURIComponent(order.base.digest)}?repository_url=${BASE_PARTS[0]}`,
    ])
  })

  it.skipIf(HELM === undefined)(`has charts that Helm takes, naming the image by its digest${WITHOUT_HELM}`, async () => {
    const chart = join(out, `joiner-${VERSION}.tgz`)
    const { code, out: text, errors } = await helm(['template', 'joiner', chart, '--namespace', NAMESPACE], REQUIRED)
    expect(code, errors).toBe(0)
    const images = [...text.matchAll(/^\s+image: (\S+)$/gm)].map(([, name]) => name?.replaceAll('"', ''))
    expect(new Set(images)).toEqual(new Set([`${REPOSITORY}@${image.index.descriptor.digest}`]))
    for (const name of CHARTS) {
      const { out: shown } = await helm(['show', 'chart', join(out, `${name}-${VERSION}.tgz`)])
      expect(shown).toContain(`version: ${VERSION}`)
    }
  })
})

describe('two releases', () => {
  it.each([
    ['are the same', 'aa  x\nbb  y\n', 'aa  x\nbb  y\n', []],
    ['differ in what a file holds', 'aa  x\nbb  y\n', 'aa  x\ncc  y\n', ['y']],
    ['differ in what there is', 'aa  x\nbb  y\n', 'aa  x\nbb  z\n', ['y', 'z']],
  ])('%s', (_, one, other, files) => expect(differentFiles(one, other)).toEqual(files))

  it('of one tree in two places have the same code and the same maps', async () => {
    const of = async (root: string) => {
      mkdirSync(join(root, 'a'))
      writeFileSync(join(root, 'a/main.ts'), `console.log(await import('./part.ts'))\n`)
      writeFileSync(join(root, 'a/part.ts'), 'export const part: number = 1\n')
      await writeBundle(root, { entry: 'a/main.ts', out: 'dist/a/main.mjs', external: [] })
      const dist = join(root, 'dist/a')
      return walk(dist, () => true).map((file) => [file, readFileSync(join(dist, file), 'utf8')])
    }
    const [one, other] = [await of(temporaryFolder()), await of(temporaryFolder())]
    expect(one).toHaveLength(4)
    expect(other).toEqual(one)
  })
})

describe('the archive of an app', () => {
  it('is refused where it does not start alone', async () => {
    const zip = join(temporaryFolder(), 'app.zip')
    writeFileSync(zip, zipOf([{ path: 'package.json', bytes: Buffer.from('{"main":"main.mjs","type":"module"}') }]))
    expect((await startZip(repositoryRoot, zip)).problem).toContain('does not start where there is nothing else')
  })
})

describe('the Dockerfile and the image that a release makes', () => {
  const instructions = new Map<string, string[]>()
  for (const [, name = '', rest = ''] of readFileSync(join(repositoryRoot, 'shim/Dockerfile'), 'utf8').matchAll(/^([A-Z]+) (.+)$/gm))
    instructions.set(name, [...(instructions.get(name) ?? []), rest])

  it('start the same way', () => {
    expect(Object.fromEntries(instructions)).toEqual({
      FROM: [expect.stringMatching(/^\S+@sha256:[0-9a-f]{64}$/)],
      WORKDIR: [SHIM_IMAGE.folder],
      COPY: [expect.stringMatching(new RegExp(`^--chown=${SHIM_IMAGE.user} (dist/shim/\\S+ )+\\./$`))],
      USER: [SHIM_IMAGE.user],
      ENV: Object.entries(SHIM_IMAGE.env).map(([name, value]) => `${name}=${value}`),
      ENTRYPOINT: [expect.any(String)],
      CMD: [expect.any(String)],
    })
    expect(JSON.parse(instructions.get('ENTRYPOINT')?.[0] ?? '')).toEqual(SHIM_IMAGE.entrypoint)
    expect(JSON.parse(instructions.get('CMD')?.[0] ?? '')).toEqual(SHIM_IMAGE.command)
  })

  it('hold the same files', () => {
    const [own] = image.blobs
    const layer = execFileSync('tar', ['-tz'], { input: own?.bytes, encoding: 'utf8' }).trim().split('\n')
    const files = layer.filter((path) => !path.endsWith('/')).map((path) => path.replace(/^app/, 'dist/shim'))
    const maps = filesOfZip(readFileSync(join(out, `joiner-source-maps-${VERSION}.zip`))).map(({ path }) => `dist/${path}`)
    const built = [...files, ...maps.filter((path) => path.startsWith('dist/shim/'))]
    const patterns = (instructions.get('COPY')?.[0] ?? '').split(' ').slice(1, -1)
    const copied = built.filter((path) => patterns.some((pattern) => matchesGlob(path, pattern)))
    expect(copied).toEqual(files)
    for (const pattern of patterns)
      expect(
        built.filter((path) => matchesGlob(path, pattern)),
        pattern,
      ).not.toEqual([])
  })
})
