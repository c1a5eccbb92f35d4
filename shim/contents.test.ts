import { build } from 'esbuild'
import { expect, it } from 'vitest'

/** Modules that know the members of objects of all kinds. A field of a pod would need a new shim again. */
const OF_THE_APP = [
  /^shared\/wire\/(?:change|envelope|kubeChange)\.ts$/,
  /^shared\/wire\/objects\/(?!shared\.ts$)/,
  /^shared\/wire\/kube\/(?:object|pod|node\w*|workloads|replicated)\.ts$/,
]

it('the shim has no reader and no printer of whole objects', async () => {
  const options = { bundle: true, metafile: true, write: false, platform: 'node', format: 'esm', packages: 'external' } as const
  const { metafile } = await build({ ...options, entryPoints: ['shim/main.ts'], outdir: 'dist', splitting: true, logLevel: 'silent' })
  const modules = Object.keys(metafile.inputs)
  expect(modules).toContain('shared/wire/kept/keptPaths.ts')
  expect(modules.filter((module) => OF_THE_APP.some((each) => each.test(module)))).toEqual([])
})
