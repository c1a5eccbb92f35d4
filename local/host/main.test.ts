import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { QueueServiceClient } from '@azure/storage-queue'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilFound } from '../../test/builders/eventually.ts'
import { type Storage, startStorage } from '../storage/startStorage.ts'
import { type HostProcess, startHostProcess } from './testing/hostProcess.ts'

type Done = { job?: unknown; dequeueCount?: number; host?: string; beat?: string }

const HOST_JSON = {
  version: '2.0',
  functionTimeout: '00:00:02',
  extensions: { queues: { messageEncoding: 'none', maxPollingInterval: '00:00:00.1', batchSize: 4, newBatchThreshold: 0 } },
  singleton: { listenerLockPeriod: '00:00:15', listenerLockRecoveryPollingInterval: '00:00:15' },
}

let folder: string
let hostJson: string
let storage: Storage
let queues: QueueServiceClient
const children: HostProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joiner-host-'))
  hostJson = join(folder, 'host.json')
  await writeFile(hostJson, JSON.stringify(HOST_JSON))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  storage = await startStorage()
  queues = QueueServiceClient.fromConnectionString(storage.connectionString)
  await queues.getQueueClient('jobs').create()
  await queues.getQueueClient('done').create()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.process.kill('SIGKILL')
  await storage.close()
})

function start(name: string, environment: Record<string, string> = {}, more: readonly string[] = []): HostProcess {
  const started = startHostProcess({
    app: 'workerApp.ts',
    args: ['--host-json', hostJson, '--message-lease-seconds', '30', ...more],
    environment: { AzureWebJobsStorage: storage.connectionString, HOST_NAME: name, ...environment },
  })
  children.push(started)
  return started
}

async function takeDone(into: Done[]): Promise<void> {
  const received = await queues.getQueueClient('done').receiveMessages({ numberOfMessages: 32, visibilityTimeout: 600 })
  for (const message of received.receivedMessageItems) into.push(JSON.parse(message.messageText))
}

describe('the host in its own process', () => {
  it('says when it is ready, keeps stdout clean, and drains on SIGTERM', async () => {
    const child = start('one')
    const ready = await child.ready
    expect(ready).toMatchObject({
      ready: true,
      functions: ['jobs', 'slow', 'endless', 'forgetful', 'beat'],
      keys: { master: expect.any(String) },
    })
    const slow = fetch(`${ready.url}/api/slow`)
    await untilFound(() => child.lines.find(({ category, message }) => category === 'Worker.Console' && message === 'slow begins'))
    child.process.kill('SIGTERM')
    expect(await (await slow).text()).toBe('slow but done')
    expect(await child.exited).toBe(0)
  })

  it('takes settings of a file where the environment has none', async () => {
    const file = join(folder, 'local.settings.json')
    await writeFile(
      file,
      JSON.stringify({ Values: { HOST_NAME: 'of the file', AzureFunctionsJobHost__extensions__http__routePrefix: 'other' } }),
    )
    const { url } = await start('of the environment', {}, ['--settings', file]).ready
    expect((await fetch(`${url}/other/slow`)).status).toBe(200)
  })

  it('says so of a file that is none of settings', async () => {
    await expect(start('one', {}, ['--settings', hostJson]).ready).rejects.toThrow('has no object Values')
  })

  it('leaves when whoever holds its stdin is gone', async () => {
    const child = start('one')
    await child.ready
    child.process.stdin?.end()
    expect(await child.exited).toBe(0)
  })

  it('refuses to start with a reason', async () => {
    await writeFile(join(folder, 'broken.json'), '{"version":"2.0","extensions":{"queues":{"batchSize":33}}}')
    const args = ['--app', join(import.meta.dirname, 'testing/workerApp.ts'), '--host-json', join(folder, 'broken.json')]
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk) => (said += String(chunk)))
    const [code] = await once(child, 'exit')
    expect([code, JSON.parse(said).message]).toEqual([
      1,
      'host.json: extensions.queues.batchSize is 33; it must be an integer from 1 to 32',
    ])
  })

  it('ends when a function runs longer than functionTimeout, as the platform ends the worker', async () => {
    const child = start('one')
    const { url } = await child.ready
    await fetch(`${url}/api/endless`).catch(() => undefined)
    expect(await child.exited).toBe(75)
    expect(child.lines.map(({ message }) => message).join('\n')).toContain('function endless ran longer than functionTimeout (2000 ms)')
  })

  it('ends when an error was awaited by nobody, and says which', async () => {
    const child = start('one')
    const { url } = await child.ready
    await fetch(`${url}/api/forgetful`).catch(() => undefined)
    expect(await child.exited).toBe(76)
    expect(child.lines.map(({ message }) => message).join('\n')).toContain('nobody awaited this')
  })

  it('killed in the middle of a message, leaves it hidden for its lease, and another host does it', async () => {
    const first = start('first', { WAIT: 'yes' }, ['--message-lease-seconds', '2'])
    await first.ready
    await queues.getQueueClient('jobs').sendMessage('{"waitMs":60000}')
    await untilFound(async () => ((await queues.getQueueClient('jobs').peekMessages()).peekedMessageItems.length === 0 ? true : undefined))
    first.process.kill('SIGKILL')
    await first.exited
    const second = start('second')
    await second.ready
    const done: Done[] = []
    const job = await untilFound(async () => {
      await takeDone(done)
      return done.find((entry) => entry.job !== undefined)
    })
    expect(job).toEqual({ job: { waitMs: 60000 }, dequeueCount: 2, host: 'second' })
  })

  it('shares queues with another host: each job is done once, by either; the timer runs on one', async () => {
    const [one, other] = [start('one', { WAIT: 'yes' }), start('other', { WAIT: 'yes' })]
    await Promise.all([one.ready, other.ready])
    for (let index = 0; index < 24; index++) await queues.getQueueClient('jobs').sendMessage(`{"index":${index},"waitMs":50}`)
    const done: Done[] = []
    await untilFound(async () => {
      await takeDone(done)
      return done.filter((entry) => entry.job !== undefined).length >= 24 && done.filter((entry) => entry.beat !== undefined).length >= 2
        ? true
        : undefined
    })
    const jobs = done.filter((entry) => entry.job !== undefined)
    expect(jobs).toHaveLength(24)
    expect(new Set(jobs.map((entry) => entry.host))).toEqual(new Set(['one', 'other']))
    expect(new Set(done.flatMap((entry) => (entry.beat === undefined ? [] : [entry.beat]))).size).toBe(1)
  })
})
