/** Runs the commands of the README on the stack that `npm start` runs. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasKubectl } from '../../local/kubernetes/testing/kubectl.ts'
import { README_COMMANDS } from '../docs/readme.ts'
import { TEST_TIMEOUT_MS, until } from './until.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const here = hasKubectl()

type Outcome = { readonly code: number; readonly text: string }

let stack: ChildProcess
let said = ''
let kubeconfig = ''

/** Runs a command in a shell in the root of the repository. */
function type(command: string): Promise<Outcome> {
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`, KUBECONFIG: kubeconfig }
  return new Promise((resolve) => {
    execFile('bash', ['-c', command], { cwd: ROOT, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: `${out}${err}` }),
    )
  })
}

/** Runs a command of the README with its placeholder replaced. Returns the output. */
async function typed(command: keyof typeof README_COMMANDS & string, placeholder = '', by = ''): Promise<string> {
  expect(README_COMMANDS, command).toHaveProperty([command])
  const { code, text } = await type(command.replace(placeholder, by))
  expect({ command, code, text }).toMatchObject({ code: 0 })
  return text
}

const names = async (kind: string): Promise<readonly string[]> =>
  (await type(`kubectl get ${kind} -o name`)).text
    .trim()
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => name.split('/')[1] ?? '')

async function running(count: number): Promise<void> {
  await until(async () => {
    const { text } = await type('kubectl get pods --field-selector status.phase=Running -o name')
    const found = text.split('\n').filter((line) => line.startsWith('pod/')).length
    return found === count ? undefined : `${found} of ${count} pods run: ${said.slice(-600)}`
  })
}

describe(`what the README says to type${here ? '' : ' (skipped where there is no kubectl)'}`, { timeout: TEST_TIMEOUT_MS }, () => {
  beforeAll(async () => {
    // Uses the bundles built before the first test, and machines that boot fast.
    const [program = '', ...args] = ['npm start', '--', '--no-build', '--speed', '40'].join(' ').split(' ')
    stack = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    for (const stream of [stack.stdout, stack.stderr]) stream?.on('data', (chunk) => (said += String(chunk)))
    await until(() => (/5 of 5 pods of default\/inflate run/.test(said) ? undefined : `the story is not told: ${said}`))
    kubeconfig = /KUBECONFIG=(\S+)/.exec(said)?.[1] ?? ''
  }, TEST_TIMEOUT_MS)
  afterAll(() => {
    if (stack.pid !== undefined) process.kill(-stack.pid, 'SIGINT')
  })

  it('names what was applied, where to look, and how to stop', () => {
    expect(said).toMatch(/applied examples\/quickstart\/nodepool\.yaml: NodePool default, AKSNodeClass default\n/)
    expect(said).toMatch(/applied examples\/quickstart\/inflate\.yaml: Deployment inflate\n/)
    expect(said).toMatch(/to look further: docs\/local\.md /)
    expect(said).toMatch(/to stop: Ctrl-C\n/)
  })

  it.skipIf(!here)('has no pod that waits for ever', async () => {
    const { text } = await type('kubectl get pods -A')
    expect(text).toMatch(/joiner +joiner-shim-local +1\/1 +Running/)
    expect(text).not.toContain('Pending')
  })

  it.skipIf(!here)('shows, explains, scales up, replaces a node and scales down', async () => {
    expect(await typed('kubectl get nodeclaims,nodepools,nodes,pods')).toMatch(/nodeclaim\.karpenter\.sh\/default-/)
    const [pod = ''] = await names('pods')
    expect(await typed('npm run explain -- pods/default/NAME', 'NAME', pod)).toContain(`pod default/${pod}`)
    await typed('kubectl scale deployment inflate --replicas 20')
    await running(20)
    const [node = ''] = await names('nodes -l karpenter.sh/nodepool')
    await typed('kubectl delete node ...', '...', node)
    await running(20)
    expect(await names('nodes')).not.toContain(node)
    await type('kubectl scale deployment inflate --replicas 0')
    await until(async () => ((await names('nodeclaims')).length === 0 ? undefined : 'there are nodeclaims'))
  })
})

describe('what the README says it costs', () => {
  it('is what the command prints', { timeout: TEST_TIMEOUT_MS }, async () => {
    const [, table = ''] =
      /<!-- npm run cost -- --summary -->\n([\s\S]*?)<!-- end -->/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []
    expect(table).toContain('| small |')
    expect(await typed('npm run cost -- --summary')).toContain(table.trim())
    expect(await typed('npm run cost')).toContain('$')
  })
})
