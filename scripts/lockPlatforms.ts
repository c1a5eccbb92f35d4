// Keeps package-lock.json complete for every platform. If a registry mirror serves only this machine's binaries, npm drops the packages of other
// platforms from the lock file, and `npm ci` then refuses it everywhere. Without arguments, prints what is missing and exits with 1. `--write` adds
// the missing entries with their exact version, which is all that npm needs to skip or fetch them, and asks the registry for each missing checksum. A
// checksum may be missing only for a tool's binary for a platform on which nothing is built or released, if the registry does not have it.
// ratchet.json counts these, and the number may only fall.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { repositoryRoot } from './floors.ts'

const Entry = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  optional: z.boolean().optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  libc: z.array(z.string()).optional(),
  dev: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
})
const Ratchet = z.looseObject({ uncheckedBinaries: z.number() })
const LockShape = z.looseObject({ packages: z.record(z.string(), Entry) })
/** The lock file as it was read. Its members keep npm's order, because they are written back. */
const Lock = z.custom<z.infer<typeof LockShape>>((lock) => LockShape.safeParse(lock).success, 'package-lock.json is not as npm writes it')

export type LockEntry = z.infer<typeof Entry>
type Platform = { os?: string[]; cpu?: string[]; libc?: string[] }

const OPERATING_SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64']
const LIBRARIES = new Map([
  ['gnu', 'glibc'],
  ['musl', 'musl'],
])

/** Returns the platform in the name of a binary package, such as `@oxlint/binding-linux-x64-musl`. */
export function platformOf(name: string): Platform {
  const words = name.split(/[/-]/u)
  const os = words.filter((word) => OPERATING_SYSTEMS.includes(word))
  const cpu = words.filter((word) => PROCESSORS.includes(word))
  const libc = os.includes('linux') ? words.flatMap((word) => LIBRARIES.get(word) ?? []) : []
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }) }
}

/** Returns the entries that optional dependencies name and the lock file lacks, by their path in it. */
export function missingEntries(packages: Readonly<Record<string, LockEntry>>): Readonly<Record<string, LockEntry>> {
  const missing: Record<string, LockEntry> = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (packages[`${path}/node_modules/${name}`] !== undefined || packages[`node_modules/${name}`] !== undefined) continue
      missing[`node_modules/${name}`] = { version, ...(entry.dev === true && { dev: true }), optional: true, ...platformOf(name) }
    }
  }
  return missing
}

/**
 * Returns the paths of packages without a checksum. `here` holds those that CI, the app or the image may install; there may be none. `elsewhere`
 * holds the others.
 */
export function unchecked(packages: Readonly<Record<string, LockEntry>>): {
  readonly here: readonly string[]
  readonly elsewhere: readonly string[]
} {
  const paths = Object.keys(packages).filter((path) => {
    const { link, integrity } = packages[path] ?? {}
    return path !== '' && link !== true && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')
  })
  const isElsewhere = (path: string): boolean => isToolOfAnotherPlatform(packages[path] ?? {})
  return { here: paths.filter((path) => !isElsewhere(path)), elsewhere: paths.filter(isElsewhere) }
}

/** Reports whether the package is a tool for another platform. Building and releasing happens on Linux with glibc, on the two processors of AKS. */
function isToolOfAnotherPlatform({ dev, optional, os, cpu, libc }: LockEntry): boolean {
  const isOther =
    os?.includes('linux') === false ||
    (cpu !== undefined && !cpu.includes('x64') && !cpu.includes('arm64')) ||
    libc?.includes('glibc') === false
  return dev === true && optional === true && isOther
}

/**
 * Returns the checksum of a package from the registry. Undefined if the registry has no such package. `npm` runs npm and returns its exit code and
 * output.
 */
export function integrityOf(
  path: string,
  version: string,
  npm: (args: readonly string[]) => { readonly status: number | null; readonly stdout: string },
): string | undefined {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const { status, stdout } = npm(['view', `${name}@${version}`, 'dist.integrity'])
  return (status === 0 && stdout.trim()) || undefined
}

/** Returns the packages with missing checksums filled in. `ask` returns the registry's checksum for a path and version. */
export function withIntegrity(
  packages: Readonly<Record<string, LockEntry>>,
  ask: (path: string, version: string) => string | undefined,
): Readonly<Record<string, LockEntry>> {
  const { here, elsewhere } = unchecked(packages)
  const found = [...here, ...elsewhere].flatMap((path) => {
    const entry = packages[path]
    const integrity = entry?.version === undefined ? undefined : ask(path, entry.version)
    return integrity === undefined ? [] : [[path, { ...entry, integrity }] as const]
  })
  return { ...packages, ...Object.fromEntries(found) }
}

/** Returns what is wrong with a lock file, one sentence each. `allowed` is the number of other platforms' binaries that may lack a checksum. */
export function problemsOf(packages: Readonly<Record<string, LockEntry>>, allowed: number): readonly string[] {
  const { here, elsewhere } = unchecked(packages)
  const add = 'add it with: node scripts/lockPlatforms.ts --write'
  const rule = elsewhere.length > allowed ? 'the number may not rise' : 'lower the number there'
  return [
    ...Object.keys(missingEntries(packages)).map((name) => `package-lock.json lacks ${name}; ${add}`),
    ...here.map((each) => `package-lock.json has no checksum (integrity) of ${each}; ${add}`),
    ...(elsewhere.length === allowed
      ? []
      : [`${elsewhere.length} binaries of other platforms have no checksum, ratchet.json says ${allowed}; ${rule}`]),
  ]
}

export type LockOutside = {
  /** Returns the registry's checksum for a path and version. */
  readonly ask: (path: string, version: string) => string | undefined
  readonly say: (line: string) => void
}

/** Checks the lock file of a tree, or completes it if `writes`. Returns the exit code. */
export function lockGate(root: string, writes: boolean, { ask, say }: LockOutside): number {
  const path = join(root, 'package-lock.json')
  const lock = Lock.parse(JSON.parse(readFileSync(path, 'utf8')))
  if (writes) {
    const missing = missingEntries(lock.packages)
    const whole = withIntegrity({ ...lock.packages, ...missing }, ask)
    const packages = Object.fromEntries(Object.entries(whole).toSorted(([a], [b]) => a.localeCompare(b, 'en')))
    writeFileSync(path, `${JSON.stringify({ ...lock, packages }, undefined, 2)}\n`)
    say(`${Object.keys(missing).length} entries added`)
    return 0
  }
  const allowed = Ratchet.parse(JSON.parse(readFileSync(join(root, 'ratchet.json'), 'utf8'))).uncheckedBinaries
  const problems = problemsOf(lock.packages, allowed)
  for (const each of problems) say(each)
  return problems.length > 0 ? 1 : 0
}

if (import.meta.main) {
  const npm = (args: readonly string[]) => spawnSync('npm', [...args], { encoding: 'utf8' })
  process.exitCode = lockGate(repositoryRoot, process.argv.includes('--write'), {
    ask: (path, version) => integrityOf(path, version, npm),
    say: (line) => console.log(line),
  })
}
