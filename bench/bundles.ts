import { spawn } from 'node:child_process'
import { BUNDLES, bundle } from '../scripts/build.ts'
import { packApp } from '../scripts/packApp.ts'
import { type Spread, spreadOf } from './quantiles.ts'

export type BundleFigures = { readonly functionsBytes: number; readonly shimBytes: number; readonly startMs: Spread }

const STARTS = 7

/** Sizes of what ships, and how long the function app takes from the start of its process to all triggers registered. */
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

/** Time inside the process, since the platform's own process start is not ours to shorten. */
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
