import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildGoPrograms, builtFolder, type GoPrograms, hasGo, lackingIn } from '../../local/goPrograms.ts'

const ACTIONLINT: GoPrograms<'actionlint'> = {
  names: ['actionlint'],
  packages: { actionlint: 'github.com/rhysd/actionlint/cmd/actionlint' },
  module: join(import.meta.dirname, 'go'),
  linkFlags: '-s -w',
  patience: 'minute',
}

/** Why nothing can be linted here, in a sentence; undefined when it can. */
export function lintObstacle(cache: string, path: string): string | undefined {
  if (lackingIn(builtFolder(ACTIONLINT, cache), ACTIONLINT).length === 0 || hasGo(path)) return undefined
  return 'actionlint needs Go 1.26 or newer to be built, and this machine has none'
}

/** Where actionlint is: built before, or built now. */
export async function findActionlint(cache: string, say: (line: string) => void): Promise<string> {
  const folder = builtFolder(ACTIONLINT, cache)
  await buildGoPrograms(ACTIONLINT, folder, say)
  return join(folder, 'actionlint')
}

/**
 * What is wrong with a workflow, one sentence with line and rule each: keys, types of expressions, contexts, events, cron, runners, jobs that are
 * needed. Inputs of actions are not looked at, since those are pinned by commit. Linters of shells that a machine may have or not play no part.
 */
export async function lintWorkflow(actionlint: string, text: string): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
  const args = ['-no-color', '-oneline', '-shellcheck=', '-pyflakes=', '-']
  const child = spawn(actionlint, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += String(chunk)
  })
  child.once('error', reject)
  // 1: it found something. More: it could not look.
  child.once('close', (code) =>
    code === 0 || code === 1
      ? resolve(out.split('\n').filter((line) => line !== ''))
      : reject(new Error(`actionlint ended with ${code}: ${out}`)),
  )
  child.stdin.end(text)
  return promise
}
