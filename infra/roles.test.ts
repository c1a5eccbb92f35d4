import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { actionRows, SECTIONS } from './rights/page.ts'

const { custom } = JSON.parse(readFileSync(join(import.meta.dirname, 'roles.json'), 'utf8')) as {
  readonly custom: { readonly [role: string]: readonly string[] }
}
/** `nodeGroup` is written `Role node group`. */
const titleOf = (role: string): string => `Role ${role}`.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

describe('the roles of the app in Azure', () => {
  it('are those of docs/rights.md', () => {
    const titles = [...SECTIONS.keys()].filter((heading) => heading.startsWith('Role '))
    expect(Object.keys(custom).map(titleOf).sort()).toEqual(titles.sort())
  })

  it.each(Object.entries(custom))('%s has the actions of docs/rights.md, each with a reason', (role, actions) => {
    const rows = actionRows(titleOf(role))
    expect(rows.map(({ action }) => action).sort()).toEqual([...actions].sort())
    expect(rows.filter(({ why }) => why.length === 0)).toEqual([])
  })

  it('neither run commands, nor touch scale sets, nor read credentials, nor end with a wildcard', () => {
    const all = Object.values(custom).flat()
    expect(all.filter((action) => /runCommand|virtualMachineScaleSets|credential|\*/i.test(action))).toEqual([])
  })
})
