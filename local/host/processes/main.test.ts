import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { QueueServiceClient } from '@azure/storage-queue'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilFound } from '../../../test/builders/eventually.ts'
import { type Storage, startStorage } from '../../storage/startStorage.ts'

const HOST_JSON = {
  version: '2.0',
  extensions: { queues: { messageEncoding: 'none', maxPollingInterval: '00:00:30' } },
  // The least that the platform takes: a process that is killed with the lock of a timer holds up the next one no longer than 30 s.
  singleton: { listenerLockPeriod: '00:00:15', listenerLockRecoveryPollingInterval: '00:00:15' },
}

let folder: string
let storage: Storage
let parent: ChildProcess
let url: string
let reports: { readonly kind: string; readonly group: string; readonly name?: string }[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joiner-harsh-'))
  await writeFile(join(folder, 'host.json'), JSON.stringify(HOST_JSON))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  storage = await startStorage()
  const queues = QueueServiceClient.fromConnectionString(storage.connectionString)
  await Promise.all(['jobs', 'done'].map((name) => queues.getQueueClient(name).create()))
})
afterEach(async () => {
  parent.kill('SIGKILL')
  await storage.close()
})

const start = (...more: string[]): Promise<void> => startParent('--harsh', '--freeze-after-ms', '50', ...more)

async function startParent(...more: string[]): Promise<void> {
  const app = join(import.meta.dirname, '../testing/harshApp.ts')
  const args = [join(import.meta.dirname, 'main.ts'), '--app', app, '--host-json', join(folder, 'host.json'), ...more]
  parent = spawn(process.execPath, args, {
    env: { ...process.env, AzureWebJobsStorage: storage.connectionString },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  reports = []
  createInterface({ input: parent.stderr ?? process.stdin }).on('line', (line) => {
    const { category, message } = JSON.parse(line) as { readonly category: string; readonly message: string }
    if (category === 'Harsh.Report') reports.push(JSON.parse(message))
  })
  const [ready] = await once(createInterface({ input: parent.stdout ?? process.stdin }), 'line')
  url = (JSON.parse(String(ready)) as { readonly url: string }).url
}

async function ask(path: string): Promise<{ readonly pid: number; readonly beats: number }> {
  return (await (await fetch(`${url}/api/${path}`)).json()) as { readonly pid: number; readonly beats: number }
}

/** The state of a process as Linux gives it: T is stopped. Undefined: it is gone. */
function stateOf(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`
  const state = existsSync(file) ? readFileSync(file, 'utf8').split(') ')[1]?.[0] : undefined
  return state === 'Z' ? undefined : state
}
const until = (is: () => boolean) => untilFound(() => is() || undefined)

async function done(kind: 'job' | 'beat'): Promise<number> {
  const queue = QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('done')
  return untilFound(async () => {
    const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32 })
    const found = receivedMessageItems.map(({ messageText }) => JSON.parse(messageText) as { readonly [kind: string]: number })
    return found.find((each) => each[kind] !== undefined)?.[kind]
  })
}

/** Asks until there is an answer: the connection breaks while the parent has not seen yet that the process has ended. */
const whoAnswers = (): Promise<{ readonly pid: number }> => untilFound(() => ask('who').catch(() => undefined))

/** Lets the worker die of an unhandled rejection. Returns the id of the process that ended. */
async function die(): Promise<number> {
  const { pid } = await whoAnswers()
  await fetch(`${url}/api/forgetful`).catch(() => undefined)
  await until(() => stateOf(pid) === undefined)
  return pid
}

describe('one process, which always runs', () => {
  it('is neither stopped nor killed, and nothing is reported of it', async () => {
    await startParent('--freeze-after-ms', '0', '--kill-after-ms', '0')
    const { pid, beats } = await ask('who')
    await until(() => stateOf(pid) !== 'T')
    const later = await untilFound(() => ask('who').then((told) => (told.beats > beats + 10 ? told : undefined)))
    expect(later.pid).toBe(pid)
    expect(reports).toEqual([])
  })

  it('is back after a death without a trigger, and requests wait for it', async () => {
    await startParent()
    const { pid } = await ask('who')
    process.kill(pid, 'SIGKILL')
    await until(() => stateOf(pid) === undefined)
    // the timer of the app runs again before anybody asks
    const beat = await untilFound(async () => ((await done('beat')) === pid ? undefined : true))
    expect(beat).toBe(true)
    expect((await ask('who')).pid).not.toBe(pid)
  })

  it('ends with its host at the third death', { timeout: 60_000 }, async () => {
    await startParent()
    const exited = once(parent, 'exit')
    const pids = [await die(), await die(), await die()]
    expect(new Set(pids).size).toBe(3)
    expect((await exited)[0]).toBe(77)
  })
})

describe('a process with no invocation', () => {
  it('is stopped, runs on for a request, and is stopped again', async () => {
    await start('--kill-after-ms', 'never')
    const first = await ask('who')
    await until(() => stateOf(first.pid) === 'T')
    const second = await ask('who')
    expect(second.pid).toBe(first.pid)
    await until(() => stateOf(first.pid) === 'T')
  })

  it('is not stopped while a request runs', async () => {
    await start('--kill-after-ms', 'never')
    const { pid } = await ask('who')
    const slow = ask('slow')
    let wasStopped = false
    await until(() => stateOf(pid) !== 'T')
    const look = setInterval(() => {
      wasStopped ||= stateOf(pid) === 'T'
    }, 5)
    expect(await slow).toEqual({ pid })
    clearInterval(look)
    expect(wasStopped).toBe(false)
  })

  it('is killed in the end, and the next request has a new one', async () => {
    await start('--kill-after-ms', '200')
    const { pid } = await ask('who')
    await until(() => stateOf(pid) === undefined)
    expect((await whoAnswers()).pid).not.toBe(pid)
  })

  it('ends with its parent, though it is stopped', async () => {
    await start('--kill-after-ms', 'never')
    const { pid } = await ask('who')
    await until(() => stateOf(pid) === 'T')
    parent.kill('SIGKILL')
    await until(() => stateOf(pid) === undefined)
  })
})

describe('groups', () => {
  it('have processes of their own, which messages and timers start and wake', async () => {
    await start('--kill-after-ms', 'never')
    const { pid } = await ask('who')
    const jobs = QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('jobs')
    await jobs.sendMessage('1')
    const job = await done('job')
    const beat = await done('beat')
    expect(new Set([pid, job, beat]).size).toBe(3)
    await until(() => stateOf(job) === 'T')
    await jobs.sendMessage('2')
    expect(await done('job')).toBe(job)
    await until(() => reports.some((report) => report.kind === 'ended' && report.name === 'jobs'))
    expect(reports.find((report) => report.name === 'jobs')).toMatchObject({ kind: 'began', group: 'jobs' })
  })

  it('may have several instances, which take requests in turn', async () => {
    await start('--kill-after-ms', 'never', '--instances', 'http=2')
    const pids = [await ask('who'), await ask('who'), await ask('who')].map(({ pid }) => pid)
    expect(new Set(pids).size).toBe(2)
    expect(pids[2]).toBe(pids[0])
  })

  it('have a new process after the worker of one has died', async () => {
    await start('--kill-after-ms', 'never')
    const pid = await die()
    expect((await whoAnswers()).pid).not.toBe(pid)
  })

  it('end in order when the parent is asked to', async () => {
    await start()
    const { pid } = await ask('who')
    parent.kill('SIGTERM')
    expect((await once(parent, 'exit'))[0]).toBe(0)
    expect(stateOf(pid)).toBeUndefined()
  })
})
