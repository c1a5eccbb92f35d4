/** A reader who has a problem code finds its symptom on the page. A reader who has an alert finds its section. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { PROBLEM_CODES } from '../../shared/model/problem.ts'
import { read } from './pages.ts'

const page = read('docs/troubleshoot.md')
const named = new Set([...page.matchAll(/`([A-Z]+(?:\.[A-Z_]+)+)`/g)].map(([, code]) => code))

describe('docs/troubleshoot.md', () => {
  it('says of each code by what it shows itself', () => {
    // All PREFLIGHT codes share one symptom: the line that the preflight prints.
    const wanted = PROBLEM_CODES.filter((code) => !code.startsWith('PREFLIGHT.'))
    expect(page).toContain('`PREFLIGHT.`')
    expect(wanted.filter((code) => !named.has(code))).toEqual([])
  })

  it('names no code that there is not', () => {
    const known: ReadonlySet<string> = new Set(PROBLEM_CODES)
    expect([...named].filter((code) => !known.has(code ?? ''))).toEqual([])
  })

  it('leads to the page of each alert', () => {
    const pages = readdirSync(join(repositoryRoot, 'docs/runbooks'))
    expect(pages.filter((name) => !page.includes(`](runbooks/${name})`))).toEqual([])
  })
})
