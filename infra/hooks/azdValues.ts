import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HookDeps, HookFailure } from './hookDeps.ts'
import type { HookValues } from './hookValues.ts'

/**
 * Writes values into the environment of azd, all in one call or none. It uses a file, because the facts of twenty clusters are longer than a command
 * line of Windows may be. azd reads its environment again when the hook has ended.
 */
export async function setValues({ run, environment }: Pick<HookDeps, 'run' | 'environment'>, values: HookValues): Promise<void> {
  const changed = Object.entries(values).filter(([name, value]) => (environment[name] ?? '') !== value)
  if (changed.length === 0) return
  const folder = mkdtempSync(join(tmpdir(), 'joiner-azd-'))
  try {
    const file = join(folder, 'values.env')
    writeFileSync(file, changed.map(([name, value]) => `${name}=${quoted(value)}\n`).join(''), { mode: 0o600 })
    const name = environment['AZURE_ENV_NAME'] ?? ''
    const { code, out, errors } = await run('azd', [
      'env',
      'set',
      '--file',
      file,
      ...(name === '' ? [] : ['--environment', name]),
      '--no-prompt',
    ])
    if (code !== 0)
      throw new HookFailure(`azd env set did not take ${changed.map(([each]) => each).join(', ')}: ${`${errors}${out}`.trim()}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Quotes a value as azd does in its own files: in double quotes, with a backslash before each special character. */
function quoted(value: string): string {
  return `"${value
    .replaceAll(/[\\"!$`]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)}"`
}
