// Bundles the two programs that ship, into a folder of their own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Metafile } from 'esbuild'
import { BUNDLES, writeBundle } from '../build.ts'
import { walk } from '../floors.ts'
import { writeNotices } from '../notices.ts'
import { packApp } from '../packApp.ts'
import type { PackedFile } from './packedFile.ts'

export type Program = {
  readonly name: string
  /** The files that run, with the texts of the licences that must ship with them. */
  readonly files: readonly PackedFile[]
  /** Source maps for reading stack traces. They do not ship. */
  readonly maps: readonly PackedFile[]
  readonly metafile: Metafile
}

/** Builds the programs beside the output of `npm run build`, which a running program may still need. */
export async function buildPrograms(root: string, version: string): Promise<readonly Program[]> {
  mkdirSync(join(root, '.local'), { recursive: true })
  const staging = mkdtempSync(join(root, '.local/release-'))
  try {
    const programs: Program[] = []
    for (const each of BUNDLES) {
      const name = dirname(each.entry)
      const folder = join('.local', basename(staging), name)
      const metafile = await writeBundle(root, { ...each, out: join(folder, basename(each.out)) })
      writeNotices(root, folder, metafile)
      if (name === 'functions') packApp(root, folder, version)
      programs.push({ name, metafile, ...filesIn(join(root, folder)) })
    }
    return programs
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function filesIn(folder: string): Pick<Program, 'files' | 'maps'> {
  const all = walk(folder, () => true).map((path) => ({ path, bytes: readFileSync(join(folder, path)) }))
  const isMap = ({ path }: PackedFile): boolean => path.endsWith('.map')
  return { files: all.filter((file) => !isMap(file)), maps: all.filter(isMap) }
}
