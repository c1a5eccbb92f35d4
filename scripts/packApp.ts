// Makes of the folder of the function app's bundle the folder that is deployed, and starts it where there is nothing else.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { runCommand } from './runCommand.ts'

const Package = z.object({ name: z.string(), version: z.string(), license: z.string() })
const Settings = z.object({ Values: z.record(z.string(), z.string()) })

/**
 * The platform asks for these beside the code: settings of the host, and the name of the file that registers functions. Nothing is installed.
 * `release`: its version, where it is not the one that the sources say.
 */
export function packApp(root: string, folder: string, release?: string): void {
  const { name, version, license } = Package.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const manifest = { name, version: release ?? version, private: true, license, type: 'module', main: 'main.mjs' }
  writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  cpSync(join(root, 'host.json'), join(root, folder, 'host.json'))
}

/** The functions it registers, in the end of the output, or why it does not start. A copy is started: no folder above it has modules. */
export async function startPackage(root: string, folder: string): Promise<{ readonly output: string; readonly problem?: string }> {
  const alone = mkdtempSync(join(tmpdir(), 'joiner-package-'))
  try {
    cpSync(resolve(root, folder), join(alone, 'app'), { recursive: true })
    cpSync(join(root, 'scripts/startupSmoke.mjs'), join(alone, 'startupSmoke.mjs'))
    const { Values } = Settings.parse(JSON.parse(readFileSync(join(root, 'local.settings.sample.json'), 'utf8')))
    const { code, output } = await runCommand(process.execPath, ['startupSmoke.mjs', 'app'], {
      cwd: alone,
      env: { ...process.env, ...Values },
    })
    return code === 0 ? { output } : { output, problem: `${folder} does not start where there is nothing else` }
  } finally {
    rmSync(alone, { recursive: true, force: true })
  }
}
