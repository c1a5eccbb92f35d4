import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterAccess } from '../clusterAccess.ts'
import { kubeconfigOf } from '../kubeconfigOf.ts'

export type ProgramOutcome = { readonly code: number; readonly out: string; readonly errors: string }
/** Runs a program to its end. Exit code 127: the program is not installed. */
export type RunProgram = (program: string, args: readonly string[], more?: { readonly input?: string }) => Promise<ProgramOutcome>

export const runProgram: RunProgram = (program, args, { input } = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const texts = { out: '', errors: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (texts.out += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (texts.errors += chunk))
    child.on('error', (error) => resolve({ code: 127, out: '', errors: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, ...texts }))
    // If a program ends without reading its input, its exit code reports the failure.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })

/** Runs Helm against one cluster, with a fresh token in a file that only this user can read. */
export function helmOf(access: ClusterAccess, run: RunProgram) {
  return async (args: readonly string[]): Promise<ProgramOutcome> => {
    const folder = mkdtempSync(join(tmpdir(), 'joiner-helm-'))
    try {
      const file = join(folder, 'kubeconfig')
      writeFileSync(file, await kubeconfigOf(access), { mode: 0o600 })
      return await run('helm', [...args, '--kubeconfig', file])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
