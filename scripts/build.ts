// Bundles the two programs that ship, checks their sizes, packs the function app, and starts the package in an empty folder. `--clean` removes the
// files of earlier builds.
import { existsSync, rmSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { repositoryRoot } from './floors.ts'
import { leaveOut } from './leaveOut.ts'
import { writeNotices } from './notices.ts'
import { packApp, startPackage } from './packApp.ts'

export type Bundle = {
  readonly entry: string
  /**
   * The main file of the bundle. A module that is imported on demand becomes a file beside it, so that only its users pay for its time and memory.
   */
  readonly out: string
  /**
   * Packages that the platform's worker supplies, or that no program needs. All others must be in the bundle, because nothing is installed beside the
   * package.
   */
  readonly external: readonly string[]
  /** Largest size of all files of the bundle together. */
  readonly ceilingBytes: number
}

const MEBIBYTE = 1024 * 1024

/**
 * `debug` tries to import this package for the colours of a terminal, and works without it. Here it is installed for tools only, and would get into a
 * bundle unnoticed.
 */
const NOT_NEEDED: readonly string[] = ['supports-color']

export const BUNDLES: readonly Bundle[] = [
  {
    entry: 'functions/main.ts',
    out: 'dist/functions/main.mjs',
    external: ['@azure/functions-core', ...NOT_NEEDED],
    ceilingBytes: 5 * MEBIBYTE,
  },
  { entry: 'shim/main.ts', out: 'dist/shim/main.mjs', external: NOT_NEEDED, ceilingBytes: 3 * MEBIBYTE },
]

/** Definitions of `require` and `__dirname`, which CommonJS packages inside an ES module still use. */
const ESM_BANNER = [
  "import { createRequire as joinerCreateRequire } from 'node:module';",
  'const require = joinerCreateRequire(import.meta.url);',
  'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
].join('')

/** Bundles a program. Returns the size of the code in bytes, without source maps. Undefined if the entry does not exist. */
export async function bundle(root: string, wanted: Bundle): Promise<number | undefined> {
  if (!existsSync(join(root, wanted.entry))) return undefined
  const metafile = await writeBundle(root, wanted)
  if (existsSync(join(root, 'LICENSE'))) writeNotices(root, dirname(wanted.out), metafile)
  const code = Object.entries(metafile.outputs).filter(([file]) => file.endsWith(extname(wanted.out)))
  return code.reduce((sum, [, { bytes }]) => sum + bytes, 0)
}

/** Writes the files of a bundle. Returns what each of them contains. */
export async function writeBundle(root: string, { entry, out, external }: Pick<Bundle, 'entry' | 'out' | 'external'>): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: dirname(out),
    outExtension: { '.js': extname(out) },
    splitting: true,
    chunkNames: '[name]-[hash]',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    legalComments: 'external',
    external: [...external],
    banner: { js: ESM_BANNER },
    plugins: [leaveOut],
    metafile: true,
    logLevel: 'warning',
  })
  return metafile
}

/** Returns why a bundle of this size is too large. Undefined if it is not. */
export function oversize(size: number, { out, ceilingBytes }: Bundle): string | undefined {
  return size > ceilingBytes ? `${out} has ${size} bytes, its ceiling is ${ceilingBytes}: look at what the last change imports` : undefined
}

export type Build = {
  readonly root: string
  readonly bundles: readonly Bundle[]
  /** Removes the files of earlier builds first. */
  readonly cleans: boolean
  readonly say: (line: string) => void
}

/** Builds all bundles. Returns the exit code. */
export async function buildAll({ root, bundles, cleans, say }: Build): Promise<number> {
  let problems = 0
  for (const each of bundles) {
    // The names of parts contain a hash of their content, so parts of earlier builds stay until `--clean`. A running program may still need them.
    if (cleans) rmSync(join(root, dirname(each.out)), { recursive: true, force: true })
    const size = await bundle(root, each)
    if (size === undefined) {
      say(`skipped: ${each.entry} does not exist yet`)
      continue
    }
    const problem = oversize(size, each) ?? (await startUp(root, each, say))
    say(problem ?? `${each.out} ${(size / MEBIBYTE).toFixed(2)} MiB of ${(each.ceilingBytes / MEBIBYTE).toFixed(0)}`)
    if (problem !== undefined) problems += 1
  }
  return problems > 0 ? 1 : 0
}

/** Starts the function app as it is deployed. Its functions must register without a host, with the settings of the sample. */
async function startUp(root: string, { entry, out }: Bundle, say: Build['say']): Promise<string | undefined> {
  if (entry !== 'functions/main.ts') return undefined
  packApp(root, dirname(out))
  const { output, problem } = await startPackage(root, dirname(out))
  say(output.trim())
  return problem
}

if (import.meta.main) {
  const cleans = process.argv.includes('--clean')
  process.exitCode = await buildAll({ root: repositoryRoot, bundles: BUNDLES, cleans, say: (line) => console.log(line) })
}
