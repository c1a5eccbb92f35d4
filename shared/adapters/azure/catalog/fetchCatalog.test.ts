import { describe, expect, it } from 'vitest'
import { LEFT_OUT, type LeftOut } from '../sizes/size.ts'
import { noSizeText } from './fetchCatalog.ts'

const RULES = (['restricted', 'aks', 'confidential', 'constrained', 'name', 'small', 'gpu'] as const).map(
  (rule) => [rule, LEFT_OUT[rule]] as const,
)

describe('a region without a usable size', () => {
  it('has a wrong name only if Azure lists no size of it', () => {
    expect(noSizeText(new Map())).toBe("Azure lists none; check the location of the cluster's config")
  })

  it.each(RULES)('names the rule that leaves out its sizes: %s', (rule, words) => {
    const text = noSizeText(new Map([[rule, ['Standard_A0', 'Standard_A1', 'Standard_A2']]]))
    expect(text).toContain(`3 ${words}`)
    expect(text).not.toContain('check the location')
    expect(text.includes('ask Azure support for access')).toBe(rule === 'restricted')
  })

  it('is tested with each rule that there is', () => {
    expect(RULES.map(([rule]) => rule).sort()).toEqual(Object.keys(LEFT_OUT).sort())
  })

  it('names the rule of the most sizes first', () => {
    expect(
      noSizeText(
        new Map<LeftOut, readonly string[]>([
          ['small', ['Standard_A0', 'Standard_A1']],
          ['restricted', Array.from({ length: 400 }, (_, index) => `Standard_D${index}`)],
        ]),
      ),
    ).toBe(
      '400 are restricted for the subscription in this region, 2 have less than 2 CPUs or 3.5 GiB, or do not say how much; ask Azure support for access to sizes in this region',
    )
  })
})
