// Measures parts of Joiner by themselves, against their gates.
// npm run bench:parts [-- --only path,decision,envelope,idle,telemetry,demo,watch] [--small] [--json]
// `--small` takes the smallest sizes, to see that a part still runs: its figures say nothing, and no gate counts.
import { parseArgs } from 'node:util'
import type { Figure } from './figures.ts'
import { printFigures } from './figures.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'path,decision,envelope,idle,telemetry,demo,watch' },
    list: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

/** Each part loads its code when it runs. */
const PARTS: { readonly [name: string]: (small: boolean) => Promise<readonly Figure[]> } = {
  path: async () => (await import('./pathFigures.ts')).pathFigures(values.list),
  decision: async () => (await import('./pathFigures.ts')).decisionFigures(),
  envelope: async (small) => (await import('./envelopeFigures.ts')).envelopeFigures(small ? 2_000 : 100_000),
  idle: async (small) => (await import('./idle/idleFigures.ts')).idleFigures(small ? ['empty'] : ['empty', 'machines', 'refused', 'busy']),
  telemetry: async () => (await import('./telemetryFigures.ts')).telemetryFigures(),
  demo: async (small) => (await import('./demoFigures.ts')).demoFigures(small ? 10 : 200),
  watch: async (small) => (await import('./watchFigures.ts')).watchFigures(small),
}

const wanted = values.only.split(',')
const unknown = wanted.filter((name) => PARTS[name] === undefined)
if (unknown.length > 0) throw new Error(`--only ${unknown.join()}: parts are ${Object.keys(PARTS).join(', ')}`)
const figures: Figure[] = []
for (const name of wanted) figures.push(...((await PARTS[name]?.(values.small)) ?? []))
printFigures(figures, values.json, !values.small)
process.exit()
