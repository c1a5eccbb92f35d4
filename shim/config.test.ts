import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Env, parseConfig } from './config.ts'

const FORWARDER: Env = { JOINER_CLUSTER: 'demo', JOINER_ENDPOINT: 'https://app.example.com', POD_NAME: 'shim-1' }
const SPOT: Env = {
  MODE: 'spot',
  JOINER_CLUSTER: 'demo',
  NODE_NAME: 'joiner-spot-1',
  EVENT_GRID_TOPIC_ENDPOINT: 'https://topic.example.com/api/events',
  EVENT_GRID_TOPIC_KEY: 'k',
}

function problemsOf(env: Env): readonly string[] {
  const config = parseConfig(env)
  return config.ok ? [] : config.error.map(({ message }) => message)
}

describe('settings', () => {
  it('have defaults where there is a sensible one', () => {
    const config = parseConfig(FORWARDER)
    expect(config).toMatchObject({
      ok: true,
      value: {
        mode: 'forwarder',
        windowMs: 75,
        resendMs: 300_000,
        lease: { namespace: 'joiner', name: 'joiner-shim' },
        httpPort: 8080,
        identity: undefined,
      },
    })
  })

  it('of a spot node need the metadata service and a topic', () => {
    const config = parseConfig(SPOT)
    expect(config).toMatchObject({ ok: true, value: { mode: 'spot', node: 'joiner-spot-1', pollMs: 1_000 } })
    expect(config.ok && config.value.mode === 'spot' && config.value.imdsEndpoint.href).toBe('http://169.254.169.254/')
  })

  it('are refused together, each by name', () => {
    expect(problemsOf({}).map((message) => message.split(':')[0])).toEqual([
      'setting JOINER_CLUSTER',
      'setting JOINER_ENDPOINT',
      'setting POD_NAME',
    ])
  })

  const wrong: { readonly [sentence: string]: { readonly env: Env; readonly want: string; readonly says?: readonly string[] } } = {
    'plain http to another machine': {
      env: { ...FORWARDER, JOINER_ENDPOINT: 'http://10.0.0.1' },
      want: 'JOINER_ENDPOINT',
      says: ['"http://10.0.0.1"', 'https'],
    },
    'an endpoint that is no URL': { env: { ...FORWARDER, JOINER_ENDPOINT: 'app' }, want: 'JOINER_ENDPOINT' },
    'a cluster id with capitals': { env: { ...FORWARDER, JOINER_CLUSTER: 'Demo' }, want: 'JOINER_CLUSTER', says: ['"Demo"', 'lower case'] },
    'a batch window that is no number': {
      env: { ...FORWARDER, BATCH_WINDOW_MS: 'soon' },
      want: 'BATCH_WINDOW_MS',
      says: ['"soon"', '0 to 10000'],
    },
    'a batch window with a fraction': { env: { ...FORWARDER, BATCH_WINDOW_MS: '0.5' }, want: 'BATCH_WINDOW_MS' },
    'a batch window below the least': { env: { ...FORWARDER, BATCH_WINDOW_MS: '-1' }, want: 'BATCH_WINDOW_MS' },
    'a batch window beyond the most': { env: { ...FORWARDER, BATCH_WINDOW_MS: '10001' }, want: 'BATCH_WINDOW_MS' },
    'a mode nobody knows': { env: { ...FORWARDER, MODE: 'both' }, want: 'MODE', says: ['"both"', 'forwarder, spot'] },
    'a key file that is not there': {
      env: { ...FORWARDER, JOINER_FUNCTION_KEY_FILE: '/nowhere/key' },
      want: 'JOINER_FUNCTION_KEY_FILE',
      says: ['/nowhere/key'],
    },
    'a token file that depends on where the shim runs': {
      env: { ...FORWARDER, JOINER_TOKEN_FILE: 'token' },
      want: 'JOINER_TOKEN_FILE',
      says: ['"token"', 'absolute path'],
    },
    'half a workload identity': { env: { ...FORWARDER, AZURE_FEDERATED_TOKEN_FILE: '/t', AZURE_CLIENT_ID: 'c' }, want: 'AZURE_TENANT_ID' },
    'a topic without a way in': { env: { ...SPOT, EVENT_GRID_TOPIC_KEY: '' }, want: 'EVENT_GRID_TOPIC_KEY' },
  }
  for (const [sentence, { env, want, says = [] }] of Object.entries(wrong)) {
    it(`refuse ${sentence}`, () => {
      const problems = problemsOf(env)
      expect(problems).toHaveLength(1)
      for (const text of [`setting ${want}: `, ...says]) expect(problems[0]).toContain(text)
    })
  }

  it('take the least and the most of a number', () => {
    for (const value of ['0', '10000'])
      expect(parseConfig({ ...FORWARDER, BATCH_WINDOW_MS: value })).toMatchObject({ ok: true, value: { windowMs: Number(value) } })
  })

  it('may name a file for the token of the service account, which may come later', () => {
    const env = { ...FORWARDER, JOINER_TOKEN_FILE: '/nowhere/token' }
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { tokenFile: '/nowhere/token', identity: undefined } })
    expect(parseConfig({ ...FORWARDER, JOINER_TOKEN_FILE: '' })).toMatchObject({ ok: true, value: { tokenFile: undefined } })
  })

  it('may have the function key as a text', () => {
    const config = parseConfig({ ...FORWARDER, JOINER_FUNCTION_KEY: 'the-key' })
    expect(config.ok && config.value.mode === 'forwarder' && config.value.functionKey()).toBe('the-key')
  })

  it('may name a file with the function key, which is read at each post, so that a new key counts at once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'joiner-key-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'key')
    writeFileSync(file, 'first\n')
    const config = parseConfig({ ...FORWARDER, JOINER_FUNCTION_KEY_FILE: file })
    const key = () => config.ok && config.value.mode === 'forwarder' && config.value.functionKey()
    expect(key()).toBe('first')
    writeFileSync(file, 'second\n')
    expect(key()).toBe('second')
  })

  it('of a workload identity are those that the webhook gives the pod', () => {
    const env = { AZURE_FEDERATED_TOKEN_FILE: '/t', AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 'x' }
    const identity = { clientId: 'c', tenantId: 'x', federatedTokenFile: '/t', authorityHost: new URL('https://login.microsoftonline.com') }
    expect(parseConfig({ ...FORWARDER, ...env })).toMatchObject({ ok: true, value: { identity } })
    expect(parseConfig({ ...SPOT, ...env, EVENT_GRID_TOPIC_KEY: '' })).toMatchObject({ ok: true, value: { identity, topicKey: undefined } })
  })

  it('allow plain http to this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(problemsOf({ ...FORWARDER, JOINER_ENDPOINT: `http://${host}:7071` })).toEqual([])
  })
})
