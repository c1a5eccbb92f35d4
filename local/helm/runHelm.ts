import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type HelmOutcome = { readonly code: number; readonly out: string; readonly errors: string }

const MOST_BYTES = 64 * 1024 * 1024

/** Runs Helm with a home folder of its own, so that the user's settings have no effect. An exit code is an outcome, not an error. */
export async function runHelm(program: string, args: readonly string[], values?: object): Promise<HelmOutcome> {
  const home = mkdtempSync(join(tmpdir(), 'joiner-helm-'))
  try {
    const file = join(home, 'values.yaml')
    if (values !== undefined) writeFileSync(file, JSON.stringify(values))
    const all = values === undefined ? args : [...args, '--values', file]
    const env = { PATH: process.env['PATH'], HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home }
    return await new Promise((resolve) => {
      execFile(program, all, { env, maxBuffer: MOST_BYTES }, (error, out, errors) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, out, errors: code === -1 ? `${errors}${String(error)}` : errors })
      })
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
