// Measures how the app deals with refusals of Azure, on its own bundle and the emulated Azure.
// npm run bench:azure [-- --json] [--nodes 1000] [--refused 200] [--draws 12] [--only quota,capacity,thousand,late,catalogue]
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { builtInSizes } from '../../local/azure/sizes/sizeFamilies.ts'
import { buildBundles } from '../../local/stack/buildBundles.ts'
import { largestOf } from '../../shared/base/lists.ts'
import { createRandom } from '../../test/agreement/random.ts'
import { type Figure, printFigures } from '../figures.ts'
import { hasAzureSizes } from '../scheduling/catalogs/azureTypes.ts'
import { measureCatalogue } from './catalogue.ts'
import { aboveCheapest, beforeRetryAfter, cheaperThanFree, createsOf, hasQuota, type Offered, offeringsOf } from './outcome.ts'
import { CPUS, scaleUp } from './scaledUp.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '1000' },
    refused: { type: 'string', default: '200' },
    draws: { type: 'string', default: '12' },
    only: { type: 'string', default: 'quota,capacity,thousand,late,catalogue' },
  },
})

/** The sizes for which the gates hold. */
const GATED = { nodes: 1_000, refused: 200, draws: 12 }
const SPEED = 50
/** The share of the offerings that Azure refuses. */
const OUT = 0.9
const THROTTLED = { seconds: 2, times: 3, marginMs: 150 }
/** From the request for a machine to its late refusal in the emulated Azure. */
const LATE_MS = 7_000

const nodes = wholeNumber('nodes')
const refused = wholeNumber('refused')
/**
 * Draws of the offerings that are out. How many refusals come before the cheapest free offering is luck: none to 24 in twelve draws, 8.3 on average.
 * In 200 draws it is 8.2 on average.
 */
const seeds = Array.from({ length: wholeNumber('draws') }, (_, index) => 1 + index)
const sizes = builtInSizes().filter(({ cpus }) => cpus === CPUS)
const byName = new Map(sizes.map((each) => [each.name, each]))
const offerings = offeringsOf(sizes)
const PARTS: { readonly [name: string]: () => Promise<readonly Figure[]> } = { quota, capacity, thousand, late, catalogue }
const wanted = new Set(values.only.split(','))
for (const name of wanted)
  if (!Object.hasOwn(PARTS, name)) throw new Error(`--only ${name}: must be one of ${Object.keys(PARTS).join(', ')}`)

await buildBundles(join(import.meta.dirname, '..', '..'))
const figures: Figure[] = []
for (const [name, measure] of Object.entries(PARTS)) {
  if (!wanted.has(name)) continue
  for (const figure of await measure()) figures.push(figure)
}
printFigures(figures, values.json, nodes === GATED.nodes && refused === GATED.refused && seeds.length === GATED.draws)
process.exit()

/** Quotas that a fifth of the machines use up: one for spot, one for each family. */
async function quota(): Promise<readonly Figure[]> {
  const familyCores = Math.max(CPUS, Math.ceil(refused / 5) * CPUS)
  const { running, requests, machines } = await scaleUp({ nodes: refused, speed: SPEED, familyCores })
  const { creates, refusals } = createsOf(requests)
  const what = `quota for a fifth of ${refused} nodes`
  return refusedFigures(what, running, refusals / creates, aboveCheapest(machines, offerings, hasQuota(familyCores, byName)))
}

/** Nine of ten offerings are out, at random. Shares are of the creates and prices of all draws together. */
async function capacity(): Promise<readonly Figure[]> {
  const draws: Draw[] = []
  for (const seed of seeds) draws.push(await drawn(seed))
  const what = `${OUT * 100} % of offerings out, ${refused} nodes, ${seeds.length} draws`
  const sum = (of: (draw: Draw) => number): number => draws.reduce((total, each) => total + of(each), 0)
  const share = (of: (draw: Draw) => number): number => sum(of) / sum(({ creates }) => creates)
  const failed = share(({ refusals }) => refusals)
  const beyond = share(({ refusals, unsparable }) => Math.max(0, refusals - unsparable))
  const most = largestOf(draws.map(({ refusals, creates }) => refusals / creates))
  return [
    ...refusedFigures(what, sum(({ running }) => running) / draws.length, failed, sum(({ above }) => above) / draws.length),
    {
      what: `${what}: failed creates beyond those that a cheapest machine costs, of all creates`,
      value: beyond * 100,
      unit: '%',
      gate: 5,
      aim: 1,
    },
    { what: `${what}: failed creates of all creates, worst draw`, value: most * 100, unit: '%' },
  ]
}

