import { describe, expect, it } from 'vitest'
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
        resendMs: 30_000,
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

  const wrong: { readonly [sentence: string]: { readonly env: Env; readonly want: string } } = {
    'plain http to another machine': { env: { ...FORWARDER, JOINER_ENDPOINT: 'http://10.0.0.1' }, want: 'JOINER_ENDPOINT' },
    'an endpoint that is no URL': { env: { ...FORWARDER, JOINER_ENDPOINT: 'app' }, want: 'JOINER_ENDPOINT' },
    'a cluster id with capitals': { env: { ...FORWARDER, JOINER_CLUSTER: 'Demo' }, want: 'JOINER_CLUSTER' },
    'a batch window that is no number': { env: { ...FORWARDER, BATCH_WINDOW_MS: 'soon' }, want: 'BATCH_WINDOW_MS' },
    'a mode nobody knows': { env: { ...FORWARDER, MODE: 'both' }, want: 'MODE' },
    'a key file that is not there': { env: { ...FORWARDER, JOINER_FUNCTION_KEY_FILE: '/nowhere/key' }, want: 'JOINER_FUNCTION_KEY_FILE' },
    'half a workload identity': { env: { ...FORWARDER, AZURE_FEDERATED_TOKEN_FILE: '/t', AZURE_CLIENT_ID: 'c' }, want: 'AZURE_TENANT_ID' },
    'a topic without a way in': { env: { ...SPOT, EVENT_GRID_TOPIC_KEY: '' }, want: 'EVENT_GRID_TOPIC_KEY' },
  }
  for (const [sentence, { env, want }] of Object.entries(wrong)) {
    it(`refuse ${sentence}`, () => {
      const problems = problemsOf(env)
      expect(problems).toHaveLength(1)
      expect(problems[0]).toContain(`setting ${want}: `)
    })
  }

  it('allow plain http to this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(problemsOf({ ...FORWARDER, JOINER_ENDPOINT: `http://${host}:7071` })).toEqual([])
  })
})
