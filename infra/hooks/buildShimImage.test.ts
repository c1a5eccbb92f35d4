import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildShimImage } from './buildShimImage.ts'
import { type HookWorld, hookWorld, webOf } from './testing/localAzure.ts'

const HOST = 'shop.azurecr.io'
let world: HookWorld
let root: string
const images = new Set<string>()
const built: (readonly string[])[] = []
beforeEach(async () => {
  world = await hookWorld()
  images.clear()
  built.length = 0
  root = mkdtempSync(join(tmpdir(), 'joiner-build-'))
  mkdirSync(join(root, 'shim'))
  mkdirSync(join(root, 'dist/shim'), { recursive: true })
  writeFileSync(join(root, 'shim/Dockerfile'), 'FROM base\n')
  writeFileSync(join(root, 'dist/shim/main.mjs'), 'start()\n')
  writeFileSync(join(root, 'dist/shim/main.mjs.map'), '{}')
})
afterEach(async () => {
  rmSync(root, { recursive: true, force: true })
  await world.close()
})

/** Builds as the registry does: what was built is there. */
function build(code = 0): Promise<string> {
  const deps = world.deps()
  const run: typeof deps.run = async (_, args) => {
    if (args[1] === 'show') return { code: 0, out: `${HOST}\n`, errors: '' }
    const context = args.at(-1) ?? ''
    built.push([...readdirSync(context), ...readdirSync(join(context, 'dist/shim'))])
    if (code === 0) images.add(`${HOST}/${args[args.indexOf('--image') + 1]}`)
    return { code, out: '', errors: code === 0 ? '' : 'no quota of agents' }
  }
  const access = { ...deps.access, web: webOf({ images, entra: new Set([HOST]) }) }
  return buildShimImage({ ...deps, run, access }, 'shop', root)
}

describe('the image of the shim in a registry of the user', () => {
  it('is built from the bundle, once for the same files, and again for others', async () => {
    const first = await build()
    expect(first).toMatch(/^shop\.azurecr\.io\/joiner\/shim:0\.\d+\.\d+-[0-9a-f]{12}$/)
    expect(built).toEqual([['Dockerfile', 'dist', 'main.mjs']])
    expect(await build()).toBe(first)
    expect(built.length).toBe(1)
    writeFileSync(join(root, 'dist/shim/main.mjs'), 'startOther()\n')
    expect(await build()).not.toBe(first)
    expect(built.length).toBe(2)
  })

  it('names the reason where it cannot be built', async () => {
    await expect(build(1)).rejects.toThrow('PREFLIGHT.IMAGE   az acr build --registry shop: no quota of agents; then run: azd up')
    rmSync(join(root, 'dist'), { recursive: true })
    await expect(build()).rejects.toThrow('dist/shim is not built; run: npm run build')
  })
})
