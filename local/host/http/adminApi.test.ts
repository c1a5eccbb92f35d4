import { describe, expect, it } from 'vitest'
import type { HostFunction } from '../app/hostFunction.ts'
import { type AdminApiOptions, answerAdmin } from './adminApi.ts'
import type { HttpRequest } from './httpFront.ts'

const target = (name: string, kind: string, over: object = {}) =>
  ({
    name,
    disabled: false,
    trigger: { kind },
    registered: { rawBindings: [JSON.stringify({ type: kind, name: 'in' })] },
    ...over,
  }) as unknown as HostFunction

const FUNCTIONS = [target('resync', 'timer'), target('Reconcile', 'queue', { disabled: true }), target('events', 'http')]

function admin(over: Partial<AdminApiOptions> = {}) {
  const ran: string[] = []
  let drained = 0
  const options: AdminApiOptions = {
    hostId: 'the-host-id',
    functions: FUNCTIONS,
    keys: { master: 'the-master', host: 'the-host', system: 'the-system', functions: {} },
    uptimeMs: () => 1_234,
    isDraining: () => drained > 0,
    inFlight: () => 0,
    drain: () => {
      drained += 1
    },
    runNow: ({ name }, input) => void ran.push(`${name} ${input}`),
    ...over,
  }
  const ask = async (
    method: string,
    path: string,
    { key = 'the-master', body }: { readonly key?: string; readonly body?: string } = {},
  ) => {
    const url = new URL(`http://localhost/admin/${path}`)
    const request = { method, url, headers: { 'x-functions-key': key }, readBody: async () => Buffer.from(body ?? '') }
    const answer = await answerAdmin(request as unknown as HttpRequest, options)
    const text = answer.body === undefined ? undefined : String(answer.body)
    return { status: answer.status, body: text !== undefined && /^[[{]/.test(text) ? (JSON.parse(text) as unknown) : text }
  }
  return { ask, ran }
}

describe('the admin API', () => {
  it.each([
    ['GET', 'host/ping', '', 200],
    ['GET', 'host/status', '', 401],
    ['GET', 'host/status', 'the-host', 401],
    ['GET', 'host/status', 'the-system', 401],
    ['GET', 'host/status', 'the-master', 200],
    ['GET', 'functions', 'the-host', 401],
    ['GET', 'functions/ping', '', 401],
    ['GET', 'elsewhere', 'the-master', 404],
    ['GET', 'host/elsewhere', 'the-master', 404],
    ['DELETE', 'host/status', 'the-master', 404],
  ])('%s %s with the key "%s" answers %i', async (method, path, key, status) => {
    expect((await admin().ask(method, path, { key })).status).toBe(status)
  })

  it('names what of the host it does not do', async () => {
    expect((await admin().ask('POST', 'host/restart')).body).toBe('/admin/host: POST restart is not emulated')
  })

  it('says how the host is, and that it drains once it is told to', async () => {
    const { ask } = admin()
    expect((await ask('GET', 'host/status')).body).toMatchObject({ id: 'the-host-id', state: 'Running', processUptime: 1_234 })
    expect((await ask('GET', 'host/drain/status')).body).toEqual({ state: 'Disabled', outstandingInvocations: 0, outstandingRetries: 0 })
    expect((await ask('POST', 'host/drain')).status).toBe(202)
    expect((await ask('GET', 'host/status')).body).toMatchObject({ state: 'Draining' })
    expect((await ask('POST', 'host/drain/status')).body).toMatchObject({ state: 'Completed' })
  })

  it('says what a drain still waits for', async () => {
    const { ask } = admin({ inFlight: () => 2, isDraining: () => true })
    expect((await ask('GET', 'host/drain/status')).body).toEqual({ state: 'InProgress', outstandingInvocations: 2, outstandingRetries: 0 })
  })
})

describe('functions of the admin API', () => {
  const resync = { name: 'resync', isDisabled: false, language: 'node', config: { bindings: [{ type: 'timer', name: 'in' }] } }

  it('are listed with their bindings, and whether they are off', async () => {
    const { body } = await admin().ask('GET', 'functions')
    expect(body).toEqual([
      resync,
      { name: 'Reconcile', isDisabled: true, language: 'node', config: { bindings: [{ type: 'queue', name: 'in' }] } },
      { name: 'events', isDisabled: false, language: 'node', config: { bindings: [{ type: 'http', name: 'in' }] } },
    ])
  })

  it('are found by name whatever its case, or not', async () => {
    expect(await admin().ask('GET', 'functions/RESYNC')).toEqual({ status: 200, body: resync })
    expect(await admin().ask('GET', 'functions/resync/status')).toEqual({ status: 200, body: { errors: [] } })
    expect((await admin().ask('GET', 'functions/none')).status).toBe(404)
  })

  it.each([
    [undefined, ''],
    ['{}', ''],
    ['{"input":"hello"}', 'hello'],
    ['{"input":{"a":1}}', '{"a":1}'],
  ])('run now with the body %s', async (body, input) => {
    const { ask, ran } = admin()
    expect((await ask('POST', 'functions/reconcile', body === undefined ? {} : { body })).status).toBe(202)
    expect(ran).toEqual([`Reconcile ${input}`])
  })

  it.each([
    ['POST', 'functions/events', '{}', 400, 'events is triggered by HTTP: call its route'],
    ['POST', 'functions/resync', '{', 400, 'the body must be JSON of the form {"input": "..."}'],
    ['POST', 'functions/resync', 'null', 400, 'the body must be JSON of the form {"input": "..."}'],
    ['POST', 'functions/resync/status', '{}', 405, undefined],
    ['PUT', 'functions/resync', '{}', 405, undefined],
  ])('%s %s with %s is refused', async (method, path, sent, status, body) => {
    const { ask, ran } = admin()
    expect(await ask(method, path, { body: sent })).toEqual({ status, body })
    expect(ran).toEqual([])
  })
})
