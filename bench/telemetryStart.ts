import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUNDLES, writeBundle } from '../scripts/build.ts'
import { packApp } from '../scripts/packApp.ts'
import { CONNECTION } from '../test/monitor/monitored.ts'
import type { Figure } from './telemetryFigures.ts'

const PAIRS = 11
const FOLDER = 'dist/bench-telemetry'

/**
 * How much later the app has registered its functions where telemetry has somewhere to go. Starts with and without it take turns, and the
 * least of each counts, so that others who use the machine do not.
 */
export async function startFigure(root: string): Promise<Figure> {
  const [app] = BUNDLES
  if (app === undefined) throw new Error('there is no bundle of the app')
  await writeBundle(root, { ...app, out: `${FOLDER}/main.mjs` })
  packApp(root, FOLDER)
  const settings: { readonly [name: string]: string } = JSON.parse(readFileSync(join(root, 'local.settings.sample.json'), 'utf8')).Values
  const without: number[] = []
  const told: number[] = []
  for (let pair = 0; pair < PAIRS; pair++) {
    without.push(startOnce(root, settings))
    told.push(startOnce(root, { ...settings, APPLICATIONINSIGHTS_CONNECTION_STRING: CONNECTION }))
  }
  return { what: 'start of the app with telemetry', value: Math.min(...told) - Math.min(...without), unit: 'ms', gate: 10, aim: 5 }
}

/** As the smoke test of a build tells it: the time to load the package, in milliseconds. */
function startOnce(root: string, settings: { readonly [name: string]: string }): number {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/startupSmoke.mjs', FOLDER], {
    cwd: root,
    env: { ...process.env, ...settings },
    encoding: 'utf8',
  })
  const [, took] = /loaded in (\d+) ms/.exec(stdout) ?? []
  if (status !== 0 || took === undefined) throw new Error(`the app does not start: ${stderr}`)
  return Number(took)
}
