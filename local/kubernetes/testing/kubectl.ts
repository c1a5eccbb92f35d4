import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestServer, withServer } from './withServer.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs kubectl. `input` is a manifest for its standard input. */
export type Run = (args: string, input?: unknown) => Promise<Ran>

export interface Kubectl extends TestServer {
  readonly run: Run
}

/** The kubectl under test: `KUBECTL`, or the one on the path. */
const PROGRAM = process.env['KUBECTL'] ?? 'kubectl'

/** Reports whether kubectl can be run. */
export function hasKubectl(): boolean {
  try {
    execFileSync(PROGRAM, ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a test with a server and the real kubectl, which is connected to it. */
export async function withKubectl(test: (kubectl: Kubectl) => Promise<void>): Promise<void> {
  await withServer({}, async (server) => {
    const home = mkdtempSync(join(tmpdir(), 'kubectl-'))
    const config = join(home, 'config')
    writeFileSync(config, server.server.kubeconfig())
    try {
      await test({ ...server, run: kubectlOn(config, home) })
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })
}

/** The real kubectl, with a home folder of its own for its cache. */
export function kubectlOn(kubeconfigFile: string, home: string): Run {
  const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfigFile }
  return (args, input) => {
    const words = args.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'(.*)'$/, '$1')) ?? []
    return new Promise((resolve) => {
      const child = execFile(PROGRAM, words, { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err })
      })
      child.stdin?.end(input === undefined ? '' : JSON.stringify(input))
    })
  }
}
