import { describe, expect, it } from 'vitest'
import { readDownOptions } from './downOptions.ts'

describe('what becomes of the machines', () => {
  it.each([
    [{ JOINER_DOWN: 'drain' }, false, 'drain'],
    [{ JOINER_DOWN: 'keep' }, true, 'keep'],
    [{}, true, 'ask'],
    [{ JOINER_DOWN: '' }, true, 'ask'],
  ] as const)('%j, terminal %s: %s', (environment, isTerminal, machines) => {
    expect(readDownOptions(environment, isTerminal)).toMatchObject({ ok: true, value: { machines, limit: 1_800_000 } })
  })

  it.each([
    [{}, false],
    [{ AZD_NO_PROMPT: 'true' }, true],
    [{ JOINER_DOWN: 'delete' }, true],
  ])('%j, terminal %s, is refused with what to set', (environment, isTerminal) => {
    const said = 'azd env set JOINER_DOWN drain (machines are drained and deleted) or azd env set JOINER_DOWN keep (machines stay)'
    expect(readDownOptions(environment, isTerminal)).toEqual({ ok: false, error: expect.stringContaining(said) })
  })

  it('has a time that the drain may take', () => {
    expect(readDownOptions({ JOINER_DOWN: 'drain', JOINER_DOWN_TIMEOUT: '45m' }, false)).toMatchObject({ value: { limit: 2_700_000 } })
    for (const text of ['45', '0m', '-1m', '1d', '1.5h'])
      expect(readDownOptions({ JOINER_DOWN: 'drain', JOINER_DOWN_TIMEOUT: text }, false)).toEqual({
        ok: false,
        error: `JOINER_DOWN_TIMEOUT is ${text}; it must be a time such as 45m`,
      })
  })
})
