import { describe, expect, it } from 'vitest'
import { ask } from './ask.ts'

const ACCESS = { url: 'http://app/api/clusters/local/explain', headers: { 'x-functions-key': 'k' } }

/** Creates an app that gives these answers one after another, and then repeats the last one. */
function app(...answers: readonly Response[]) {
  const asked: string[] = []
  const pauses: number[] = []
  const fetched: typeof fetch = async (url, init) => {
    asked.push(`${String(url)} ${JSON.stringify(init?.headers)}`)
    return (answers[Math.min(asked.length, answers.length) - 1] ?? Response.error()).clone()
  }
  return { asked, pauses, deps: { fetch: fetched, pause: async (ms: number) => void pauses.push(ms) } }
}

const full = () => new Response('{"code":"INPUT.TOO_MANY_QUESTIONS"}', { status: 429, headers: { 'retry-after': '2' } })
const later = () => new Response('{"status":"asked"}', { status: 202, headers: { 'retry-after': '2' } })

describe('asking why', () => {
  it('asks again until the answer is there, as often as it is told', async () => {
    const { asked, pauses, deps } = app(later(), full(), new Response('pod a/b gets a new node\n'))
    expect(await ask(ACCESS, 'pods/a/b', deps)).toEqual({ ok: true, text: 'pod a/b gets a new node' })
    expect(asked).toEqual(Array(3).fill('http://app/api/clusters/local/explain/pods/a/b {"x-functions-key":"k"}'))
    expect(pauses).toEqual([2_000, 2_000])
  })

  it('gives advice where the app refuses its settings or has no functions', async () => {
    const refusal = Response.json(
      { code: 'SETTING.INVALID', message: 'the function app refuses its settings (GC_SCHEDULE)' },
      { status: 503 },
    )
    for (const [answer, words] of [
      [refusal, /^PREFLIGHT\.APP .*\(GC_SCHEDULE\); correct them/],
      [new Response('', { status: 404 }), /^PREFLIGHT\.APP .*azd deploy/],
    ] as const)
      expect(await ask(ACCESS, 'pods/a/b', app(answer).deps)).toEqual({ ok: false, text: expect.stringMatching(words) })
  })

  it('gives a refusal as it is, and gives up where no answer ever comes', async () => {
    expect(await ask(ACCESS, 'pods/a/b', app(new Response('no such pod', { status: 404 })).deps)).toEqual({
      ok: false,
      text: 'no such pod',
    })
    expect(await ask(ACCESS, 'pods/a/b', app(later()).deps)).toMatchObject({
      ok: false,
      text: expect.stringContaining('no answer after 60'),
    })
  })
})
