import { expect, it } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { createVirtualClock } from '../memory/virtualClock.ts'
import { createRecentTokens } from './recentTokens.ts'

const START = epochMs(1_800_000_000_000)
const SECOND = 1_000

function scene(lifeMs: number) {
  const clock = createVirtualClock(START)
  const asked: string[] = []
  const tokens = createRecentTokens(
    {
      getToken: async (scope) => {
        asked.push(String(scope))
        return { token: `${String(scope)} ${asked.length}`, expiresOnTimestamp: clock.now() + lifeMs }
      },
    },
    clock,
  )
  return { clock, asked, tokens }
}

it('the credential is asked for each scope, and again after half a minute', async () => {
  const { clock, asked, tokens } = scene(3_600 * SECOND)
  expect([await tokens('a'), await tokens('a'), await tokens('b')]).toEqual(['a 1', 'a 1', 'b 2'])
  await clock.advance(30 * SECOND)
  expect(await tokens('a')).toBe('a 3')
  expect(asked).toEqual(['a', 'b', 'a'])
})

it('a token that ends soon is not used twice', async () => {
  const { asked, tokens } = scene(30 * SECOND)
  await tokens('a')
  await tokens('a')
  expect(asked).toHaveLength(2)
})

it('no token is a refusal', async () => {
  const tokens = createRecentTokens({ getToken: async () => null }, createVirtualClock(START))
  await expect(tokens('a')).rejects.toMatchObject({ problem: { code: 'AZURE.FORBIDDEN' } })
})
