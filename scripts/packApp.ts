// Turns the folder of the function app's bundle into the folder that is deployed, and starts it in an empty folder.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { runCommand } from './runCommand.ts'

const Package = z.object({ name: z.string(), version: z.string(), license: z.string() })
const Settings = z.object({ Values: z.record(z.string(), z.string()) })

/**
 * Adds the files that the platform needs beside the code: the settings of the host, and the name of the file that registers functions. Nothing is
 * installed. `release` is the version, if it differs from that of the sources.
 */
export function packApp(root: string, folder: string, release?: string): void {
  const { name, version, license } = Package.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const manifest = { name, version: release ?? version, private: true, license, type: 'module', main: 'main.mjs' }
  writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  cpSync(join(root, 'host.json'), join(root, folder, 'host.json'))
}

/**
 * Starts a copy of the package in a folder without modules above it. `output` ends with the functions that it registers. `problem` says why it does
 * not start.
 */
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
    if (code !== 0) return { output, problem: `${folder} does not start where there is nothing else` }
    // An app that refuses its settings starts, with nothing but routes that say so.
    return /^error: /m.test(output) ? { output, problem: `${folder} refuses the settings of local.settings.sample.json` } : { output }
  } finally {
    rmSync(alone, { recursive: true, force: true })
  }
}
