import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../../scripts/floors.ts'
import type { Right } from './rights.ts'

export const PAGE = readFileSync(join(repositoryRoot, 'docs/rights.md'), 'utf8')

/** The rows of the tables after the line `start`, up to the next heading or role. */
export function rowsAfter(start: string): readonly { readonly rights: readonly Right[]; readonly why: string }[] {
  const [, rest = ''] = PAGE.split(start)
  const [part = ''] = rest.split(/\n(?:## |Role )/)
  return [...part.matchAll(/^\| ([a-z, ]+?) +\| ([a-z0-9.-]+\/[a-z/]+) +\| (.*?) *\|$/gm)].map(
    ([, verbs = '', resource = '', why = '']) => ({
      rights: verbs.split(', ').map((verb) => `${verb} ${resource}`),
      why,
    }),
  )
}

export function rightsAfter(start: string): readonly Right[] {
  return rowsAfter(start)
    .flatMap(({ rights }) => rights)
    .sort()
}
