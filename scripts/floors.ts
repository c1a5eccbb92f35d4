// Reads floors.json, the only copy of "who may import whom". All rules and checks are derived from it here.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

export type Floor = {
  readonly name: string
  readonly level: number
  readonly folder: string
  /** Names of floors. `adapters` means all adapters. */
  readonly imports: readonly string[]
  /** npm packages; a trailing `*` matches the rest of the name. */
  readonly packages: readonly string[]
  readonly builtins: boolean
  /** True if packages may come from devDependencies, because the folder does not ship. */
  readonly devPackages?: boolean
  /** Sub-folders, each with the sub-folders it may import. */
  readonly parts?: { readonly [part: string]: readonly string[] }
  readonly layers?: readonly Layers[]
  /** Floors that only these files may import. */
  readonly composes?: { readonly floors: readonly string[]; readonly only: readonly string[] }
}

/**
 * Folders below a folder, lowest first. Each may import only the folders before it. A folder stands for its own files; `.` is the folder itself.
 */
export type Layers = { readonly folder: string; readonly fromBottom: readonly string[] }

export type Floors = {
  readonly floors: readonly Floor[]
  readonly outside: { readonly folders: readonly string[] }
  readonly entries: { readonly about: string; readonly missing: readonly string[] } & {
    readonly [folder: string]: readonly string[] | string
  }
}

/** The repository this script belongs to. */
export const repositoryRoot: string = dirname(import.meta.dirname)

export function loadFloors(root: string = repositoryRoot): Floors {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the file is ours; the architecture tests check what they read from it
  return JSON.parse(readFileSync(join(root, 'floors.json'), 'utf8')) as Floors
}

/** Tests, and code that only tests use, in folders named `testing`. */
export const TEST_FILES = '\\.test(-d)?\\.ts$|/testing/'

export const isTestFile = (path: string): boolean => new RegExp(TEST_FILES).test(path)

/** Returns the floors that hold a path: exactly one in a good tree. `outside` stands for the folders that belong to no floor. */
export function floorsOf(path: string, { floors, outside }: Floors): readonly string[] {
  const inside = floors.filter((floor) => path.startsWith(`${floor.folder}/`)).map((floor) => floor.name)
  if (outside.folders.some((folder) => path.startsWith(`${folder}/`))) inside.push('outside')
  return inside
}

/** Returns every TypeScript file of the tree, declaration files excepted, sorted, as paths relative to the root. */
export function sourceFiles(root: string): readonly string[] {
  return walk(root, (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
}

const NOT_SOURCE = new Set(['node_modules', 'dist', 'coverage'])

/** Returns the files below the root whose name passes, without built, installed and hidden files. */
export function walk(root: string, pass: (name: string) => boolean): readonly string[] {
  const found: string[] = []
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || NOT_SOURCE.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile() && pass(entry.name)) found.push(relative(root, path).split(sep).join('/'))
    }
  }
  visit(root)
  return found.sort()
}

/** Returns the patterns of a folder's entries. Empty if the folder is no program. */
export function entriesOf(folder: string, { entries }: Floors): readonly string[] {
  const patterns = entries[folder]
  return folder === 'missing' || patterns === undefined || typeof patterns === 'string' ? [] : patterns
}

/** Returns the folders of programs. */
export function programs({ entries }: Floors): readonly string[] {
  return Object.keys(entries).filter((folder) => folder !== 'about' && folder !== 'missing')
}
