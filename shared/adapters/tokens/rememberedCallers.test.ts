import { describe, expect, it } from 'vitest'
import { err, ok } from '../../base/result.ts'
import { problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { CallerIdentity } from '../../ports/callerIdentity.ts'
import { createVirtualClock } from '../memory/virtualClock.ts'
import { createRememberedCallers } from './rememberedCallers.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const SECOND = 1_000

function tokenThatEnds(at: number | undefined, name = 'shim'): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `Bearer ${part({ alg: 'none' })}.${part({ sub: name, ...(at === undefined ? {} : { exp: at / SECOND }) })}.c2lnbmF0dXJl`
}

function scene() {
  const clock = createVirtualClock(START)
  const asked = { times: 0, refuses: false }
  const inner: CallerIdentity = {
    verify: async (authorization) => {
      asked.times++
      return asked.refuses ? err(problem('INPUT.UNAUTHENTICATED', 'no')) : ok({ identity: authorization ?? '' })
    },
  }
  const callers = createRememberedCallers(inner, clock)
  return { clock, asked, verify: (token: string | undefined) => callers.verify(token, NEVER) }
}

describe('a caller who proved who it is', () => {
  const token = tokenThatEnds(START + 3_600 * SECOND)

  it('is known by the same token for half a minute', async () => {
    const { clock, asked, verify } = scene()
    for (let post = 0; post < 60; post++) {
      expect(await verify(token)).toEqual(ok({ identity: token }))
      await clock.advance(SECOND)
    }
    expect(asked.times).toBe(2)
  })

  it('is not known by another token', async () => {
    const { asked, verify } = scene()
    await verify(token)
    const other = tokenThatEnds(START + 3_600 * SECOND, 'other')
    expect(await verify(other)).toEqual(ok({ identity: other }))
    expect(asked.times).toBe(2)
  })

  it('is asked again once the token is over, or where it has no end', async () => {
    const { clock, asked, verify } = scene()
    const short = tokenThatEnds(START + 5 * SECOND)
    await verify(short)
    await clock.advance(5 * SECOND)
    asked.refuses = true
    expect(await verify(short)).toMatchObject({ ok: false })
    asked.refuses = false
    const endless = tokenThatEnds(undefined)
    await verify(endless)
    await verify(endless)
    expect(asked.times).toBe(4)
  })
})

it('a refusal is not remembered', async () => {
  const { asked, verify } = scene()
  asked.refuses = true
  const token = tokenThatEnds(START + 3_600 * SECOND)
  expect(await verify(token)).toMatchObject({ ok: false })
  asked.refuses = false
  expect(await verify(token)).toMatchObject({ ok: true })
})

it('who shows no token is refused unasked', async () => {
  const { asked, verify } = scene()
  expect(await verify(undefined)).toMatchObject({ ok: false, error: { code: 'INPUT.UNAUTHENTICATED' } })
  expect(asked.times).toBe(0)
})
