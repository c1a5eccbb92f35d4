import { describe, expect, it } from 'vitest'
import { appAdvice, appStateIn, askApp } from './appAnswer.ts'

const REFUSAL = { code: 'SETTING.INVALID', message: 'the function app refuses its settings (JOINER_CLUSTERS)' }

describe('an answer of the app', () => {
  it.each([
    [200, '{}', { state: 'works' }],
    [401, '{"code":"INPUT.UNAUTHENTICATED","message":"no token"}', { state: 'works' }],
    [503, JSON.stringify(REFUSAL), { state: 'refused', message: REFUSAL.message }],
    [404, '', { state: 'empty' }],
    [404, '<html>404 Web Site not found', { state: 'unread', why: 'it answered 404' }],
    [404, '{"code":"KUBE.NOT_FOUND","message":"no pod"}', { state: 'unread', why: 'it answered 404' }],
    [403, '', { state: 'unread', why: 'it answered 403' }],
    [503, 'Function host is not running.', { state: 'unread', why: 'it answered 503' }],
    [503, '{"code":"STORE.UNAVAILABLE","message":"away"}', { state: 'unread', why: 'it answered 503' }],
    [500, JSON.stringify(REFUSAL), { state: 'unread', why: 'it answered 500' }],
  ])('%i %s says %j', (status, text, state) => expect(appStateIn({ status, text })).toEqual(state))

  it('leads to advice where the app does no work, and only there', () => {
    expect(appAdvice({ status: 503, text: JSON.stringify(REFUSAL) })).toMatch(
      /^PREFLIGHT\.APP {3}.*JOINER_CLUSTERS.*azd env set and azd up/,
    )
    expect(appAdvice({ status: 404, text: '\n' })).toMatch(/^PREFLIGHT\.APP {3}.*0 functions loaded.*azd deploy/)
    expect(appAdvice({ status: 403, text: '{"code":"INPUT.FORBIDDEN"}' })).toBeUndefined()
  })

  it('is asked for without a token and without a redirect, and may not come', async () => {
    const asked: unknown[] = []
    const web = async (url: string, init?: RequestInit): Promise<Response> => {
      asked.push([url, init?.headers])
      return Response.json(REFUSAL, { status: 503 })
    }
    expect(await askApp({ web }, 'https://app.example.com/')).toMatchObject({ state: 'refused' })
    expect(asked).toEqual([['https://app.example.com/api/clusters/any/status', undefined]])
    const signIn = (_url: string, init?: RequestInit): Promise<Response> =>
      Promise.resolve(new Response('<html>Sign in', { status: init?.redirect === 'manual' ? 302 : 200 }))
    expect(await askApp({ web: signIn }, 'https://app.example.com')).toEqual({ state: 'unread', why: 'it answered 302' })
    const away = () => Promise.reject(new TypeError('fetch failed'))
    expect(await askApp({ web: away }, 'https://app.example.com')).toEqual({ state: 'unread', why: 'fetch failed' })
  })
})
