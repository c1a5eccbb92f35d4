import { describe, expect, it } from 'vitest'
import { NOT_YET } from './notYet.ts'
import { PLACEMENTS, problemsOf } from './problemsOf.ts'
import { TABLES } from './tables.ts'

const reasons = new Map<string, string>()
for (const { why, both = '', price = '', firstFit = '' } of NOT_YET) {
  for (const handle of `${both} ${price}`.split(/\s+/)) reasons.set(`price ${handle}`, why)
  for (const handle of `${both} ${firstFit}`.split(/\s+/)) reasons.set(`firstFit ${handle}`, why)
}

for (const [name, scenarios] of Object.entries(TABLES)) {
  describe(name, () => {
    for (const [sentence, scenario] of Object.entries(scenarios)) {
      for (const placement of PLACEMENTS) {
        const why = reasons.get(`${placement} ${handleOf(sentence)}`)
        it(`${sentence} (${placement}${why === undefined ? '' : `, not yet: ${why}`})`, () => {
          const problems = problemsOf(scenario, placement)
          if (why === undefined) expect(problems.join('\n')).toBe('')
          else expect(problems, 'it holds now: take its handle off notYet.ts').not.toEqual([])
        })
      }
    }
  })
}

describe('the table of what does not hold yet', () => {
  const handles = Object.values(TABLES).flatMap((scenarios) => Object.keys(scenarios).map(handleOf))

  it('names scenarios that exist', () => {
    const named = [...reasons.keys()].map((each) => each.split(' ')[1] ?? '').filter((each) => each !== '')
    expect(named.filter((handle) => !handles.includes(handle))).toEqual([])
  })

  it('can name each scenario by a handle of its own', () =>
    expect(handles.filter((each, index) => handles.indexOf(each) !== index)).toEqual([]))
})

function handleOf(sentence: string): string {
  return sentence.split(' ')[0] ?? ''
}
