import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { parsedJson } from '../../../shared/base/json.ts'
import { textAt } from '../../azure/json.ts'
import type { HostTrigger } from '../app/hostFunction.ts'
import { HostError } from '../base/hostError.ts'
import { messageOf } from '../base/hostLog.ts'
import { HOST_OPTIONS, HOST_USAGE } from '../hostOptions.ts'
import { completeKeys, readKeys } from '../http/hostKeys.ts'
import { type HostReport, REPORT_CATEGORY } from '../reportToParent.ts'
import { EXIT_HOST_ENDED } from '../workerRestarts.ts'
import { startFront } from './front.ts'
import { type Group, groupsOf, HTTP_GROUP, onlyThese } from './groups.ts'
import { startInstance } from './instance.ts'
import { createPool, type Pool } from './pool.ts'
import { watchTriggers } from './triggers.ts'
import { startWatchdog } from './watchdog.ts'

const USAGE = `usage: node local/host/processes/main.ts ${HOST_USAGE} [--host-file FILE] [--inspect PORT] [--harsh [--groups no] [--instances http=2,wake=3] [--freeze-after-ms 200|never] [--kill-after-ms 5000|never]]
Runs the functions of an app in a process of local/host/main.ts, which it starts again. --harsh: a process for each group of functions, which is stopped and killed when it has nothing to do.`

const { values } = parseArgs({
  options: {
    ...HOST_OPTIONS,
    inspect: { type: 'string' },
    harsh: { type: 'boolean', default: false },
    groups: { type: 'string', default: 'yes' },
    instances: { type: 'string', default: '' },
    'freeze-after-ms': { type: 'string', default: '200' },
    'kill-after-ms': { type: 'string', default: '5000' },
    'host-file': { type: 'string', default: join(import.meta.dirname, '..', 'main.ts') },
  },
})

function say(level: string, message: string, category = 'Host.Processes'): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, category, message })}\n`)
}

/** Reports of the processes, as lines of the log. The message is JSON. */
function note(group: Group, report: HostReport, pid: number | undefined): void {
  say('information', JSON.stringify({ at: Date.now(), group: group.name, pid, ...report }), REPORT_CATEGORY)
}

async function main(): Promise<void> {
  if (values.app === undefined) throw new HostError(USAGE)
  const shared = ['--app', values.app, '--host-json', values['host-json'], '--host-id', values['host-id']]
  const functions = values.harsh ? await describe(shared) : []
  const keys = completeKeys(
    readKeys(values.keys),
    functions.map(({ name }) => name),
  )
  const groups = values.harsh && values.groups !== 'no' ? groupsOf(functions) : [{ name: HTTP_GROUP, functions }]
  const args = [
    ...(values.inspect === undefined ? [] : ['--enable-source-maps', `--inspect=127.0.0.1:${values.inspect}`]),
    ...[values['host-file'], ...shared, '--keys', JSON.stringify(keys), '--message-lease-seconds', values['message-lease-seconds']],
    ...(values.settings === undefined ? [] : ['--settings', values.settings]),
  ]
  const watchdog = startWatchdog()
  const ending = new AbortController()
  const pools = groups.map((group) =>
    createPool({
      group,
      most: instancesOf(group.name),
      staysUp: !values.harsh,
      start: (onEnd) =>
        startInstance({
          args,
          env: { ...process.env, ...onlyThese(group, functions) },
          freezeAfterMs: timeOf('freeze-after-ms'),
          killAfterMs: timeOf('kill-after-ms'),
          watchdog,
          onReport: (report, pid) => values.harsh && note(group, report, pid),
          onLine: (line) => process.stderr.write(`${line}\n`),
          onEnd,
        }),
      // the watchdog kills all other processes
      onHostEnd: () => fail(`the worker of group ${group.name} died for the third time within half an hour`, EXIT_HOST_ENDED),
    }),
  )
  const warn = (message: string) => say('warning', message)
  const front = await startFront({ port: Number(values.port), say: warn, instanceFor: (path) => poolFor(pools, path).forRequest() })
  for (const pool of pools) watchTriggers({ group: pool.group, signal: ending.signal, trigger: pool.trigger, say: warn })
  const stop = async (): Promise<void> => {
    ending.abort()
    front.server.close()
    await Promise.all(pools.map((pool) => pool.stop()))
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
  if (!values.harsh) await Promise.all(pools.map((pool) => pool.trigger()))
  process.stdout.write(`${JSON.stringify({ ready: true, url: front.url, keys })}\n`)
}

/** The functions of the app, from a process that loads the app and ends: an app that is loaded may work. */
async function describe(shared: readonly string[]): Promise<readonly HostTrigger[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [values['host-file'], ...shared, '--describe'])
  const read = parsedJson(stdout.trim().split('\n').at(-1))
  if (!areTriggers(read)) throw new HostError(`${values['host-file']} --describe printed no functions`)
  return read
}

function areTriggers(value: unknown): value is readonly HostTrigger[] {
  return Array.isArray(value) && value.every((each) => textAt(each, 'name') !== undefined)
}

/** The pool of the function that a path of the admin API names, else the one of HTTP. */
function poolFor(pools: readonly Pool[], path: string): Pool {
  const named = /^\/admin\/functions\/([^/]+)/i.exec(path)?.[1]?.toLowerCase()
  const owner = pools.find(({ group }) => group.functions.some(({ name }) => name.toLowerCase() === named))
  const pool = owner ?? pools.find(({ group }) => group.name === HTTP_GROUP)
  if (pool === undefined) throw new HostError('there is no group of HTTP functions')
  return pool
}

function instancesOf(group: string): number {
  const given = values.instances.split(',').find((each) => each.startsWith(`${group}=`))
  const count = Number(given?.slice(group.length + 1) ?? 1)
  if (![1, 2, 3].includes(count)) throw new HostError(`--instances ${given}: a group has one to three instances`)
  return count
}

/** Undefined: never. */
function timeOf(name: 'freeze-after-ms' | 'kill-after-ms'): number | undefined {
  const text = values[name]
  if (!values.harsh || text === 'never') return undefined
  const ms = Number(text)
  if (!Number.isSafeInteger(ms) || ms < 0) throw new HostError(`--${name} ${text}: must be milliseconds, or never`)
  return ms
}

try {
  await main()
} catch (error) {
  fail(messageOf(error), 1)
}

function fail(why: string, exitCode: number): never {
  say('critical', why)
  process.exit(exitCode)
}