type Draw = {
  readonly running: number
  readonly creates: number
  readonly refusals: number
  /** The refusals that no order of requests can avoid: the offerings cheaper than the cheapest free one. */
  readonly unsparable: number
  readonly above: number
}

async function drawn(seed: number): Promise<Draw> {
  const random = createRandom(seed)
  const out = new Set(offerings.filter(() => random.chance(OUT)))
  const { running, requests, machines } = await scaleUp({
    nodes: refused,
    speed: SPEED,
    script: ({ script }) => {
      for (const { size, zone, capacityType } of out) script.capacity({ size: size.name, zone, capacityType, code: 'SkuNotAvailable' })
    },
  })
  const isFree = (each: Offered): boolean => !out.has(each)
  const { creates, refusals } = createsOf(requests)
  return { running, creates, refusals, unsparable: cheaperThanFree(offerings, isFree), above: aboveCheapest(machines, offerings, isFree) }
}

function refusedFigures(what: string, running: number, failed: number, above: number): readonly Figure[] {
  return [
    { what: `${what}: pods without a node`, value: refused - running, unit: '', gate: 0, aim: 0 },
    { what: `${what}: failed creates of all creates`, value: failed * 100, unit: '%', gate: 5, aim: 1 },
    { what: `${what}: price above the cheapest that was free`, value: above * 100, unit: '%', gate: 3, aim: 0.5 },
  ]
}

/** Many nodes at once, while Azure throttles the first requests. */
async function thousand(): Promise<readonly Figure[]> {
  const { seconds, times, marginMs } = THROTTLED
  const { running, requests } = await scaleUp({
    nodes,
    speed: SPEED,
    script: ({ script }) =>
      script.http({ method: 'PUT', path: 'virtualMachines', status: 429, code: 'TooManyRequests', retryAfterSeconds: seconds, times }),
  })
  const puts = (type: string): number => requests.filter((each) => each.method === 'PUT' && each.type === type).length
  const most = Math.ceil(nodes * 1.01)
  return [
    { what: `${nodes} nodes: pods without a node`, value: nodes - running, unit: '', gate: 0, aim: 0 },
    { what: `${nodes} nodes: creates of machines`, value: puts('virtualMachines'), unit: '', gate: most, aim: nodes },
    { what: `${nodes} nodes: creates of network interfaces`, value: puts('networkInterfaces'), unit: '', gate: most, aim: nodes },
    {
      what: `${nodes} nodes: creates before Retry-After`,
      value: beforeRetryAfter(requests, seconds * 1_000, marginMs),
      unit: '',
      gate: 0,
      aim: 0,
    },
    { what: `${nodes} nodes: ARM calls a node, reads included`, value: requests.length / nodes, unit: '', gate: 6, aim: 4 },
  ]
}

/** Azure accepts the first machine and refuses it later. At the speed of Azure. */
async function late(): Promise<readonly Figure[]> {
  const { requests } = await scaleUp({
    nodes: 1,
    speed: 1,
    script: ({ script }) => script.capacity({ code: 'ZonalAllocationFailed', when: 'fail', times: 1 }),
  })
  const [first, second] = requests.filter(({ method, type }) => method === 'PUT' && type === 'virtualMachines')
  const seconds = first === undefined || second === undefined ? Number.NaN : (second.at - first.at - LATE_MS) / 1_000
  return [{ what: 'late refusal to the next create', value: seconds, unit: 's', gate: 5, aim: 1 }]
}

function catalogue(): Promise<readonly Figure[]> {
  if (!hasAzureSizes) {
    console.error('catalogue: skipped, since ../shared/data/vm-sizes.eastus.json does not exist')
    return Promise.resolve([])
  }
  const { sizes: count, ms, mebibytes } = measureCatalogue()
  const what = `catalogue of eastus, ${count} sizes`
  return Promise.resolve([
    { what: `${what}: time`, value: ms, unit: 'ms', gate: 30, aim: 10 },
    { what: `${what}: memory`, value: mebibytes, unit: 'MiB', gate: 4, aim: 2 },
  ])
}

function wholeNumber(name: 'nodes' | 'refused' | 'draws'): number {
  const value = Number(values[name])
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} ${values[name]}: must be a whole number of at least 1`)
  return value
}
