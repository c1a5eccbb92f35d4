import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, walk } from '../../scripts/floors.ts'
import { AZD } from '../check/rules/azd.ts'

/** Variables named AZURE_ that azd does not set: the only files that may read them, and who sets them. */
const OTHERS: { readonly [name: string]: { readonly files: readonly string[]; readonly setBy: string } } = {
  AZURE_CLIENT_ID: { files: ['cli/clusterAccess.ts'], setBy: 'a machine that deploys with its own identity' },
  AZURE_TENANT_ID: { files: ['cli/clusterAccess.ts'], setBy: 'a person, to log in to another tenant' },
}

const outputs = new Set(
  ['main', 'demo', 'events'].flatMap((layer) =>
    [...readFileSync(join(repositoryRoot, `infra/${layer}.bicep`), 'utf8').matchAll(/^output (\w+)/gm)].map(([, name = '']) => name),
  ),
)
const FILES = walk(repositoryRoot, (name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).filter((file) =>
  /^(cli|infra\/hooks)\/(?!testing\/|convert\/)/.test(file),
)
/** What looks like a name in the environment: read as a key, or destructured. */
const NAME = /(?<![\w.])(AZURE_[A-Z_]+)(?=['"]?\s*[\]:,}])/g

describe('variables that hooks and commands read', () => {
  it('are set by azd or the templates, or there is a reason', () => {
    const read = FILES.flatMap((file) =>
      [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(NAME)].map(([, name = '']) => ({ file, name })),
    )
    expect(read.filter(({ name }) => AZD.has(name)).length).toBeGreaterThan(5)
    const strange = read.filter(({ file, name }) => !AZD.has(name) && !outputs.has(name) && OTHERS[name]?.files.includes(file) !== true)
    expect(strange).toEqual([])
    expect(Object.keys(OTHERS).filter((name) => !read.some((each) => each.name === name))).toEqual([])
  })
})
