import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

type Ready = {
  readonly ready: boolean
  readonly url: string
  readonly functions: readonly string[]
  readonly keys: { readonly master: string }
}

export type HostProcess = {
  readonly process: ChildProcess
  readonly ready: Promise<Ready>
  readonly lines: { readonly category: string; readonly message: string }[]
  readonly exited: Promise<number | null>
}

export type HostProcessOptions = {
  /** The name of an app in this folder. */
  readonly app: string
  readonly args: readonly string[]
  readonly environment: { readonly [name: string]: string }
}

/** Starts a host in a process of its own. */
export function startHostProcess({ app, args, environment }: HostProcessOptions): HostProcess {
  const main = join(import.meta.dirname, '../main.ts')
  const child = spawn(process.execPath, [main, '--app', join(import.meta.dirname, app), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines: HostProcess['lines'] = []
  eachLine(child.stderr, (line) => lines.push(JSON.parse(line)))
  const ready = new Promise<Ready>((resolve, reject) => {
    eachLine(child.stdout, (line) => resolve(JSON.parse(line)))
    child.once('exit', () => reject(new Error(lines.map(({ message }) => message).join('\n'))))
  })
  ready.catch(() => undefined)
  return { process: child, ready, lines, exited: once(child, 'exit').then(([code]) => code as number | null) }
}

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = ''
  stream.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(take)
  })
}
