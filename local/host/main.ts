import { fstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { format, parseArgs } from 'node:util'
import { ownValue, setOwnValue } from '../../shared/base/values.ts'
import type { HostTrigger } from './app/hostFunction.ts'
import { createHostClock } from './base/hostClock.ts'
import { HostError } from './base/hostError.ts'
import { type HostLogLine, messageOf } from './base/hostLog.ts'
import { type HostAppOptions, openApp } from './hostApp.ts'
import { HOST_OPTIONS, HOST_USAGE } from './hostOptions.ts'
import { readKeys } from './http/hostKeys.ts'
import { reportToParent } from './reportToParent.ts'
import { type Host, startHost } from './startHost.ts'
import { EXIT_TIMED_OUT, EXIT_WORKER_DIED } from './workerRestarts.ts'

const STDIN = 0

const USAGE = `usage: node local/host/main.ts ${HOST_USAGE}
The settings of the app are the environment, and below it those of FILE, which is like local.settings.json. Prints one line {"ready":true,...} on stdout, and log lines as JSON on stderr.`

function print(line: HostLogLine): void {
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

function say(level: HostLogLine['level'], category: string, message: string): void {
  print({ at: new Date().toISOString(), level, category, message })
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...HOST_OPTIONS,
      describe: { type: 'boolean', default: false },
    },
  })
  if (values.app === undefined) throw new HostError(USAGE)
  if (values.settings !== undefined) await putBelowEnvironment(values.settings)
  captureConsole()
  const app = {
    appFile: values.app,
    hostJson: parseJson(await readFile(values['host-json'], 'utf8'), values['host-json']),
    settings: environment(),
    log: print,
  }
  if (values.describe) return describe(app)
  const worker = watchWorker()
  const reports = reportToParent()
  const host = await startHost({
    ...app,
    port: integer('--port', values.port),
    keys: readKeys(values.keys),
    hostId: values['host-id'],
    messageLeaseSeconds: integer('--message-lease-seconds', values['message-lease-seconds']),
    onInvocation: reports.onInvocation,
    onHeld: reports.onHeld,
    onTimeout: (name) => worker.die(EXIT_TIMED_OUT, `function ${name} ran longer than functionTimeout`),
  })
  worker.host = host
  reports.serve(host)
  let stopping = false
  const stop = (why: string) => {
    if (stopping) return
    stopping = true
    say('information', 'Host.Shutdown', why)
    host.close().then(
      () => process.exit(0),
      (error: unknown) => {
        say('critical', 'Host.Shutdown', messageOf(error))
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  stopWithParent(stop)
  process.stdout.write(`${JSON.stringify({ ready: true, url: host.url, functions: host.functions, keys: host.keys })}\n`)
}

type Worker = { host: Host | undefined; die(exitCode: number, why: string): void }

/** Ends the process as soon as messages are given back when the worker is dead: after an uncaught error, and when it is told so. */
function watchWorker(): Worker {
  const die = async (exitCode: number, why: string) => {
    // a worker dies once, and what its handlers still do has no effect
    process.removeAllListeners('uncaughtException').on('uncaughtException', () => undefined)
    await worker.host?.workerDied(why)
    process.exit(exitCode)
  }
  const worker: Worker = { host: undefined, die: (exitCode, why) => void die(exitCode, why) }
  process.on('uncaughtException', (error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    say('critical', 'Worker', `uncaught error, the worker ends: ${stack}`)
    if (worker.host === undefined) process.exit(1)
    worker.die(EXIT_WORKER_DIED, 'the worker died of an uncaught error')
  })
  return worker
}

/** Prints the functions of the app with their triggers, for a parent that decides which host runs which of them. */
async function describe(options: HostAppOptions): Promise<void> {
  const { functions } = await openApp(options, createHostClock())
  const triggers: readonly HostTrigger[] = functions.map(({ name, trigger }) => ({ name, trigger }))
  process.stdout.write(`${JSON.stringify(triggers)}\n`, () => process.exit(0))
}

/** Stops when the parent is gone. Its pipe to our stdin, or its IPC channel, closes then. */
function stopWithParent(stop: (why: string) => void): void {
  process.on('disconnect', () => stop('the parent process is gone'))
  const stdin = fstatSync(STDIN)
  if (!stdin.isFIFO() && !stdin.isSocket()) return
  process.stdin.on('end', () => stop('stdin was closed')).on('error', () => stop('stdin was closed'))
  process.stdin.resume()
}

/** Writes the console output of the app to the log, because stdout is for the ready line only. */
function captureConsole(): void {
  const levels = { debug: 'debug', log: 'information', info: 'information', warn: 'warning', error: 'error' } as const
  for (const [method, level] of Object.entries(levels))
    Object.assign(console, { [method]: (...args: unknown[]) => say(level, 'Worker.Console', format(...args)) })
}

/** Puts the values of the file into the environment, below variables that are set. The app reads its settings there, as on the platform. */
async function putBelowEnvironment(file: string): Promise<void> {
  const read = parseJson(await readFile(file, 'utf8'), file)
  const values: unknown = typeof read === 'object' && read !== null && 'Values' in read ? read.Values : undefined
  if (typeof values !== 'object' || values === null)
    throw new HostError(`${file} has no object Values; begin with a copy of local.settings.sample.json`)
  for (const [name, value] of Object.entries(values)) setOwnValue(process.env, name, ownValue(process.env, name) ?? String(value))
}

function environment(): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HostError(`${what} is not JSON: ${messageOf(error)}`)
  }
}

function integer(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new HostError(`${name} is ${text}; it must be an integer of 0 or more`)
  return value
}

try {
  await main()
} catch (error) {
  say('critical', 'Host.Startup', messageOf(error))
  process.exit(1)
}
