import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Storage, startStorage } from '../../storage/startStorage.ts'
import type { HostLogLine } from '../base/hostLog.ts'
import { type Host, startHost } from '../startHost.ts'

const TESTING = join(import.meta.dirname, '../testing')
const QUIET = { version: '2.0', extensions: { queues: { maxPollingInterval: '00:01:00', messageEncoding: 'none' } } }

let storage: Storage
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.close())

function load(
  appFile: string,
  settings: Record<string, string> = {},
  hostJson: unknown = QUIET,
  log?: (line: HostLogLine) => void,
): Promise<Host> {
  const all = { AzureWebJobsStorage: storage.connectionString, ...settings }
  return startHost({ appFile, hostJson, settings: all, ...(log === undefined ? {} : { log }) })
}

describe('loading an app', () => {
  it('loads a folder by the glob of its package.json, with its settings as environment', async () => {
    const host = await load(join(TESTING, 'packaged'), { GREETING: 'hello' })
    expect(host.functions).toEqual(['one', 'two', 'never'])
    expect(await (await fetch(`${host.url}/api/one`)).text()).toBe('hello')
    await host.close()
    expect(process.env['GREETING']).toBeUndefined()
  })

  it('loads a CommonJS file, twice in one process', async () => {
    const [one, two] = [await load(join(TESTING, 'commonApp.cjs')), await load(join(TESTING, 'commonApp.cjs'))]
    for (const host of [one, two]) expect(await (await fetch(`${host.url}/api/common`)).text()).toBe('from CommonJS')
    await one.close()
    await two.close()
  })

  it('repeats a timer as its retry policy says', async () => {
    const host = await load(join(TESTING, 'packaged'))
    await expect(host.invokeTimer('never')).rejects.toThrow('try 2')
    expect(Reflect.get(globalThis, 'packagedTries')).toEqual([0, 1, 2])
    await expect(host.invokeTimer('one')).rejects.toThrow('there is no timer one')
    await host.close()
  })

  it('leaves a disabled function out', async () => {
    const host = await load(join(TESTING, 'commonApp.cjs'), { 'AzureWebJobs.common.Disabled': 'true' })
    expect((await fetch(`${host.url}/api/common`)).status).toBe(404)
    await host.close()
  })

  it('serves HTTP while it drains', async () => {
    const host = await load(join(TESTING, 'commonApp.cjs'))
    const drained = await fetch(`${host.url}/admin/host/drain`, { method: 'POST', headers: { 'x-functions-key': host.keys.master } })
    expect(drained.status).toBe(202)
    expect((await fetch(`${host.url}/api/common`)).status).toBe(200)
    await host.close()
  })

  it('takes bodies up to the limit', async () => {
    const host = await load(join(TESTING, 'commonApp.cjs'), { FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: '10' })
    expect((await fetch(`${host.url}/api/common`, { method: 'POST', body: '0123456789' })).status).toBe(200)
    expect((await fetch(`${host.url}/api/common`, { method: 'POST', body: '0123456789a' })).status).toBe(500)
    await host.close()
  })

  it('obeys overrides of host.json in the settings', async () => {
    const host = await load(join(TESTING, 'commonApp.cjs'), { AzureFunctionsJobHost__extensions__http__routePrefix: 'other' })
    expect((await fetch(`${host.url}/other/common`)).status).toBe(200)
    expect((await fetch(`${host.url}/api/common`)).status).toBe(404)
    await host.close()
  })
})

describe('a function that is wrong', () => {
  const cases: Record<string, string> = {
    schedule: 'function bad: schedule "99 .*" is not valid',
    connection: 'function q: setting NOWHERE is missing',
    'queue name': 'function q: queue name Jobs must be 3 to 63 lower case letters, digits and single hyphens',
  }
  for (const [problem, want] of Object.entries(cases)) {
    it(`is left out, and the others run: ${problem}`, async () => {
      const lines: HostLogLine[] = []
      const host = await load(join(TESTING, 'commonApp.cjs'), { PROBLEM: problem }, QUIET, (line) => lines.push(line))
      expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
        expect.stringMatching(new RegExp(`^${want}.*; the function does not run$`)),
      ])
      expect((await fetch(`${host.url}/api/common`)).status).toBe(200)
      await host.close()
    })
  }
})

describe('refusing an app', () => {
  const cases: Record<string, string> = {
    duplicate: 'A function with id "common" has already been registered.',
    case: 'functions common and Common differ in case only: names must be unique without regard to case',
    trigger: 'function bus: the trigger serviceBusTrigger is not emulated',
    input: 'function in: the input binding b (blob) is not emulated',
    output: 'function out: the output binding t (table) is not emulated',
    'two copies': 'two copies of @azure/functions are loaded',
    hook: 'Unrecognized hook "noSuchHook"',
    streaming: "Setup options can't be changed after app startup has finished.",
  }
  for (const [problem, want] of Object.entries(cases)) {
    it(`says what is wrong: ${problem}`, async () => {
      await expect(load(join(TESTING, 'commonApp.cjs'), { PROBLEM: problem })).rejects.toThrow(want)
    })
  }

  it('that is not there, or registers nothing, or names no files', async () => {
    await expect(load(join(TESTING, 'nothing.ts'))).rejects.toThrow('does not exist: build it first')
    const folder = await mkdtemp(join(tmpdir(), 'joiner-app-'))
    await writeFile(join(folder, 'empty.mjs'), 'export {}')
    await expect(load(join(folder, 'empty.mjs'))).rejects.toThrow('registered no function')
    await writeFile(join(folder, 'package.json'), '{"name":"x"}')
    await expect(load(folder)).rejects.toThrow('package.json has no "main"')
    await writeFile(join(folder, 'package.json'), '{"name":"x","main":"dist/*.js"}')
    await expect(load(folder)).rejects.toThrow('matches no file')
    await rm(folder, { recursive: true })
  })

  it('when its port is taken', async () => {
    const host = await load(join(TESTING, 'commonApp.cjs'))
    const port = Number(new URL(host.url).port)
    const again = startHost({
      appFile: join(TESTING, 'commonApp.cjs'),
      hostJson: QUIET,
      settings: { AzureWebJobsStorage: storage.connectionString, GREETING: 'x' },
      port,
    })
    await expect(again).rejects.toThrow(`cannot listen on port ${port} of 127.0.0.1`)
    expect(process.env['GREETING']).toBeUndefined()
    await host.close()
  })

  it('whose host storage is not named', async () => {
    await expect(startHost({ appFile: join(TESTING, 'commonApp.cjs'), hostJson: QUIET, settings: {} })).rejects.toThrow(
      'setting AzureWebJobsStorage is missing',
    )
  })
})
