import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../floors.ts'
import { DIFFERENCES, NOT_REHEARSED } from './differences.ts'

const page = readFileSync(join(repositoryRoot, 'docs', 'local.md'), 'utf8')
const rowsBelow = (head: string): readonly string[] => {
  const [, after = ''] = page.split(`${head}\n|`)
  return after.split('\n\n')[0]?.split('\n').slice(1) ?? []
}

describe('the page on the local programs', () => {
  it('has each difference of the imitation', () =>
    expect(rowsBelow('| of | azd | its imitation |')).toEqual(
      DIFFERENCES.map(({ of, azd, imitation }) => `| ${of} | ${azd} | ${imitation} |`),
    ))

  it('has what is not rehearsed of azd in any mode', () =>
    expect(rowsBelow('| what | why |')).toEqual(NOT_REHEARSED.map(({ what, why }) => `| ${what} | ${why} |`)))
})
