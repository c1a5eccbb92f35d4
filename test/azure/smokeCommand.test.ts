/** `npx joiner smoke` as a process, with the values that azd tells: killed, interrupted, and resumed from its file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseRecord } from '../../cli/smoke/record.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { HANGS_AFTER_MS } from '../builders/eventually.ts'
import { type SmokeWorld, startSmokeWorld } from './smokeWorld.ts'

let world: SmokeWorld
const folder = mkdtempSync(join(tmpdir(), 'joiner-smoke-command-'))
beforeAll(async () => {
  world = await startSmokeWorld()
  const { azure } = world
  writeFileSync(join(folder, 'ca.pem'), azure.caCertificate)
  const values = {
    AZURE_SUBSCRIPTION_ID: azure.subscriptionId,
    JOINER_CLUSTER_IDS: azure.clusterResourceId,
    ARM_ENDPOINT: azure.armUrl,
    PRICES_ENDPOINT: azure.pricesUrl,
    AZURE_CLIENT_ID: azure.managedIdentities[0]?.clientId,
  }
  writeFileSync(
    join(folder, 'azd'),
    `#!/bin/sh\ncase "$*" in *dev*) echo '${JSON.stringify(values)}' ;; *) echo none >&2; exit 1 ;; esac\n`,
  )
  chmodSync(join(folder, 'azd'), 0o755)
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly text: string }

function smoke(...args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const { azure } = world
  const env = {
    PATH: `${folder}:/usr/bin:/bin`,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    IDENTITY_ENDPOINT: azure.identityEndpoint,
    IDENTITY_HEADER: azure.identityHeader,
  }
  const child = spawn(process.execPath, [join(repositoryRoot, 'cli/main.ts'), 'smoke', ...args], { env, cwd: folder })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
  return { child, ended: new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, text }))) }
}

const records = (): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('smoke-'))
const poll = { timeout: HANGS_AFTER_MS }

describe('the command', () => {
  it('leaves its record where it is killed, and removes what it made where that is resumed', async () => {
    const { child, ended } = smoke('--env', 'dev', '--yes', '--out', 'one.json')
    await expect.poll(() => world.azure.state().vms.length, poll).toBe(1)
    child.kill('SIGKILL')
    expect(await ended).toMatchObject({
      signal: 'SIGKILL',
      text: expect.stringMatching(/^the record of this run: one\.json\n 1 rights .*\n$/),
    })
    const record = parseRecord(readFileSync(join(folder, 'one.json'), 'utf8'))
    expect(record).toMatchObject({
      value: {
        steps: [
          { name: 'rights', state: 'done' },
          { name: 'image', state: 'begun' },
        ],
      },
    })
    expect(statSync(join(folder, 'one.json')).mode & 0o077).toBe(0)
    const resumed = await smoke('--env', 'dev', '--resume', 'one.json', '--only-remove').ended
    expect(resumed).toMatchObject({ code: 0, text: expect.stringContaining(' 4 drain, end    nothing left: 0 VMs, 0 NICs, 0 disks') })
    expect(await world.left()).toEqual([])
  })

  it('removes what it made where it is interrupted, and names its record by the day', async () => {
    const { child, ended } = smoke('--env', 'dev', '--yes')
    await expect.poll(() => world.azure.state().vms.length, poll).toBe(1)
    child.kill('SIGINT')
    const { code, text } = await ended
    expect(code).toBe(1)
    expect(text).toMatch(/interrupted: removing what was made[\s\S]* 2 image {9}FAIL[\s\S]* 4 drain, end {4}nothing left/)
    expect(await world.left()).toEqual([])
    expect(records()).toEqual([expect.stringMatching(/^smoke-\d{4}-\d\d-\d\d\.json$/)])
  })

  it.each<[readonly string[], string]>([
    [['--env', 'dev'], 'the terminal is not interactive: add --yes'],
    [['--env', 'dev', '--yes', '--resume', 'azd'], '--resume azd is no record of a smoke run'],
    [['--env', 'dev', '--yes', '--out', 'one.json'], 'one.json is there already: name another file, or resume its run'],
    [['--env', 'dev', '--yes', '--kinds', 'party'], '--kinds party is none of default'],
  ])('ends %j with 2 and its usage, and makes nothing', async (args, why) => {
    const { code, text } = await smoke(...args).ended
    expect([code, text]).toEqual([2, expect.stringContaining(why)])
    expect(text).toContain('npx joiner smoke --env NAME')
    expect(existsSync(join(folder, 'one.json'))).toBe(true)
    expect(world.azure.state().vms).toEqual([])
  })

  it('ends with 1 where azd does not tell the environment, and makes nothing', async () => {
    const { code, text } = await smoke('--env', 'other', '--yes').ended
    expect([code, text.trim()]).toEqual([1, 'azd does not tell the values of environment other: none'])
    expect(world.azure.state().vms).toEqual([])
  })
})
