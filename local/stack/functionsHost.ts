import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { defined } from '../../shared/base/values.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { textAt } from '../azure/json.ts'
import { type Child, startChild } from './child.ts'

export type FunctionsHost = {
  readonly child: Child
  /** Returns address and keys once the host serves. They stay the same after a restart. */
  ready(): Promise<HostReady>
  /** Runs a timer function now, through the host's admin interface. */
  runTimer(name: string): Promise<void>
}

export type HostReady = { readonly url: string; readonly keys: HostKeys }
/** `host` gives access to every function, `system` to the Event Grid webhook, `master` to everything. */
export type HostKeys = { readonly host: string; readonly master: string; readonly system: string }

export type FunctionsHostOptions = {
  readonly settings: { readonly [name: string]: string }
  readonly caFile: string
  readonly port: number
  /** A file like local.settings.json, which each start of the app reads. Settings above take precedence. Not for the harsh mode. */
  readonly settingsFile?: string
  /** The process that runs the app, as one file. Default: its sources. */
  readonly hostFile?: string
  /** Options of the harsh mode. Undefined: the app has one process, which always runs. */
  readonly harsh?: readonly string[]
  /** Port of 127.0.0.1 for a debugger of the app. Undefined: no debugger can attach. */
  readonly inspectPort?: number
  /** Default: 15. */
  readonly messageLeaseSeconds?: number
  readonly onLine: (line: string) => void
  readonly onNotice: (text: string) => void
  /** Aborted when the whole stack ends. */
  readonly ending?: AbortSignal
}

/** The platform hides a dead host's messages for ten minutes, which is too long for a demo. */
const MESSAGE_LEASE_SECONDS = 15
const ROOT = join(import.meta.dirname, '..', '..')

/** Runs the function app under the embedded host, as Azure would run it: the host is one process, the app with its triggers another. */
export function startFunctions(options: FunctionsHostOptions): FunctionsHost {
  const keys: HostKeys = { host: randomKey(), master: randomKey(), system: randomKey() }
  let url: string | undefined
  const child = startChild({
    name: 'the functions host',
    args: [
      join(ROOT, 'local', 'host', 'processes', 'main.ts'),
      ...(options.harsh === undefined ? [] : ['--harsh', ...options.harsh]),
      ...(options.inspectPort === undefined ? [] : ['--inspect', String(options.inspectPort)]),
      ...(options.hostFile === undefined ? [] : ['--host-file', options.hostFile]),
      '--app',
      join(ROOT, 'dist', 'functions', 'main.mjs'),
      '--host-json',
      join(ROOT, 'host.json'),
      '--port',
      String(options.port),
      '--message-lease-seconds',
      String(options.messageLeaseSeconds ?? MESSAGE_LEASE_SECONDS),
      '--keys',
      JSON.stringify(keys),
      ...(options.settingsFile === undefined ? [] : ['--settings', options.settingsFile]),
    ],
    env: { ...options.settings, NODE_EXTRA_CA_CERTS: options.caFile },
    isReady: (line) => {
      url = readyUrl(line) ?? url
      return readyUrl(line) !== undefined
    },
    onNotice: options.onNotice,
    ...defined({ ending: options.ending }),
    onLine: (line) => {
      if (readyUrl(line) === undefined) options.onLine(line)
    },
  })
  const ready = async (): Promise<HostReady> => {
    await child.ready()
    return url === undefined ? ready() : { url, keys }
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

/** Throws the problems of an app that refuses its settings. Such an app runs, but its only work is to name them. */
export async function requireSettings(host: HostReady): Promise<HostReady> {
  const { url, keys } = host
  const answer = await fetch(`${url}/api/status`, { headers: { 'x-functions-key': keys.host } })
  if (answer.ok) return host
  const read = refusal.safeParse(await answer.json().catch(() => undefined))
  const problems = read.data?.problems.map(({ message }) => message) ?? [`the app answered ${answer.status}`]
  throw new Fault('start the function app', problem('SETTING.INVALID', problems.join('\n  ')))
}

const refusal = z.object({ problems: z.array(z.object({ message: z.string() })) })

/** Returns the address in the line that the host prints once it serves. Undefined for any other line. */
function readyUrl(line: string): string | undefined {
  return line.startsWith('{"ready":true') ? textAt(JSON.parse(line), 'url') : undefined
}

function randomKey(): string {
  return randomBytes(32).toString('base64url')
}
