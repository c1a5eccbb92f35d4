import { describe, expect, it } from 'vitest'
import type { PodClass } from '../model/pods/constraint.ts'
import { firstThatBinds, type OnNew, type Outcome } from './relocation.ts'

const [A, B, C, D, E] = 'abcde'.split('').map((id) => ({ id }) as unknown as PodClass)
type Answer = 'move' | 'refused'

/** Gives the outcomes one after another. Returns the result, and what had to go to new claims in each try. */
function play(outcomes: readonly (Answer | readonly (PodClass | undefined)[])[]) {
  const asked: (string | readonly string[])[] = []
  const result = firstThatBinds<Answer>(
    (onNew: OnNew): Outcome<Answer> => {
      asked.push(onNew === 'all' ? onNew : [...onNew].map(({ id }) => String(id)))
      const outcome = outcomes[asked.length - 1] ?? 'refused'
      return typeof outcome === 'string'
        ? { answer: outcome }
        : { unbound: new Set(outcome.filter((each): each is PodClass => each !== undefined)) }
    },
    (answer) => answer === 'move',
  )
  return { result, asked }
}

describe('firstThatBinds', () => {
  it.each<Answer>(['move', 'refused'])('returns the first answer if the pods bind in any order: %s', (answer) => {
    expect(play([answer])).toEqual({ result: answer, asked: [[]] })
  })

  it('sends the pods that find no place to new claims, and more of them in each try', () => {
    expect(play([[A], [B], [C], 'move'])).toEqual({ result: 'move', asked: [[], ['a'], ['a', 'b'], ['a', 'b', 'c']] })
  })

  it('sends all pods to new claims after three such tries', () => {
    const asked = [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], 'all']
    expect(play([[A], [B], [C], [D], 'move'])).toEqual({ result: 'move', asked })
    expect(play([[A], [B], [C], [D], [E]])).toEqual({ result: undefined, asked })
  })

  it('sends all pods at once if a try finds no other pods without a place, or no move', () => {
    expect(play([[A], [A], 'move'])).toEqual({ result: 'move', asked: [[], ['a'], 'all'] })
    expect(play([[A], 'refused', 'move'])).toEqual({ result: 'move', asked: [[], ['a'], 'all'] })
  })

  it('returns nothing if a later try is refused: the first one had places', () => {
    expect(play([[A], 'refused', 'refused'])).toEqual({ result: undefined, asked: [[], ['a'], 'all'] })
  })
})
