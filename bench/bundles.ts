import { spawn } from 'node:child_process'
import { BUNDLES, bundle } from '../scripts/build.ts'
import { packApp } from '../scripts/packApp.ts'
import { type Spread, spreadOf } from './quantiles.ts'

export type BundleFigures = { readonly functionsBytes: number; readonly shimBytes: number; readonly startMs: Spread }

const STARTS = 7

/** Returns the sizes of the bundles that ship, and the time from the start of the function app's process until all triggers are registered. */
export async function measureBundles(root: string, settings: { readonly [name: string]: string }): Promise<BundleFigures> {
  const [functionsBytes = 0, shimBytes = 0] = await Promise.all(BUNDLES.map((each) => bundle(root, each)))
  packApp(root, 'dist/functions')
  const starts: number[] = []
  for (let run = 0; run < STARTS; run++) starts.push(await startOnce(root, settings))
  return {
    functionsBytes,
    shimBytes,
    startMs: spreadOf(starts.slice(1)),
  }
}

/** Returns the time inside the process. The start of the platform's process is not part of it, because Joiner cannot shorten it. */
function startOnce(root: string, settings: { readonly [name: string]: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['scripts/startupSmoke.mjs', 'dist/functions'], {
      cwd: root,
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += String(chunk)
    })
    child.once('exit', () => {
      const ms = Number(/loaded in ([\d.]+) ms/.exec(text)?.[1])
      if (Number.isFinite(ms)) resolve(ms)
      else reject(new Error(`the function app did not start: ${text}`))
    })
  })
}
