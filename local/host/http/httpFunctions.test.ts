import { describe, expect, it } from 'vitest'
import type { AuthLevel, HostFunction } from '../app/hostFunction.ts'
import type { InvocationResponse, TypedData } from '../app/rpc.ts'
import { completeKeys } from './hostKeys.ts'
import type { HttpRequest } from './httpFront.ts'
import { answerFunction } from './httpFunctions.ts'
import { createHttpRoutes } from './httpRoutes.ts'

const KEYS = completeKeys({ master: 'master', host: 'host', functions: { hello: 'own' } }, ['hello'])

/** The connection, which only streams use. */
const NO_CLIENT = {} as HttpRequest['client']
type Sent = Partial<Pick<HttpRequest, 'method' | 'headers'>> & { readonly path?: string; readonly body?: Buffer }

type World = {
  readonly authLevel?: AuthLevel
  readonly answer?: () => InvocationResponse
}

/** An app of one function, `hello`, at GET and POST /api/hello/{who}. */
function app({ authLevel = 'anonymous', answer = () => ({ returnValue: { http: { statusCode: '200' } } }) }: World = {}) {
  const trigger = { kind: 'http', methods: ['GET', 'POST'], route: 'hello/{who}', authLevel } as const
  // The test's own runner runs the function.
  const target = { name: 'hello', triggerName: 'request', trigger, queueOutputs: new Map(), disabled: false } as unknown as HostFunction
  const got: TypedData[] = []
  const said: string[] = []
  const send = async ({ path = '/api/hello/joe', body, ...request }: Sent = {}) => {
    const headers = { ...(body === undefined ? {} : { 'content-length': String(body.length) }), ...request.headers }
    return answerFunction(
      {
        method: 'GET',
        ...request,
        headers,
        url: new URL(path, 'http://host'),
        readBody: async () => body ?? Buffer.from(''),
        client: NO_CLIENT,
      },
      {
        routes: createHttpRoutes([target], 'api'),
        keys: KEYS,
        streams: undefined,
        log: (level, category, message) => void said.push(`${level} ${category} ${message}`),
        run: async (_target, data) => {
          got.push(data)
          return answer()
        },
      },
    )
  }
  return { send, got, said }
}

describe('a request to a function of the app', () => {
  it('reaches its handler whole', async () => {
    const { send, got } = app()
    const headers = { 'x-one': 'a', 'set-cookie': ['b', 'c'], 'x-empty': '' }
    await send({ method: 'POST', path: '/api/hello/joe?q=1&q=2&r=3', headers, body: Buffer.from('hi') })
    expect(got).toEqual([
      {
        http: {
          method: 'POST',
          url: 'http://host/api/hello/joe?q=1&q=2&r=3',
          nullableHeaders: { 'content-length': { value: '2' }, 'x-one': { value: 'a' }, 'set-cookie': { value: 'b,c' } },
          nullableParams: { who: { value: 'joe' } },
          nullableQuery: { q: { value: '1,2' }, r: { value: '3' } },
          body: { bytes: Buffer.from('hi') },
        },
      },
    ])
  })

  it('without a body hands none over', async () => {
    const { send, got } = app()
    await send()
    expect(got[0]?.http).not.toHaveProperty('body')
  })

  it.each([
    ['anonymous', undefined, 200],
    ['function', undefined, 401],
    ['function', 'wrong', 401],
    ['function', 'own', 200],
    ['function', 'host', 200],
    ['function', 'master', 200],
    ['admin', 'own', 401],
    ['admin', 'host', 401],
    ['admin', 'master', 200],
  ] as const)('at level %s with the key %s is answered %d', async (authLevel, key, status) => {
    const { send, got } = app({ authLevel })
    const asHeader = await send(key === undefined ? {} : { headers: { 'x-functions-key': key } })
    const asQuery = await send(key === undefined ? {} : { path: `/api/hello/joe?code=${key}` })
    expect([asHeader.status, asQuery.status]).toEqual([status, status])
    expect(got).toHaveLength(status === 200 ? 2 : 0)
  })

  it.each([
    ['GET', '/api/bye'],
    ['GET', '/hello/joe'],
    ['DELETE', '/api/hello/joe'],
  ])('%s %s is for nobody', async (method, path) => {
    expect(await app().send({ method, path })).toEqual({ status: 404 })
  })
})

describe('the answer is', () => {
  it('what the function says: status, headers and body', async () => {
    const http = { statusCode: '418', headers: { 'x-tea': 'yes' }, body: { bytes: Buffer.from('pot') } }
    expect(await app({ answer: () => ({ returnValue: { http } }) }).send()).toEqual({
      status: 418,
      headers: { 'x-tea': 'yes' },
      body: Buffer.from('pot'),
    })
    expect(await app().send()).toEqual({ status: 200, headers: {} })
  })

  it('500 and nothing else where the handler broke', async () => {
    const answer = (): InvocationResponse => {
      throw new Error('secret')
    }
    expect(await app({ answer }).send()).toEqual({ status: 500 })
  })

  it.each([{}, { returnValue: null }, { returnValue: { string: 'x' } }])('204 where it returned %j, with a warning', async (response) => {
    const { send, said } = app({ answer: () => response })
    expect(await send()).toEqual({ status: 204 })
    expect(said).toEqual([expect.stringMatching(/^warning Function\.hello .*explicit status/)])
  })

  it('501 where it sets cookies, which nobody would see, and an error', async () => {
    const http = { statusCode: '200', cookies: [{ name: 'a' }] }
    const { send, said } = app({ answer: () => ({ returnValue: { http } }) })
    expect(await send()).toEqual({ status: 501, body: 'response cookies are not emulated' })
    expect(said).toEqual([expect.stringMatching(/^error Function\.hello /)])
    expect((await app({ answer: () => ({ returnValue: { http: { ...http, cookies: [] } } }) }).send()).status).toBe(200)
  })
})
