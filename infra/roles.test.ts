import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../scripts/floors.ts'

const { custom } = JSON.parse(readFileSync(join(import.meta.dirname, 'roles.json'), 'utf8')) as {
  readonly custom: { readonly [role: string]: readonly string[] }
}
const [, azure = ''] = readFileSync(join(repositoryRoot, 'docs/rights.md'), 'utf8').split('\n# Rights in Azure\n')
const sections = new Map(
  azure
    .split(/^## Role /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), rowsOf(text)] as const),
)

type Row = { readonly action: string; readonly why: string }

function rowsOf(text: string): readonly Row[] {
  const [table = ''] = text.split(/\n## /)
  return [...table.matchAll(/^\| `(Microsoft\.[^`]+)` *\| (.*?) *\|$/gm)].map(([, action = '', why = '']) => ({ action, why }))
}

/** `nodeGroup` is written `node group`. */
const titleOf = (role: string): string => role.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

describe('the roles of the app in Azure', () => {
  it('are those of docs/rights.md', () => expect(Object.keys(custom).map(titleOf).sort()).toEqual([...sections.keys()].sort()))

  it.each(Object.entries(custom))('%s has the actions of docs/rights.md, each with a reason', (role, actions) => {
    const rows = sections.get(titleOf(role)) ?? []
    expect(rows.map(({ action }) => action).sort()).toEqual([...actions].sort())
    expect(rows.filter(({ why }) => why.length === 0)).toEqual([])
  })

  it('neither run commands, nor touch scale sets, nor read credentials, nor end with a wildcard', () => {
    const all = Object.values(custom).flat()
    expect(all.filter((action) => /runCommand|virtualMachineScaleSets|credential|\*/i.test(action))).toEqual([])
  })
})
