import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ratchet } from './ratchet.ts'

/** A tree with one cast. `casts` is the allowed number. */
function treeWith(casts: number, source = 'export const a = 1 as unknown\n') {
  const root = mkdtempSync(join(tmpdir(), 'ratchet-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'shim'))
  writeFileSync(join(root, 'shim/a.ts'), source)
  writeFileSync(join(root, 'ratchet.json'), JSON.stringify({ casts, nonNull: 0, suppressions: 0, other: 7 }))
  return (lowers = false) => {
    const lines: string[] = []
    const code = ratchet(root, lowers, (line) => lines.push(line))
    return { code, said: lines.join('\n'), allowed: JSON.parse(readFileSync(join(root, 'ratchet.json'), 'utf8')) }
  }
}

describe('the ratchet of a tree', () => {
  it('holds where nothing changed', () => {
    expect(treeWith(1)()).toMatchObject({ code: 0, said: 'casts 1 of 1, nonNull 0 of 0, suppressions 0 of 0' })
  })

  it('fails where a number rose', () => {
    const { code, said } = treeWith(0)()
    expect(code).toBe(1)
    expect(said).toMatch(/^casts: 1, /)
  })

  it('says where a number may be lowered, and lowers it when asked', () => {
    const run = treeWith(2)
    const { code, said, allowed } = run()
    expect({ code, casts: allowed.casts }).toEqual({ code: 0, casts: 2 })
    expect(said).toContain('--lower')
    expect(run(true).allowed).toEqual({ casts: 1, nonNull: 0, suppressions: 0, other: 7 })
    expect(run(true).said).not.toContain('--lower')
  })

  it('never raises a number', () => expect(treeWith(0)(true).allowed.casts).toBe(0))

  it('fails on a suppression without a reason, naming its file', () => {
    const { code, said } = treeWith(0, `${'//'} oxlint-disable-line\nexport {}\n`)()
    expect(code).toBe(1)
    expect(said).toContain('shim/a.ts: ')
  })
})
