import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireSettings } from '../local/stack/functionsHost.ts'
import { type Storage, startStorage } from '../local/storage/startStorage.ts'
import { BUNDLES, writeBundle } from './build.ts'
import { repositoryRoot } from './floors.ts'
import { packApp } from './packApp.ts'

let folder: string
let storage: Storage
let host: ChildProcess

beforeAll(async () => {
  mkdirSync(join(repositoryRoot, '.local'), { recursive: true })
  folder = mkdtempSync(join(repositoryRoot, '.local/refused-'))
  const [app] = BUNDLES
  if (app === undefined) throw new Error('there is no bundle of the app')
  await writeBundle(repositoryRoot, { ...app, out: join(folder, 'main.mjs') })
  packApp(repositoryRoot, folder.slice(repositoryRoot.length + 1))
  storage = await startStorage()
})
afterAll(async () => {
  host?.kill('SIGKILL')
  await storage?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the packed app under the embedded host, with nothing set but the storage account. */
async function startUnset() {
  const keys = { host: 'the-host', master: 'the-master', system: 'the-system' }
  const args = ['--app', folder, '--host-json', join(folder, 'host.json'), '--keys', JSON.stringify(keys)]
  host = spawn(process.execPath, ['local/host/main.ts', ...args], {
    cwd: repositoryRoot,
    env: { PATH: process.env['PATH'], AzureWebJobsStorage: storage.connectionString },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const log: { readonly level: string; readonly message: string }[] = []
  createInterface({ input: host.stderr ?? process.stdin }).on('line', (line) => log.push(JSON.parse(line)))
  const ended = once(host, 'exit').then(() => Promise.reject(new Error(log.map(({ message }) => message).join('\n'))))
  const [ready] = await Promise.race([once(createInterface({ input: host.stdout ?? process.stdin }), 'line'), ended])
  const { url, functions } = JSON.parse(String(ready)) as { readonly url: string; readonly functions: readonly string[] }
  return { url, functions, keys, log }
}

it('the built app, started without JOINER_CLUSTERS, says on its console and at its status route what is missing', async () => {
  const { url, functions, keys, log } = await startUnset()
  expect(functions.toSorted()).toEqual(['cluster-status', 'events', 'explain', 'status'])
  expect(log.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^error: setting JOINER_CLUSTERS: /),
    expect.stringMatching(/^error: setting ENTRA_TENANT_ID: /),
  ])
  expect((await fetch(`${url}/api/status`)).status).toBe(401)
  const told = await fetch(`${url}/api/status`, { headers: { 'x-functions-key': keys.host } })
  expect([told.status, await told.json()]).toMatchObject([503, { problems: [{ field: 'JOINER_CLUSTERS' }, { field: 'ENTRA_TENANT_ID' }] }])
  const open = await fetch(`${url}/api/clusters/shop/status`)
  expect([open.status, await open.json()]).toEqual([
    503,
    { code: 'SETTING.INVALID', message: expect.stringContaining('(JOINER_CLUSTERS, ENTRA_TENANT_ID)') },
  ])
  await expect(requireSettings({ url, keys })).rejects.toThrow(/setting JOINER_CLUSTERS: .*\n {2}setting ENTRA_TENANT_ID: /)
})
