/** Each assumption about Azure has its source, and the step of smoke that proves it or the words `by hand`. */
import { describe, expect, it } from 'vitest'
import { isKind } from '../../cli/smoke/kinds.ts'
import { STEPS } from '../../cli/smoke/record.ts'
import { read } from './pages.ts'

type Row = { readonly what: string; readonly source: string; readonly step: string; readonly check: string; readonly workaround: string }

const HEAD = '| what is not proven | source | step of smoke | how to check by hand | workaround |'

function rowsOf(page: string): readonly Row[] {
  return page
    .slice(page.indexOf(HEAD) + HEAD.length)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --- '))
    .map((line) => {
      const [what = '', source = '', step = '', check = '', workaround = '', ...more] = line.replace(/^\| | \|$/g, '').split(' | ')
      return { what, source, step, check, workaround: [workaround, ...more].join(' | ') }
    })
}

/** A page of the vendor, a repository with the day on which it was read, or the fact that there is nothing. */
const SOURCE = /^(?:https:\/\/[\w.-]+\/\S+|[\w-]+\/[\w.-]+(?:, `[\w./-]+`)?, read on \d{4}-\d\d-\d\d|not published)$/

/** What is wrong with the step of a row. */
function wrongStep(step: string): string | undefined {
  if (step === 'by hand') return undefined
  const [, name = '', kinds] = /^`([a-z]+)(?: --kinds ([a-z,-]+))?`$/.exec(step) ?? []
  if (!STEPS.some((each) => each === name)) return `${step} is no step of smoke, and not: by hand`
  if (kinds !== undefined && name !== 'image') return `${step}: only the step image has kinds`
  return kinds?.split(',').every(isKind) === false ? `${step} names a kind that there is not` : undefined
}

const rows = rowsOf(read('docs/first-deployment.md'))

describe('docs/first-deployment.md', () => {
  it('is read', () => {
    expect(rows.length).toBeGreaterThan(40)
    expect(rows.filter((row) => Object.values(row).some((cell) => cell === ''))).toEqual([])
    expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length)
  })

  it.each(rows)('$what: has a source and a step, or says by hand', ({ source, step }) => {
    expect(source).toMatch(SOURCE)
    expect(wrongStep(step)).toBe(undefined)
  })

  it('has an assumption for each step of smoke', () => {
    const named = new Set(rows.map(({ step }) => /^`([a-z]+)/.exec(step)?.[1]))
    expect(STEPS.filter((name) => !named.has(name))).toEqual([])
  })

  it.each([
    ['`party`', 'no step'],
    ['image', 'no step'],
    ['`end --kinds gpu`', 'only the step image'],
    ['`image --kinds gpu,party`', 'names a kind'],
    ['', 'no step'],
  ])('would not accept the step %j', (step, why) => expect(wrongStep(step)).toContain(why))
})
