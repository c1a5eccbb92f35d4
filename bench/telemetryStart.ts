import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUNDLES, writeBundle } from '../scripts/build.ts'
import { packApp } from '../scripts/packApp.ts'
import { CONNECTION } from '../test/monitor/monitored.ts'
import type { Figure } from './figures.ts'

const PAIRS = 21
/** Loaded before the app. At its end the process prints its processor time in microseconds. */
const SAY_COST = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('cpu '+(user+system))})`
const FOLDER = 'dist/bench-telemetry'

/**
 * Returns how much more it costs to register the functions if telemetry has a destination: the median of pairs of starts, in milliseconds of
 * processor time, so that other programs on the machine have little influence.
 */
export async function startFigure(root: string): Promise<Figure> {
  const [app] = BUNDLES
  if (app === undefined) throw new Error('there is no bundle of the app')
  await writeBundle(root, { ...app, out: `${FOLDER}/main.mjs` })
  packApp(root, FOLDER)
  const settings: { readonly [name: string]: string } = JSON.parse(readFileSync(join(root, 'local.settings.sample.json'), 'utf8')).Values
  const more = Array.from({ length: PAIRS }, () => {
    const without = startOnce(root, settings)
    return startOnce(root, { ...settings, APPLICATIONINSIGHTS_CONNECTION_STRING: CONNECTION }) - without
  }).sort((one, other) => one - other)
  return { what: 'start of the app with telemetry', value: more[Math.floor(PAIRS / 2)] ?? Number.NaN, unit: 'ms', gate: 10, aim: 5 }
}

function startOnce(root: string, settings: { readonly [name: string]: string }): number {
  const { status, stderr } = spawnSync(process.execPath, ['--import', SAY_COST, 'scripts/startupSmoke.mjs', FOLDER], {
    cwd: root,
    env: { ...process.env, ...settings },
    encoding: 'utf8',
  })
  const [, cost] = /cpu (\d+)/.exec(stderr) ?? []
  if (status !== 0 || cost === undefined) throw new Error(`the app does not start: ${stderr}`)
  return Number(cost) / 1_000
}
