// Keeps package-lock.json whole on every platform. A registry mirror that serves this machine's binaries only makes npm drop the packages of
// the other platforms from the lock, and `npm ci` then refuses the lock everywhere. Without arguments it says what is missing and exits 1;
// `--write` adds the missing entries with their exact version, which is all npm needs to pass them over or to fetch them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './floors.ts'

export type LockEntry = {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
export type LockPackages = Readonly<Record<string, LockEntry>>

const OPERATING_SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64']
const LIBRARIES = new Map([
  ['gnu', 'glibc'],
  ['musl', 'musl'],
])

/** The platform that a binary package's name ends in, such as `@oxlint/binding-linux-x64-musl`. */
export function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/u)
  const os = words.filter((word) => OPERATING_SYSTEMS.includes(word))
  const cpu = words.filter((word) => PROCESSORS.includes(word))
  const libc = os.includes('linux') ? words.flatMap((word) => LIBRARIES.get(word) ?? []) : []
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }) }
}

/** The entries that optional dependencies name and the lock does not have, by their path in it. */
export function missingEntries(packages: LockPackages): Readonly<Record<string, LockEntry>> {
  const missing: Record<string, LockEntry> = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (packages[`${path}/node_modules/${name}`] !== undefined || packages[`node_modules/${name}`] !== undefined) continue
      missing[`node_modules/${name}`] = { version, ...(entry.dev === true && { dev: true }), optional: true, ...platformOf(name) }
    }
  }
  return missing
}

if (import.meta.main) {
  const path = join(repositoryRoot, 'package-lock.json')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm's own file, made by npm
  const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: LockPackages }
  const missing = missingEntries(lock.packages)
  const names = Object.keys(missing)
  if (process.argv.includes('--write')) {
    const packages = Object.fromEntries(Object.entries({ ...lock.packages, ...missing }).toSorted(([a], [b]) => a.localeCompare(b, 'en')))
    writeFileSync(path, `${JSON.stringify({ ...lock, packages }, undefined, 2)}\n`)
    console.log(`${names.length} entries added`)
  } else {
    for (const name of names) console.error(`package-lock.json lacks ${name}; add it with: node scripts/lockPlatforms.ts --write`)
    process.exitCode = names.length > 0 ? 1 : 0
  }
}
