import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../../local/stack/freePort.ts'
import { IS_BUILT, WHY_NOT } from './onCluster.ts'
import { TEST_TIMEOUT_MS, until } from './until.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const running: ChildProcess[] = []
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

type Run = { readonly child: ChildProcess; readonly text: () => string; readonly ended: Promise<number | null> }

/** Runs `npm start` with the bundles built before the first test. */
function start(...options: readonly string[]): Run {
  const built = options.includes('--build') ? [] : ['--no-build']
  return startProgram('local/start.ts', ...built, '--speed', '40', ...options.filter((option) => option !== '--build'))
}

function startProgram(program: string, ...options: readonly string[]): Run {
  const child = spawn(process.execPath, [program, ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as a shell gives it: Ctrl-C reaches all its processes.
    detached: true,
  })
  running.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
  return { child, text: () => text, ended: new Promise((resolve) => child.once('close', resolve)) }
}

/** Sends SIGINT to every process of the group, as a terminal does. */
function pressCtrlC(run: Run): void {
  process.kill(-(run.child.pid ?? 0), 'SIGINT')
}

function childrenOf(pid: number | undefined): readonly number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([own, parent]) => (own !== undefined && parent === pid ? [own] : []))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The explanation of a claim, from the address in the printed line for curl. */
async function explained(run: Run, claim: string): Promise<string> {
  const [, file = '', address = ''] = /curl -H @(\S+) (\S+)\/pods\/default\/NAME/.exec(run.text()) ?? []
  const headers = readFileSync(file, 'utf8').trim().split('\n')
  const named = headers.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
  return (await fetch(`${address}/nodeclaims/${claim}`, { headers: named })).text()
}

const kubeconfigOf = (run: Run) => /KUBECONFIG=(\S+)/.exec(run.text())?.[1]

describe('npm start', { timeout: TEST_TIMEOUT_MS }, () => {
  // Two instances run at the same time.
  it.concurrent.each([
    ['no cores', '0', /5 replicas: 0 of 5 pods run; .*Failed to schedule pod, nodepool default: quota in .*\(AZURE\.QUOTA\.[A-Z]+\)/],
    [
      'four cores',
      '4',
      /\d+ replicas: \d+ of \d+ pods run; .*Failed to schedule pod, nodepool default: .*: the quota leaves no room \(AZURE\.QUOTA\./,
    ],
  ])('--once ends with 1 and the reason when Azure grants %s', async (_, quota, want) => {
    const run = start('--once', '--quota', quota)
    expect(await run.ended, run.text()).toBe(1)
    expect(run.text()).toMatch(/the demo failed after \d+ s with /)
    expect(run.text()).toMatch(want)
  })

  it('leaves no process and no file after Ctrl-C', async () => {
    const inspect = await freePort()
    const run = start('--inspect', String(inspect), '--verbose', '--set', 'CATALOG_SCHEDULE=*/2 * * * * *')
    await until(() => (/launched/.test(run.text()) ? undefined : `nothing was launched: ${run.text()}`))
    const children = childrenOf(run.child.pid)
    const files = dirname(kubeconfigOf(run) ?? '')
    expect(children.length).toBeGreaterThanOrEqual(2)
    expect(existsSync(files)).toBe(true)
    // A debugger finds the function app at this port.
    expect(await (await fetch(`http://127.0.0.1:${inspect}/json/list`)).text()).toContain('local/host/main.ts')
    // The output has the app's lines and measures, the effect of the setting, and the address for curl.
    expect(run.text()).toMatch(/app measure: decide_ms /)
    await until(() =>
      run.text().split('catalog refreshed').length > 3 ? undefined : `the catalog is not refreshed each 2 s: ${run.text()}`,
    )
    const claim = /nodeclaim (\S+) launched/.exec(run.text())?.[1] ?? ''
    await until(async () => {
      const told = await explained(run, claim)
      return told.startsWith(`nodeclaim ${claim} of nodepool default`) ? undefined : told
    })
    pressCtrlC(run)
    expect(await run.ended, run.text()).toBe(0)
    expect(children.filter(isAlive)).toEqual([])
    expect(existsSync(files)).toBe(false)
    const lines = run.text().trim().split('\n')
    const last = lines.slice(lines.findIndex((line) => line.endsWith('  stopping')))
    expect(last.map((line) => line.slice(12))).toEqual(['stopping', 'stopped; everything of this run is removed'])
  })

  it('leaves no process and no file after Ctrl-C while it starts', async () => {
    const run = start()
    await until(() => (/starting/.test(run.text()) ? undefined : 'it does not start'))
    pressCtrlC(run)
    expect(await run.ended, run.text()).toBe(0)
    expect(childrenOf(run.child.pid)).toEqual([])
  })

  it.each(['--port', '--functions-port'])('says that a port is taken: %s', async (option) => {
    const server = createServer()
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
    const run = start(option, String(port))
    expect(await run.ended, run.text()).toBe(1)
    expect(run.text()).toMatch(new RegExp(`cannot go on: .*port ${port} .*taken.*${option}`, 's'))
    server.close()
  })

  it.skipIf(!IS_BUILT)(`plays the story on the control plane of npm run controlplane${IS_BUILT ? '' : ` (${WHY_NOT})`}`, async () => {
    const plane = startProgram('local/controlplane/main.ts', '--directory', '.local/controlplane-of-start')
    const fileOf = (): string | undefined => /npm start -- --kubeconfig (\S+)/.exec(plane.text())?.[1]
    await until(() => (fileOf() === undefined ? `the control plane is not ready: ${plane.text()}` : undefined))
    const story = start('--once', '--kubeconfig', fileOf() ?? '')
    expect(await story.ended, story.text()).toBe(0)
    expect(story.text()).toMatch(/20 of 20 pods of default\/inflate run/)
    pressCtrlC(plane)
    expect(await plane.ended, plane.text()).toBe(0)
  })

  it('refuses a kubeconfig that is not there, before it builds anything', async () => {
    const run = start('--build', '--kubeconfig', '/nope')
    expect(await run.ended).toBe(1)
    expect(run.text()).toMatch(/cannot go on: .*there is no kubeconfig \/nope; .*npm run controlplane/s)
    expect(run.text()).not.toMatch(/building|starting storage/)
  })

  it.each([
    [['--speed', 'fast'], /--speed.*must be a number above zero/],
    [['--port', '70000'], /--port.*must be a port number/],
    [['--quota', '-1'], /--quota.*whole number of cores/],
    [['--set', 'BATCH_IDLE=1s'], /--set BATCH_IDLE: the function app has no such setting; did you mean BATCH_IDLE_DURATION/],
    [['--set', 'PLACEMENT=cheap'], /setting PLACEMENT: /],
  ])('refuses what it cannot read: %s', async (options, want) => {
    const run = start(...options)
    expect(await run.ended).toBe(1)
    expect(run.text()).toMatch(want)
  })
})
