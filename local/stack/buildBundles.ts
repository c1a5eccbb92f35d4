import { spawn } from 'node:child_process'
import { defined } from '../../shared/base/values.ts'
import { Fault, problem } from '../../shared/model/problem.ts'

/** Bundles the function app and the shim as they ship, so that the stack runs what a deployment runs. */
export async function buildBundles(root: string, signal?: AbortSignal): Promise<void> {
  const output: string[] = []
  const code = await new Promise<number | null>((resolve, reject) => {
    const build = spawn(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...defined({ signal }) })
    for (const stream of [build.stdout, build.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
    build.once('exit', resolve).once('error', reject)
  })
  if (code !== 0) throw new Fault('build the bundles', problem('SETTING.INVALID', output.join('').trim()))
}
