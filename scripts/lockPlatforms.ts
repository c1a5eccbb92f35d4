// Keeps package-lock.json whole on every platform. A registry mirror that serves this machine's binaries only makes npm drop the packages of
// the other platforms from the lock, and `npm ci` then refuses the lock everywhere. Without arguments it says what is missing and exits 1;
// `--write` adds the missing entries with their exact version, which is all npm needs to pass them over or to fetch them, and asks the registry for
// each checksum that is missing. A checksum may be missing only of a tool's binary for a platform on which nothing is built or released, where
// the registry that was asked does not have it; ratchet.json counts those, and the number may only fall.
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
/** As it was read, with its members in the order that npm gave them: they are written back. */
const Lock = z.custom<z.infer<typeof LockShape>>((lock) => LockShape.safeParse(lock).success, 'package-lock.json is not as npm writes it')

export type LockEntry = z.infer<typeof Entry>
type Platform = { os?: string[]; cpu?: string[]; libc?: string[] }

const OPERATING_SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64']
const LIBRARIES = new Map([
  ['gnu', 'glibc'],
  ['musl', 'musl'],
])

/** The platform that a binary package's name ends in, such as `@oxlint/binding-linux-x64-musl`. */
export function platformOf(name: string): Platform {
  const words = name.split(/[/-]/u)
  const os = words.filter((word) => OPERATING_SYSTEMS.includes(word))
  const cpu = words.filter((word) => PROCESSORS.includes(word))
  const libc = os.includes('linux') ? words.flatMap((word) => LIBRARIES.get(word) ?? []) : []
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }) }
}

/** The entries that optional dependencies name and the lock does not have, by their path in it. */
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

/** Of packages whose content nothing vouches for. `here`: those that CI, the app or the image may take; there may be none. */
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

/** Built and released is on Linux with glibc, on both processors that AKS has. */
function isToolOfAnotherPlatform({ dev, optional, os, cpu, libc }: LockEntry): boolean {
  const isOther =
    os?.includes('linux') === false ||
    (cpu !== undefined && !cpu.includes('x64') && !cpu.includes('arm64')) ||
    libc?.includes('glibc') === false
  return dev === true && optional === true && isOther
}

/** What the registry says, or undefined where it has no such package. `npm`: runs npm, and gives its exit code and what it printed. */
export function integrityOf(
  path: string,
  version: string,
  npm: (args: readonly string[]) => { readonly status: number | null; readonly stdout: string },
): string | undefined {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const { status, stdout } = npm(['view', `${name}@${version}`, 'dist.integrity'])
  return (status === 0 && stdout.trim()) || undefined
}

/** `ask`: what the registry says of a path and version. */
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

/** What is wrong with a lock file, one sentence each. `allowed`: so many binaries of other platforms may be without a checksum. */
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
  /** What the registry says of a path and version. */
  readonly ask: (path: string, version: string) => string | undefined
  readonly say: (line: string) => void
}

/** Judges the lock file of a tree, or makes it whole where `writes`. Its exit code. */
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
