// Bundles the two programs that ship, holds them under a size, and starts the function app's bundle once.
import { existsSync, statSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { repositoryRoot } from './floors.ts'
import { runCommand } from './runCommand.ts'

export type Bundle = {
  readonly entry: string
  readonly out: string
  readonly format: 'cjs' | 'esm'
  /** The Functions host supplies its own copy of these. */
  readonly external: readonly string[]
  readonly ceilingBytes: number
  /** What is imported on demand becomes a file of its own beside `out`, so that memory is paid for by who uses it. */
  readonly splitting?: true
}

const MEBIBYTE = 1024 * 1024

export const BUNDLES: readonly Bundle[] = [
  {
    entry: 'functions/main.ts',
    out: 'dist/functions/main.cjs',
    format: 'cjs',
    external: ['@azure/functions', '@azure/functions-core'],
    ceilingBytes: 5 * MEBIBYTE,
  },
  { entry: 'shim/main.ts', out: 'dist/shim/main.mjs', format: 'esm', external: [], ceilingBytes: MEBIBYTE, splitting: true },
]

/** CommonJS packages inside an ES module still ask for `require` and `__dirname`. */
const ESM_BANNER = [
  "import { createRequire as joinerCreateRequire } from 'node:module';",
  'const require = joinerCreateRequire(import.meta.url);',
  'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
].join('')

/** Size in bytes, or undefined when there is no entry to bundle. */
export async function bundle(root: string, { entry, out, format, external, splitting }: Bundle): Promise<number | undefined> {
  if (!existsSync(join(root, entry))) return undefined
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    ...(splitting ? splitOutput(out) : { outfile: out }),
    bundle: true,
    format,
    platform: 'node',
    target: 'node22',
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    legalComments: 'external',
    external: [...external],
    ...(format === 'esm' ? { banner: { js: ESM_BANNER } } : {}),
    logLevel: 'warning',
  })
  return statSync(join(root, out)).size
}

/** Chunks keep one name each, so a second build replaces them. */
function splitOutput(out: string): BuildOptions {
  return { splitting: true, outdir: dirname(out), outExtension: { '.js': extname(out) }, chunkNames: '[name]-[hash]' }
}

/** What is wrong with a bundle of this size, if anything. */
export function oversize(size: number, { out, ceilingBytes }: Bundle): string | undefined {
  return size > ceilingBytes ? `${out} has ${size} bytes, its ceiling is ${ceilingBytes}: look at what the last change imports` : undefined
}

async function buildAll(): Promise<boolean> {
  let good = true
  for (const each of BUNDLES) {
    const size = await bundle(repositoryRoot, each)
    if (size === undefined) {
      console.log(`skipped: ${each.entry} does not exist yet`)
      continue
    }
    const problem = oversize(size, each) ?? (await startUp(each))
    console.log(problem ?? `${each.out} ${(size / MEBIBYTE).toFixed(2)} MiB of ${(each.ceilingBytes / MEBIBYTE).toFixed(0)}`)
    good &&= problem === undefined
  }
  return good
}

/** Loads the bundle in a process of its own; the function app must register functions without a host and without settings being read wrong. */
async function startUp({ entry, out }: Bundle): Promise<string | undefined> {
  if (entry !== 'functions/main.ts') return undefined
  const { code, output } = await runCommand(process.execPath, ['scripts/startupSmoke.ts', out], { cwd: repositoryRoot })
  console.log(output.trim())
  return code === 0 ? undefined : `${out} does not start`
}

if (import.meta.main) process.exitCode = (await buildAll()) ? 0 : 1
