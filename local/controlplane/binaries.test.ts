import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtFolder } from '../goPrograms.ts'
import { findBinaries, isBuilt, obstacle, RELEASES, type Release, releaseName } from './binaries.ts'

const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'joiner-binaries-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function fill(place: string, names: readonly string[]): string {
  mkdirSync(place, { recursive: true })
  for (const name of names) writeFileSync(join(place, name), '')
  return place
}

const say = (line: string): void => {
  throw new Error(`nothing is to be built: ${line}`)
}
const pathsIn = (place: string): object => Object.fromEntries(NAMES.map((name) => [name, join(place, name)]))

/** Returns the folder of the programs of this state of go.mod once they are built. */
const builtIn = (cache: string, module = 'go'): string => builtFolder({ module: join(import.meta.dirname, module) }, cache)

function minorOf(release: Release): number {
  const [, minor] = /^v1\.(\d+)\.\d+$/.exec(releaseName({ release, assets: undefined })) ?? []
  return Number(minor)
}

describe('the programs of a control plane', () => {
  it('are those given, whatever was built', async () => {
    const cache = folder()
    fill(builtIn(cache), NAMES)
    const assets = fill(folder(), NAMES)
    expect(await findBinaries({ assets, cache, say })).toEqual(pathsIn(assets))
    expect(isBuilt({ assets, cache: folder() })).toBe(true)
  })

  it.each([undefined, ''])('are those built before where %j is given', async (assets) => {
    const cache = folder()
    const built = fill(builtIn(cache), NAMES)
    expect(await findBinaries({ assets, cache, say })).toEqual(pathsIn(built))
    expect(isBuilt({ assets, cache })).toBe(true)
  })

  it.each(NAMES)('are not at hand while %s was not built', (lacking) => {
    const cache = folder()
    fill(
      builtIn(cache),
      NAMES.filter((name) => name !== lacking),
    )
    expect(isBuilt({ assets: undefined, cache })).toBe(false)
  })

  it('are those of one Kubernetes and of the minor version before, each built on its own', async () => {
    expect(RELEASES.map(minorOf)).toEqual([minorOf('newest'), minorOf('newest') - 1])
    const cache = folder()
    const built = fill(builtIn(cache, 'previous'), NAMES)
    expect(isBuilt({ assets: undefined, cache })).toBe(false)
    expect(await findBinaries({ release: 'previous', assets: undefined, cache, say })).toEqual(pathsIn(built))
  })

  it('that are given are not the previous ones', () => {
    const assets = fill(folder(), NAMES)
    expect(isBuilt({ release: 'previous', assets, cache: folder() })).toBe(false)
    expect(releaseName({ assets })).toBe(assets)
  })

  it('that are given and lack some are refused by the names of those', async () => {
    const assets = fill(folder(), ['etcd', 'kube-scheduler'])
    await expect(findBinaries({ assets, cache: folder(), say })).rejects.toThrow('lacks kube-apiserver, kube-controller-manager;')
  })
})

describe('a control plane', () => {
  it('can be had where its programs are, or Go is that builds them', () => {
    const path = folder()
    const nowhere = { assets: undefined, cache: folder() }
    expect(obstacle(nowhere, path)).toContain('this machine has neither')
    writeFileSync(join(path, 'go'), '')
    chmodSync(join(path, 'go'), 0o755)
    expect(obstacle(nowhere, `/nowhere:${path}`)).toBeUndefined()
    expect(obstacle({ ...nowhere, assets: '/given' }, '')).toBeUndefined()
  })
})
