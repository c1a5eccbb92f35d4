// Keeps package-lock.json whole on every platform. A registry mirror that serves this machine's binaries only makes npm drop the packages of
// the other platforms from the lock, and `npm ci` then refuses the lock everywhere. Without arguments it says what is missing and exits 1;
// `--write` adds the missing entries with their exact version, which is all npm needs to pass them over or to fetch them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { repositoryRoot } from './floors.ts'

const Entry = z.looseObject({
  version: z.string().optional(),
  dev: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
})
const Lock = z.looseObject({ packages: z.record(z.string(), Entry) })

export type LockEntry = z.infer<typeof Entry>
type Platform = { readonly os?: readonly string[]; readonly cpu?: readonly string[]; readonly libc?: readonly string[] }

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

if (import.meta.main) {
  const path = join(repositoryRoot, 'package-lock.json')
  const lock = Lock.parse(JSON.parse(readFileSync(path, 'utf8')))
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
