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

/** Returns a sentence why linting is not possible here. Undefined if it is possible. */
export function lintObstacle(cache: string, path: string): string | undefined {
  if (lackingIn(builtFolder(ACTIONLINT, cache), ACTIONLINT).length === 0 || hasGo(path)) return undefined
  return 'actionlint needs Go 1.26 or newer to be built, and this machine has none'
}

/** Returns the path of actionlint. Builds it if it was not built before. */
export async function findActionlint(cache: string, say: (line: string) => void): Promise<string> {
  const folder = builtFolder(ACTIONLINT, cache)
  await buildGoPrograms(ACTIONLINT, folder, say)
  return join(folder, 'actionlint')
}

/**
 * Returns what is wrong with a workflow, one sentence with line and rule each: keys, types of expressions, contexts, events, cron, runners, needed
 * jobs. Inputs of actions are not checked, because actions are pinned by commit. Linters of shell scripts, which a machine may lack, are not used.
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
  // 1: it found mistakes. Above 1: it could not check.
  child.once('close', (code) =>
    code === 0 || code === 1
      ? resolve(out.split('\n').filter((line) => line !== ''))
      : reject(new Error(`actionlint ended with ${code}: ${out}`)),
  )
  child.stdin.end(text)
  return promise
}
