import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { settle } from '../shared/base/concurrency.ts'
import { ok } from '../shared/base/result.ts'
import { clusterId } from '../shared/model/ids.ts'
import { epochMs } from '../shared/model/units.ts'
import { createQuestionTurns } from './questionTurns.ts'

const NEVER = new AbortController().signal

function fixture() {
  const clock = createVirtualClock(epochMs(0))
  const turns = createQuestionTurns(clock)
  const times: string[] = []
  let atOnce = 0
  let most = 0
  /** A question whose answer takes this long. */
  const ask = (name: string, cluster: string, ms: number, signal: AbortSignal = NEVER) =>
    turns(
      clusterId(cluster),
      async () => {
        most = Math.max(most, ++atOnce)
        const from = clock.now()
        await clock.sleep(ms, NEVER)
        atOnce--
        times.push(`${name} ${from}-${clock.now()}`)
        if (name === 'fails') throw new Error('a bug')
        return ok(name)
      },
      signal,
    )
  return { clock, ask, times, most: () => most }
}

describe('questions to a process', () => {
  it('are answered one at a time, with a pause as long as the answer after each, and a second at most', async () => {
    const { clock, ask, times, most } = fixture()
    const all = [ask('a', 'one', 100), ask('b', 'two', 3_000), ask('c', 'one', 10)]
    await clock.advance(10_000)
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c'].map(ok))
    expect([times, most()]).toEqual([['a 0-100', 'b 200-3200', 'c 4200-4210'], 1])
    void ask('d', 'one', 10)
    await clock.advance(10)
    expect(times.at(-1)).toBe('d 10000-10010')
  })

  it('are refused where one cluster has too many, and where all have, with the time to ask again', async () => {
    const { clock, ask } = fixture()
    const names = Array.from({ length: 6 }, (_, index) => index)
    const many = names.flatMap((cluster) => names.map((index) => ask(`${index}`, `cluster-${cluster}`, 1)))
    await clock.advance(1_000)
    const answers = await Promise.all(many)
    const refused = { ok: false, error: { code: 'INPUT.TOO_MANY_QUESTIONS', retryAfterMs: 2_000 } }
    const answered = names.map((cluster) => answers.slice(cluster * 6, cluster * 6 + 6).filter((each) => each.ok).length)
    expect(answered).toEqual([4, 4, 4, 4, 0, 0])
    for (const each of answers.filter((answer) => !answer.ok)) expect(each).toMatchObject(refused)
    const later = ask('later', 'cluster-5', 1)
    await clock.advance(10)
    expect(await later).toEqual(ok('later'))
  })

  it('do not hold up the next one where an answer fails, or is not waited for any more', async () => {
    const { clock, ask, times } = fixture()
    const over = new AbortController()
    const all = ['fails', 'given up', 'next'].map((name) => settle(() => ask(name, 'one', 100, name === 'given up' ? over.signal : NEVER)))
    await clock.advance(150)
    over.abort(new Error('too late'))
    await clock.advance(1_000)
    expect(await Promise.all(all)).toMatchObject([
      { error: { message: 'a bug' } },
      { error: { message: 'too late' } },
      { value: ok('next') },
    ])
    expect(times).toEqual(['fails 0-100', 'next 200-300'])
  })
})
