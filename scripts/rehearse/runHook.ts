// Runs a hook as azd does: in a process of its own, with the values of azd's environment and the outputs of the templates as variables.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Json } from '../../infra/check/evaluate/value.ts'
import { CACHE } from '../../local/goPrograms.ts'
import { findHelm } from '../../local/helm/findHelm.ts'
import type { Internet } from '../../local/internet/startInternet.ts'
import { repositoryRoot } from '../floors.ts'
import { DEPLOYER } from './armCaller.ts'
import type { World } from './world/startWorld.ts'

/** The outcome of a hook. `set` holds the values that it wrote into azd's environment, by name. */
export type HookOutcome = {
  readonly code: number
  readonly lines: readonly string[]
  readonly set: { readonly [name: string]: string }
}

/** Turns outputs into variables as azd does: texts unchanged, everything else as JSON. */
export function asVariables(values: { readonly [name: string]: Json }): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

export type Deployer = {
  readonly world: World
  /** The values of azd's environment. */
  readonly values: { readonly [name: string]: string }
  /** The internet as this machine sees it. */
  readonly internet: Internet
}

/** The hooks of azure.yaml, by the names of their files. */
export type Hook = 'preprovision' | 'postroles' | 'predeploy' | 'postdeploy' | 'predown' | 'postdown'

export function runHook({ hook, ...deployer }: Deployer & { readonly hook: Hook }): Promise<HookOutcome> {
  return runAsDeployer(deployer, [`infra/hooks/${hook}.ts`])
}

/** Runs `npx joiner` as the deployer. */
export function runJoiner(deployer: Deployer, args: readonly string[]): Promise<HookOutcome> {
  return runAsDeployer(deployer, ['cli/main.ts', ...args])
}

async function runAsDeployer(deployer: Deployer, [program = '', ...args]: readonly string[]): Promise<HookOutcome> {
  const { world, internet } = deployer
  const valuesFile = join(world.directory, 'values.env')
  rmSync(valuesFile, { force: true })
  const all = [...internet.argsOf(), join(repositoryRoot, program), ...args]
  const { code, lines } = await runProgram(process.execPath, all, { cwd: repositoryRoot, env: await environmentOf(deployer, valuesFile) })
  return { code, lines, set: valuesIn(valuesFile) }
}

/**
 * Runs a command in a shell, as the deployer types it: with Helm, Node and the other programs of this machine, and kubectl as an administrator of the
 * cluster.
 */
export async function runInShell(deployer: Deployer, command: string, cwd: string): Promise<Pick<HookOutcome, 'code' | 'lines'>> {
  const { world, internet } = deployer
  const environment = await environmentOf(deployer, join(world.directory, 'values.env'))
  const env = {
    ...environment,
    PATH: `${environment['PATH']}:${process.env['PATH'] ?? ''}`,
    KUBECONFIG: world.plane.kubeconfigFile,
    NODE_OPTIONS: internet.argsOf().join(' '),
    npm_config_update_notifier: 'false',
  }
  return runProgram('sh', ['-c', command], { cwd, env })
}

type Environment = Readonly<Record<string, string>>

async function environmentOf({ world, values }: Deployer, valuesFile: string): Promise<Environment> {
  const { PATH = '', ...base } = await machineOf(world)
  return {
    ...values,
    ...base,
    PATH: [azdFolder(world.directory, valuesFile), PATH, '/usr/bin', '/bin'].join(':'),
    AZURE_ENV_NAME: world.environment,
    AZURE_SUBSCRIPTION_ID: world.azure.subscriptionId,
  }
}

/** Returns what the machine of the deployer has: Helm and Node, a login, and the authorities of this world. */
export async function machineOf({ azure, caFile, directory }: World): Promise<Environment> {
  const helm = await findHelm({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }, () => undefined)
  return {
    PATH: [dirname(helm), dirname(process.execPath)].join(':'),
    HOME: directory,
    // The deployer is logged in: here by a managed identity of the environment.
    AZURE_CLIENT_ID: DEPLOYER.appid,
    IDENTITY_ENDPOINT: azure.identityEndpoint,
    IDENTITY_HEADER: azure.identityHeader,
    NODE_EXTRA_CA_CERTS: caFile,
    PRICES_ENDPOINT: azure.pricesUrl,
  }
}

function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<Pick<HookOutcome, 'code' | 'lines'>> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trimEnd().split('\n')))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, lines }))
  })
}

export function requireWell<Outcome extends Pick<HookOutcome, 'code' | 'lines'>>(outcome: Outcome): Outcome {
  if (outcome.code === 0) return outcome
  throw new Error(`it ended with ${outcome.code}:\n${outcome.lines.join('\n')}`)
}

/** Reads values in the form of `azd env set --file`: in double quotes, with a backslash before each special character. */
function valuesIn(file: string): HookOutcome['set'] {
  if (!existsSync(file)) return {}
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), unquoted(line.slice(at + 2, -1))]
    }),
  )
}

/** Returns a value of azd's files, without its quotes already: a backslash stands before each special character. */
export function unquoted(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, letter: string) => LINE_ENDS[letter] ?? letter)
}

const LINE_ENDS: { readonly [letter: string]: string } = { n: '\n', r: '\r' }

/** Creates a program `azd` that supports only `azd env set --file FILE`: it copies the file. */
function azdFolder(directory: string, valuesFile: string): string {
  const folder = join(directory, 'bin')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'azd')
  writeFileSync(file, `#!/bin/sh\n[ "$1 $2 $3" = "env set --file" ] || exit 1\ncat "$4" > '${valuesFile}'\n`)
  chmodSync(file, 0o755)
  return folder
}
