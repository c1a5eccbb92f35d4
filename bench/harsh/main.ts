// Measures the function app on a host that stops and kills idle processes: `npm run bench:harsh -- [--modes today,frozen,two,killed,month] [--speed 5]
// [--machine-speed 1] [--limit 200] [--json]`. Plays the same story in each mode: five pods, fifty, a spot notice. `month` adds and
// removes machines at the speed `--machine-speed`, and prints the billed seconds of a month. The exit code is 1 if a gate is missed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { buildBundles } from '../../local/stack/buildBundles.ts'
import { writeBundle } from '../../scripts/build.ts'
import { type Figure, printFigures } from '../figures.ts'
import type { Outside } from './billing.ts'
import { monthFigures } from './month.ts'
import { playStory, type Scene, type Story } from './story.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const HOST_FILE = 'dist/host/main.mjs'
const ALWAYS = ['--freeze-after-ms', 'never', '--kill-after-ms', 'never']
const MODES: { readonly [mode: string]: readonly string[] } = {
  today: ['--groups', 'no', ...ALWAYS],
  frozen: ['--kill-after-ms', 'never'],
  two: ['--kill-after-ms', 'never', '--instances', 'http=2'],
  killed: [],
}
const MONTH = 'month'
const NAMES: { readonly [mode: string]: string } = {
  today: 'one process, always runs',
  frozen: 'frozen',
  two: 'frozen, two HTTP instances',
  killed: 'frozen and killed',
}

const { values } = parseArgs({
  options: {
    modes: { type: 'string', default: `${Object.keys(MODES).join(',')},${MONTH}` },
    speed: { type: 'string', default: '5' },
    'machine-speed': { type: 'string', default: '1' },
    limit: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
})
const wanted = values.modes.split(',')
const modes = wanted
  .filter((mode) => mode !== MONTH)
  .map((mode) => {
    const harsh = MODES[mode]
    if (harsh === undefined) throw new Error(`--modes ${mode}: must be of ${Object.keys(MODES).join(', ')}, ${MONTH}`)
    return { mode, harsh }
  })

mkdirSync(join(ROOT, '.local'), { recursive: true })
await buildBundles(ROOT)
await writeBundle(ROOT, { entry: 'local/host/main.ts', out: HOST_FILE, external: ['@azure/functions-core'] })
const options = { hostFile: join(ROOT, HOST_FILE), limitMs: Number(values.limit) * 1_000 }
const stories: Story[] = []
for (const { mode, harsh } of modes) {
  const story = await playStory({ mode, harsh, speed: Number(values.speed), ...options })
  stories.push(story)
  // a story takes minutes, and the next one may fail
  if (!values.json) console.log(JSON.stringify(story))
}
if (!values.json && stories.length > 0) printStories(stories)
console.log(JSON.stringify(stories))
printFigures(
  [...figuresOf(stories), ...(wanted.includes(MONTH) ? await monthFigures({ ...options, speed: Number(values['machine-speed']) }) : [])],
  values.json,
)
process.exit()

function printStories(all: readonly Story[]): void {
  const head = ['mode', '5 pods', '5 to 50', 'spot', 'billed s', 'creations', 'evictions', 'ledger writes outside']
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const { mode, five, fifty, spot, outside } of all) {
    const billed = [five, fifty, spot].map((scene) => scene.billed.toFixed(0)).join(' / ')
    table.push([NAMES[mode] ?? mode, ...[five, fifty, spot].map(secondsOf), billed, ...sharesOf(outside)])
  }
  console.log(table.toString())
  console.log('seconds to the last call for a machine, and from the notice to the end of the machine')
}

function secondsOf({ seconds, note }: Scene): string {
  return Number.isNaN(seconds) ? note : seconds.toFixed(1)
}

function sharesOf({ creation, eviction, ledger }: Outside): readonly string[] {
  return [creation, eviction, ledger].map(({ outside, all }) => `${outside} of ${all}`)
}

/** What each harsh mode takes longer than today's host, and the work outside an invocation. */
function figuresOf(all: readonly Story[]): readonly Figure[] {
  const today = all.find(({ mode }) => mode === 'today')
  const later = all.filter((story) => story !== today).flatMap((story) => (today === undefined ? [] : beyond(story, today)))
  const outside = all.flatMap(({ mode, outside: calls }) => {
    const count = Object.values(calls).reduce((sum, each) => sum + each.outside, 0)
    return [{ what: `${NAMES[mode]}: calls outside an invocation`, value: count, unit: '', gate: 0, aim: 0 }]
  })
  return [...later, ...outside]
}

function beyond({ mode, five, fifty }: Story, today: Story): readonly Figure[] {
  const figure = (what: string, scene: Scene, base: Scene): Figure => {
    return { what: `${NAMES[mode]}: ${what}, beyond one process`, value: scene.seconds - base.seconds, unit: 's', gate: 1.5, aim: 0.5 }
  }
  return [figure('5 pods', five, today.five), figure('5 to 50 pods', fifty, today.fifty)]
}
