import { expect, it } from 'vitest'
import { createTurns } from './oneAtATime.ts'

it('runs one after another, also behind one that failed', async () => {
  const inTurn = createTurns()
  const steps: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      steps.push(`${name} begins`)
      await Promise.resolve()
      steps.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const all = await Promise.allSettled([inTurn(work('a')), inTurn(work('b', true)), inTurn(work('c'))])
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})
