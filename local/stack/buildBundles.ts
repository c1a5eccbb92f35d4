import { spawn } from 'node:child_process'
import { Fault, problem } from '../../shared/model/problem.ts'

/** Bundles the function app and the shim as they ship: the stack runs what a deployment would. */
export async function buildBundles(root: string): Promise<void> {
  const output: string[] = []
  const code = await new Promise<number | null>((resolve) => {
    const build = spawn(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [build.stdout, build.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
    build.once('exit', resolve)
  })
  if (code !== 0) throw new Fault('build the bundles', problem('SETTING.INVALID', output.join('').trim()))
}
