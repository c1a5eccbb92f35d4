import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { textOf } from '../testing/fakeKube.ts'
import { listenOnLoopback } from '../testing/listenOnLoopback.ts'
import { createVirtualClock } from '../testing/virtualClock.ts'
import { createTokenSource } from './tokenSource.ts'

async function setUp(answer: { readonly status: number; readonly body: object }, host = '/') {
  const forms: URLSearchParams[] = []
  const asked: { readonly url: string | undefined; readonly type: string | undefined; readonly accept: string | undefined }[] = []
  const server = await listenOnLoopback(
    createServer((request, response) => {
      asked.push({ url: request.url, type: request.headers['content-type'], accept: request.headers.accept })
      void textOf(request).then((text) => {
        forms.push(new URLSearchParams(text))
        response.writeHead(answer.status).end(JSON.stringify({ ...answer.body, path: request.url }))
      })
    }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'joiner-token-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await server.close()
  })
  const federatedTokenFile = join(folder, 'token')
  writeFileSync(federatedTokenFile, 'from-kubelet\n')
  const clock = createVirtualClock()
  const authorityHost = new URL(`http://127.0.0.1:${server.port}${host}`)
  const tokens = createTokenSource({ clientId: 'client', tenantId: 'tenant', authorityHost, federatedTokenFile }, 'api://joiner', {
    clock,
    proxy: {},
  })
  return { tokens, forms, asked, clock, rotate: (text: string) => writeFileSync(federatedTokenFile, text) }
}

const SIGNAL = new AbortController().signal

describe('the Entra token', () => {
  it("is got for the pod's federated token, and kept until shortly before it ends", async () => {
    const { tokens, forms, clock, rotate } = await setUp({ status: 200, body: { access_token: 'entra', expires_in: 3600 } })
    expect((await tokens.token(SIGNAL)).token).toBe('entra')
    expect(Object.fromEntries(forms[0] ?? [])).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client',
      scope: 'api://joiner/.default',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'from-kubelet',
    })
    await clock.advance(50 * 60_000)
    await tokens.token(SIGNAL)
    expect(forms).toHaveLength(1)
    rotate('newer')
    await clock.advance(6 * 60_000)
    await tokens.token(SIGNAL)
    expect(forms[1]?.get('client_assertion')).toBe('newer')
  })

  it.each(['/', '/entra', '/entra/'])('is asked for at the tenant of an authority with path %s, as a form', async (host) => {
    const { tokens, asked } = await setUp({ status: 200, body: { access_token: 'entra' } }, host)
    await tokens.token(SIGNAL)
    const url = `${host.replace(/\/$/, '')}/tenant/oauth2/v2.0/token`
    expect(asked).toEqual([{ url, type: 'application/x-www-form-urlencoded', accept: 'application/json' }])
  })

  it.each([undefined, 7200, '7200'])('ends when the authority says, after an hour where it does not: %j', async (seconds) => {
    const { tokens, clock } = await setUp({ status: 200, body: { access_token: 'entra', expires_in: seconds } })
    expect((await tokens.token(SIGNAL)).expiresAt).toBe(clock.now() + Number(seconds ?? 3600) * 1000)
  })

  it('is got anew once it was refused', async () => {
    const { tokens, forms } = await setUp({ status: 200, body: { access_token: 'entra', expires_in: '3600' } })
    await tokens.token(SIGNAL)
    tokens.forget()
    await tokens.token(SIGNAL)
    expect(forms).toHaveLength(2)
  })

  it('says what the authority says when there is none', async () => {
    const { tokens } = await setUp({ status: 400, body: { error_description: 'no such federated credential' } })
    await expect(tokens.token(SIGNAL)).rejects.toMatchObject({
      problem: { code: 'INPUT.UNAUTHENTICATED', message: 'the authority answered 400: no such federated credential' },
    })
  })
})
