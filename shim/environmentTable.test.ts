import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from './clock.ts'
import { type Env, parseConfig } from './config.ts'
import { connectionFrom } from './kube/connection.ts'

/** A service account folder as the kubelet gives it to a pod. */
const account = mkdtempSync(join(tmpdir(), 'joiner-account-'))
for (const name of ['token', 'ca.crt']) writeFileSync(join(account, name), 'x')
afterAll(() => rmSync(account, { recursive: true, force: true }))

type Row = { readonly name: string; readonly fallback: string; readonly mode: string }

const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('\n## The shim\n')
const table = section.slice(0, section.indexOf('\n\n`/healthz`'))

const codes = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** One entry for each variable. A row of the table may hold several variables, with a default for each or with one default for all. */
const ROWS = table.split('\n').flatMap((line): readonly Row[] => {
  const [, names = '', fallback = '', does = ''] = line.split('|').map((cell) => cell.trim())
  const values = codes(fallback)
  const mode = /^(forwarder|spot): /.exec(does)?.[1] ?? 'both'
  return codes(names)
    .filter((name) => /^[A-Z_]+$/.test(name))
    .map((name, at) => ({ name, fallback: values[at] ?? fallback, mode }))
})
const isDefault = ({ fallback }: Row): boolean => codes(table).includes(fallback)

const COMMON = { JOINER_CLUSTER: 'demo', AZURE_FEDERATED_TOKEN_FILE: '/t', AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 't' }
const COMPLETE: { readonly [mode: string]: Env } = {
  forwarder: { ...COMMON, MODE: 'forwarder', JOINER_ENDPOINT: 'https://app.example.com', POD_NAME: 'p' },
  spot: { ...COMMON, MODE: 'spot', NODE_NAME: 'n', EVENT_GRID_TOPIC_ENDPOINT: 'https://topic.example.com' },
}

/** Returns the names that `look` reads from the environment. */
async function namesRead(environment: Env, look: (env: Env) => unknown): Promise<readonly string[]> {
  const names = new Set<string>()
  const env = new Proxy(environment, {
    get(target, name) {
      names.add(String(name))
      return Reflect.get(target, name)
    },
  })
  try {
    await look(env)
  } catch {
    // `look` fails, because there is no cluster here.
  }
  return [...names]
}

async function readIn(mode: string): Promise<ReadonlySet<string>> {
  const environments = [{ MODE: mode }, COMPLETE[mode] ?? {}]
  const settings = await Promise.all(environments.map((env) => namesRead(env, parseConfig)))
  const ways: readonly Env[] = [{}, { KUBERNETES_SERVICE_HOST: '127.0.0.1', SERVICE_ACCOUNT_DIR: account }]
  const connections =
    mode === 'spot' ? [] : await Promise.all(ways.map((env) => namesRead(env, (each) => connectionFrom(each, systemClock))))
  return new Set([...settings, ...connections].flat())
}

const told = (env: Env): string => {
  const read = parseConfig(env)
  return JSON.stringify(read.ok ? read.value : read.error.map(({ message }) => message))
}

describe('the environment of the shim in docs/operations.md', async () => {
  const [forwarder, spot] = [await readIn('forwarder'), await readIn('spot')]

  it('is what the shim reads, in the mode that the table says', () => {
    const modeOf = (name: string): string => (!spot.has(name) ? 'forwarder' : forwarder.has(name) ? 'both' : 'spot')
    const read = [...new Set([...forwarder, ...spot])].map((name) => `${name} ${modeOf(name)}`)
    expect(ROWS.map(({ name, mode }) => `${name} ${mode}`).sort()).toEqual(read.sort())
  })

  const required = ROWS.filter(({ fallback }) => fallback === 'required')
  it.each(required.map(({ name, mode }) => [name, mode]))('refuses to start without %s', (name, mode) => {
    for (const each of mode === 'both' ? ['forwarder', 'spot'] : [mode])
      expect(told({ ...COMPLETE[each ?? ''], [name ?? '']: '' })).toContain(`setting ${name}: is required`)
  })

  it('requires nothing else', () => {
    const said = ['forwarder', 'spot'].map((mode) => told({ MODE: mode })).join('')
    const named = new Set([...said.matchAll(/setting (\w+): is required/g)].map(([, name]) => name))
    // This variable is required only where the pod has no workload identity.
    named.delete('EVENT_GRID_TOPIC_KEY')
    expect([...named].sort()).toEqual(required.map(({ name }) => name).sort())
  })

  const defaults = ROWS.filter(isDefault)
  it.each(defaults.map(({ name, mode, fallback }) => [name, fallback, mode]))(
    'takes %s for %s where it is not set',
    (name, fallback, mode) => {
      for (const each of mode === 'both' ? ['forwarder', 'spot'] : [mode]) {
        const env: Env = name === 'MODE' ? (COMPLETE['forwarder'] ?? {}) : (COMPLETE[each ?? ''] ?? {})
        const { [name ?? '']: _, ...unset } = env
        expect(told({ ...unset, [name ?? '']: fallback })).toBe(told(unset))
      }
    },
  )

  it('says defaults of more than half a table', () => expect(defaults.length).toBeGreaterThan(10))
})
