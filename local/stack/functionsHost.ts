import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'

export type FunctionsHost = {
  readonly child: Child
  /** Address and keys, once the host serves; after a restart the same. */
  ready(): Promise<HostReady>
  /** Runs a timer function now, through the host's admin interface. */
  runTimer(name: string): Promise<void>
}

export type HostReady = { readonly url: string; readonly keys: HostKeys }
/** `host` opens every function, `system` the Event Grid webhook, `master` everything. */
export type HostKeys = { readonly host: string; readonly master: string; readonly system: string }

export type FunctionsHostOptions = {
  readonly settings: { readonly [name: string]: string }
  readonly caFile: string
  readonly port: number
  readonly onLine: (line: string) => void
  readonly onNotice: (text: string) => void
}

/** The platform hides a dead host's messages for ten minutes; nobody wants to watch that in a demo. */
const MESSAGE_LEASE_SECONDS = '15'
const ROOT = join(import.meta.dirname, '..', '..')

/** The function app in a process of its own, under the embedded host: what Azure would run. */
export function startFunctions(options: FunctionsHostOptions): FunctionsHost {
  const keys: HostKeys = { host: randomKey(), master: randomKey(), system: randomKey() }
  let answer: HostReady | undefined
  const child = startChild({
    name: 'the functions host',
    args: [
      join(ROOT, 'local', 'host', 'main.ts'),
      '--app',
      join(ROOT, 'dist', 'functions', 'main.cjs'),
      '--host-json',
      join(ROOT, 'host.json'),
      '--port',
      String(options.port),
      '--message-lease-seconds',
      MESSAGE_LEASE_SECONDS,
      '--keys',
      JSON.stringify(keys),
    ],
    env: { ...options.settings, NODE_EXTRA_CA_CERTS: options.caFile },
    isReady: (line) => {
      const ready = readReady(line)
      if (ready) answer = ready
      return ready !== undefined
    },
    onNotice: options.onNotice,
    onLine: (line) => {
      if (readReady(line) === undefined) options.onLine(line)
    },
  })
  const ready = async (): Promise<HostReady> => {
    await child.ready()
    return answer ?? ready()
  }
  return {
    child,
    ready,
    async runTimer(name) {
      const { url, keys } = await ready()
      await fetch(`${url}/admin/functions/${name}`, {
        method: 'POST',
        headers: { 'x-functions-key': keys.master, 'content-type': 'application/json' },
        body: JSON.stringify({ input: '' }),
      })
    },
  }
}

function readReady(line: string): HostReady | undefined {
  if (!line.startsWith('{"ready":true')) return undefined
  return JSON.parse(line) as HostReady // printed by our own host, whose test pins the shape
}

function randomKey(): string {
  return randomBytes(32).toString('base64url')
}
