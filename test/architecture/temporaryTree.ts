// A small source tree in a folder of its own, with the repository's rules and packages. Tests use it to see a gate fail.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'

const RULES = ['floors.json', '.oxlintrc.json', 'tsconfig.json', 'tsconfig.core.json', 'package.json', 'biome.json']

/** Returns the root of the tree. The tree is removed when the test ends, or when `end` calls the function that it gets. */
export function temporaryTree(files: { readonly [path: string]: string }, end: (remove: () => void) => void = onTestFinished): string {
  const root = mkdtempSync(join(tmpdir(), 'joiner-tree-'))
  end(() => rmSync(root, { recursive: true, force: true }))
  for (const rule of RULES) cpSync(join(repositoryRoot, rule), join(root, rule))
  symlinkSync(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}
