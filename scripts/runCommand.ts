// Runs one command to its end and returns its output.
import { spawn } from 'node:child_process'

export type CommandResult = { readonly code: number; readonly output: string; readonly ms: number }

/** Runs a command. Never rejects: a command that cannot start has code 127, and its output says why. */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env = process.env, echo = false }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly echo?: boolean },
): Promise<CommandResult> {
  const start = performance.now()
  return new Promise((resolve) => {
    const child = spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: string[] = []
    const take = (chunk: Buffer): void => {
      chunks.push(chunk.toString('utf8'))
      if (echo) process.stdout.write(chunk)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const end = (code: number): void => resolve({ code, output: chunks.join(''), ms: performance.now() - start })
    child.on('error', (error) => {
      chunks.push(error.message)
      end(127)
    })
    child.on('close', (code) => end(code ?? 1))
  })
}
