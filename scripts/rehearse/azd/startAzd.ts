// Runs the azd that `npm run azd` builds, against the local Azure: through a proxy into the loopback internet, logged in by an endpoint for tokens, and
// with the program of infra/check in the place of Bicep.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import * as z from 'zod'
import { type RunningServer, serve } from '../../../local/azure/httpServer.ts'
import type { LocalAzure } from '../../../local/azure/startAzure.ts'
import { findOnPath } from '../../../local/findOnPath.ts'
import type { Internet } from '../../../local/internet/startInternet.ts'
import { repositoryRoot } from '../../floors.ts'
import { AZD } from '../armCaller.ts'
import { unquoted } from '../runHook.ts'

export type AzdOutcome = { readonly code: number; readonly lines: readonly string[] }

export interface Azd {
  /** The folder of azure.yaml. */
  readonly project: string
  /** Runs azd without a terminal. `environment` is for this command alone. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<AzdOutcome>
  /** Runs azd in a terminal, at which nobody answers. Undefined if the program `script`, which makes terminals, is not on the path. */
  readonly runInTerminal: ((args: readonly string[]) => Promise<AzdOutcome>) | undefined
  /** Returns the values of an environment of azd, as its file holds them. */
  values(environment: string): Readonly<Record<string, string>>
  close(): Promise<void>
}

export type AzdOptions = {
  readonly program: string
  readonly azure: Pick<LocalAzure, 'issueToken'>
  /** The internet of the person who runs azd. */
  readonly internet: Internet
  /** PEM of all CAs that are trusted. */
  readonly caFile: string
  readonly directory: string
  /** The folder of azure.yaml. */
  readonly project: string
  /** For azd and the hooks that it runs, such as PATH. */
  readonly environment: Readonly<Record<string, string>>
}

export async function startAzd(options: AzdOptions): Promise<Azd> {
  const { program, azure, internet, caFile, directory, project } = options
  const tokens = await serveTokens(azure)
  const env = {
    ...options.environment,
    HOME: directory,
    HTTPS_PROXY: internet.proxyUrl,
    NO_PROXY: '127.0.0.1,localhost',
    SSL_CERT_FILE: caFile,
    AZD_AUTH_ENDPOINT: tokens.url,
    AZD_AUTH_KEY: 'rehearsal',
    AZD_BICEP_TOOL_PATH: bicepIn(directory),
    AZD_CONFIG_DIR: join(directory, 'azd'),
    AZD_SKIP_FIRST_RUN: 'true',
    AZD_SKIP_UPDATE_CHECK: 'true',
    AZD_DISABLE_AGENT_DETECT: 'true',
    AZURE_DEV_COLLECT_TELEMETRY: 'no',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  return {
    project,
    run: (args, more = {}) => runIn(program, args, { cwd: project, env: { ...env, ...more } }),
    runInTerminal: terminalOf(program, { cwd: project, env }),
    values: (environment) => valuesIn(join(project, '.azure', environment, '.env')),
    close: () => tokens.close(),
  }
}

const asked = z.object({ scopes: z.array(z.string()) })

/** Gives azd tokens of the person who runs it, in the form of its `remote credential` (azd 1.31.2, pkg/auth/remote_credential.go, 2026-08). */
function serveTokens(azure: Pick<LocalAzure, 'issueToken'>): Promise<RunningServer> {
  return serve(async ({ body }) => {
    const [scope = ''] = asked.parse(JSON.parse(body)).scopes
    const token = await azure.issueToken({ audience: scope.replace(/\/+\.default$/, ''), ...AZD, userName: 'deployer@example.com' })
    return { status: 200, body: { status: 'success', token, expiresOn: new Date(Date.now() + TOKEN_MS).toISOString() } }
  }, {})
}

const TOKEN_MS = 3_600_000

function bicepIn(directory: string): string {
  const file = join(directory, 'bicep')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    `#!/bin/sh\nNODE_OPTIONS= exec '${process.execPath}' '${join(repositoryRoot, 'infra', 'check', 'arm', 'main.ts')}' "$@"\n`,
  )
  chmodSync(file, 0o755)
  return file
}

type Place = { readonly cwd: string; readonly env: Readonly<Record<string, string>> }

/** The standard input stays open and says nothing: a question would wait until the time is over. */
function terminalOf(program: string, place: Place): Azd['runInTerminal'] {
  const script = findOnPath('script', process.env['PATH'] ?? '')
  if (script === undefined) return undefined
  const env = { ...place.env, TERM: 'xterm' }
  return async (args) => {
    const typed = [program, ...args].map((each) => `'${each}'`).join(' ')
    const { code, lines } = await runIn(script, ['-qefc', typed, '/dev/null'], { ...place, env }, QUESTION_MS)
    return { code, lines: lines.flatMap((line) => stripVTControlCharacters(line).split('\r')) }
  }
}

/** No `azd up` takes so long. */
const QUESTION_MS = 600_000

function runIn(program: string, args: readonly string[], { cwd, env }: Place, limitMs?: number): Promise<AzdOutcome> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    const stdin = limitMs === undefined ? 'ignore' : 'pipe'
    const child = spawn(program, args, { cwd, env, stdio: [stdin, 'pipe', 'pipe'], ...(limitMs === undefined ? {} : { timeout: limitMs }) })
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.trimEnd().split('\n')) lines.push(line)
      })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, lines }))
  })
}

/** Reads lines such as `NAME="value"`, with a backslash before a quote or a backslash. */
function valuesIn(file: string): Readonly<Record<string, string>> {
  if (!existsSync(file)) return {}
  return Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name, value] = /^(\w+)="?(.*?)"?$/.exec(line) ?? []
        return name === undefined || value === undefined ? [] : [[name, unquoted(value)]]
      }),
  )
}
