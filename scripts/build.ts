// Bundles the two programs that ship, holds them under a size, packs the function app and starts the package where there is nothing else.
// `--clean` removes what earlier builds left beside them.
import { existsSync, rmSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { repositoryRoot } from './floors.ts'
import { leaveOut } from './leaveOut.ts'
import { packApp, startPackage } from './packApp.ts'

export type Bundle = {
  readonly entry: string
  /** What is imported on demand becomes a file of its own beside it, so that time and memory are paid for by who uses it. */
  readonly out: string
  /** The platform's worker supplies these, or nobody has to; all else must be inside, for nothing is installed beside the package. */
  readonly external: readonly string[]
  /** Of all files of the bundle together. */
  readonly ceilingBytes: number
}

const MEBIBYTE = 1024 * 1024

/** `debug` asks for the colours of a terminal and does without: here they are installed for tools only, and would go into a bundle unseen. */
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

/** CommonJS packages inside an ES module still ask for `require` and `__dirname`. */
const ESM_BANNER = [
  "import { createRequire as joinerCreateRequire } from 'node:module';",
  'const require = joinerCreateRequire(import.meta.url);',
  'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
].join('')

/** Size in bytes of the code, without source maps; undefined when there is no entry to bundle. */
export async function bundle(root: string, wanted: Bundle): Promise<number | undefined> {
  if (!existsSync(join(root, wanted.entry))) return undefined
  const code = Object.entries((await writeBundle(root, wanted)).outputs).filter(([file]) => file.endsWith(extname(wanted.out)))
  return code.reduce((sum, [, { bytes }]) => sum + bytes, 0)
}

/** Writes the files of a bundle; answers what went into each. */
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

/** What is wrong with a bundle of this size, if anything. */
export function oversize(size: number, { out, ceilingBytes }: Bundle): string | undefined {
  return size > ceilingBytes ? `${out} has ${size} bytes, its ceiling is ${ceilingBytes}: look at what the last change imports` : undefined
}

export type Build = {
  readonly root: string
  readonly bundles: readonly Bundle[]
  /** Removes first what earlier builds left. */
  readonly cleans: boolean
  readonly say: (line: string) => void
}

/** Its exit code. */
export async function buildAll({ root, bundles, cleans, say }: Build): Promise<number> {
  let problems = 0
  for (const each of bundles) {
    // Parts have names made of their content, so those of earlier builds stay until somebody asks; a running program may still need them.
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

/** The function app as it is deployed: its functions must register without a host and without settings being read wrong. */
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
