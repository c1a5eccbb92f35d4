import { describe, expect, it } from 'vitest'
import type { ArmFailure } from '../../shared/adapters/azure/armFailure.ts'
import { launchRefusal } from '../../shared/adapters/azure/errors/launchRefusal.ts'
import { REFUSAL_TABLE } from '../../shared/adapters/azure/errors/refusalTable.ts'
import { ownValue } from '../../shared/base/values.ts'
import { typeNamed } from '../../shared/engine/offering/usableOfferings.ts'
import { clusterId, nodeClaimName, nodeClassName, type VmSizeName } from '../../shared/model/ids.ts'
import type { LaunchChoice } from '../../shared/model/instance.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { DEMOTED_FACTOR, type SizeReport } from '../../shared/model/sizeReport.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { azureFailure } from '../builders/azureFailures.ts'
import { catalog } from '../builders/catalog.ts'
import { unseenPod } from '../builders/pod.ts'
import { createSimulation } from '../crash/simulation.ts'

type Offered = Pick<LaunchChoice, 'size' | 'zone' | 'capacityType'> & { readonly type: InstanceType }
type Says = (refused: Offered, other: Offered) => boolean

const SIZES = catalog()
const ALL: readonly Offered[] = SIZES.flatMap((type) =>
  type.offerings.map(({ zone, capacityType }) => ({ size: type.name, zone, capacityType, type })),
)
const SEEDS = [1, 2, 3]
const SIGNAL = new AbortController().signal
/** The time between two restarts of all processes. */
const RESTART_EVERY_MS = 2_500
const LIMIT_MS = 60 * 60_000

const sameSize: Says = (one, other) => one.size === other.size
const sameZone: Says = (one, other) => one.zone === other.zone
const sameKind: Says = (one, other) => one.capacityType === other.capacityType
const largerOfKind: Says = (one, other) => sameKind(one, other) && other.type.cpus >= one.type.cpus
const both =
  (...all: readonly Says[]): Says =>
  (one, other) =>
    all.every((says) => says(one, other))
const exactly = both(sameSize, sameZone, sameKind)

/** The other offerings that a refusal is about, by its words and by what Azure documents. Each row that goes on with the next offering is here. */
const SAYS: { readonly [row: string]: Says } = {
  'spot quota of the region': largerOfKind,
  'spot not allowed for the subscription': sameKind,
  'size not sold as spot': both(sameSize, sameKind),
  'family quota of zero': both((one, other) => one.type.family === other.type.family, largerOfKind),
  'family quota': both((one, other) => one.type.family === other.type.family, largerOfKind),
  'size not available': exactly,
  'zone out of room': both(sameSize, sameZone),
  'region out of room': sameSize,
  'zone out of room under these constraints': exactly,
  'region out of room under these constraints': both(sameSize, sameKind),
  'quota of the region': largerOfKind,
  'size not supported for the subscription': sameSize,
  'zone not supported by the size': both(sameSize, sameZone),
  'image not found': sameSize,
  'denied by policy': both(sameSize, sameKind),
  'request refused for another reason': exactly,
}

/** Only refusals of these rows are about one capacity type, and the other one is sold. */
const KIND_OF: { readonly [row: string]: string } = {
  'spot quota of the region': 'spot',
  'spot not allowed for the subscription': 'spot',
  'size not sold as spot': 'spot',
  'quota of the region': 'on-demand',
}

/** Offerings that Azure refuses: as many as the row allows while one is left, or a part of them, with all that each refusal is about. */
function refusedSet(row: string, random: Random, says: Says): { readonly refused: readonly Offered[]; readonly left: Offered } {
  const left = random.pick(ALL)
  const kind = ownValue(KIND_OF, row)
  const possible = ALL.filter((each) => (kind ?? each.capacityType) === each.capacityType && !says(each, left))
  const seeds = random.chance(0.5) ? possible : possible.filter(() => random.chance(0.7))
  return { refused: ALL.filter((each) => seeds.some((seed) => says(seed, each))), left }
}

async function triesUntilRunning(
  failure: ArmFailure,
  refused: readonly Offered[],
  stage: 'machine' | 'boot',
  demoted: ReadonlySet<VmSizeName> = new Set(),
) {
  const simulation = createSimulation({ bootMs: 1_000 })
  await simulation.perform(({ offerings, clock }) => offerings.report(reportsOn(demoted, clock.now()), clock.now(), SIGNAL))
  const { machines, objects } = simulation.world
  const tried: string[] = []
  const refusal = (choice: LaunchChoice) => {
    const { size, zone, capacityType } = choice
    tried.push(`${size} ${zone} ${capacityType}`)
    const type = typeNamed(SIZES, size) ?? expect.fail(`no size ${size}`)
    const zones = [...new Set(type.offerings.map((each) => each.zone))]
    const attempt = { size, zone, capacityType, family: type.family, cpus: type.cpus, zones }
    return launchRefusal(failure, attempt, simulation.clock.now(), 'nodeclaim/x') ?? expect.fail('an outage')
  }
  for (const { size, zone, capacityType } of refused) machines.refuse({ size, zone, capacityType }, { stage, refusal })
  objects.put('pod', unseenPod({ name: 'one', cpus: 1 }))
  let restartAt = simulation.clock.now() + RESTART_EVERY_MS
  const running = await simulation.runUntil(() => {
    if (simulation.clock.now() >= restartAt) {
      restartAt += RESTART_EVERY_MS
      simulation.configure({})
    }
    return objects.all('pod').every(({ nodeName }) => nodeName !== undefined) || tried.length > 3 * ALL.length
  }, LIMIT_MS)
  const [claim] = objects.all('nodeClaim').filter(({ status }) => status.nodeName !== undefined)
  const bought = [LABEL.instanceType, LABEL.zone, LABEL.capacityType].map((key) => claim?.meta.labels[key]).join(' ')
  return { running, tried, bought }
}

/** What two machines of each size said that did not boot while others did. */
function reportsOn(sizes: ReadonlySet<VmSizeName>, at: EpochMs): readonly SizeReport[] {
  return [...sizes].flatMap((size, index) =>
    ['a', 'b'].map((name) => ({
      kind: 'notBooted' as const,
      cluster: clusterId('another'),
      claim: nodeClaimName(`${name}-${index}`),
      nodeClass: nodeClassName('default'),
      size,
      launchedAt: at,
      at,
      isProven: true as const,
    })),
  )
}

const ENDING = REFUSAL_TABLE.filter((row) => 'then' in row && row.then === 'end').map(({ name }) => name)
const WAITING = REFUSAL_TABLE.filter((row) => 'then' in row && row.then !== 'end').map(({ name }) => name)
const NEXT = REFUSAL_TABLE.filter((row) => 'blocks' in row).map(({ name }) => name)
const WHEN = ['machine', 'boot'] as const
const cases = NEXT.flatMap((row) => WHEN.flatMap((stage) => SEEDS.map((seed) => ({ row, stage, seed }))))

describe('if all spot machines are out', () => {
  const ROWS = NEXT.filter(
    (row) => (ownValue(KIND_OF, row) ?? 'spot') === 'spot' && !['region out of room', 'zone out of room'].includes(row),
  )
  it.each(ROWS)('one pod gets an on-demand machine after at most five refusals: %s', async (row) => {
    const spot = ALL.filter(({ capacityType }) => capacityType === 'spot')
    const { running, tried } = await triesUntilRunning(azureFailure(row), spot, 'machine')
    expect(running).toBeDefined()
    expect(tried.length).toBeLessThanOrEqual(5)
  })
})

describe('a refusal that is no fault of a size', () => {
  /** One pod, whose first machine is refused once. */
  async function refusedOnce(row: string) {
    const simulation = createSimulation()
    const { machines, objects, ports } = simulation.world
    const tried: string[] = []
    const refusal = ({ size, zone, capacityType }: LaunchChoice) => {
      tried.push(`${size} ${zone} ${capacityType}`)
      const attempt = { size, zone, capacityType, family: '', cpus: 2, zones: [zone] }
      return launchRefusal(azureFailure(row), attempt, simulation.clock.now(), 'nodeclaim/x') ?? expect.fail('an outage')
    }
    machines.refuse({}, { times: 1, refusal })
    objects.put('pod', unseenPod({ name: 'one', cpus: 1 }))
    await simulation.runUntil(() => tried.length > 0, LIMIT_MS)
    expect(await ports.offerings.unavailable(simulation.clock.now(), new AbortController().signal)).toEqual([])
    return { simulation, objects }
  }

  it.each(ENDING)('%s: the claim ends, and the pod gets another one at once', async (row) => {
    const { simulation, objects } = await refusedOnce(row)
    const ended = () =>
      objects.events.filter(({ event }) => event.reason === 'InsufficientCapacityError' && event.subject.kind === 'nodeClaim')
    await simulation.runUntil(() => ended().length > 0, LIMIT_MS)
    const from = simulation.clock.now()
    const launched = () => objects.all('nodeClaim').find(({ status }) => status.providerId !== undefined)
    expect(await simulation.runUntil(() => launched() !== undefined, LIMIT_MS)).toBeDefined()
    expect(simulation.clock.now() - from).toBeLessThan(15_000)
    const [{ event } = expect.fail('not said'), ...more] = ended()
    expect(more).toEqual([])
    expect(launched()?.name).not.toBe(event.subject.name)
  })

  it.each(WAITING)('%s: the claim waits and says so, and nothing is kept from other claims', async (row) => {
    const { simulation, objects } = await refusedOnce(row)
    const [claim = expect.fail('no claim')] = objects.all('nodeClaim')
    expect(claim.status.conditions.find(({ type }) => type === 'Launched')).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining(row),
    })
    const said = objects.events.filter(({ event }) => event.reason === 'LaunchFailed' && event.subject.name === claim.name)
    expect(said).toHaveLength(1)
    expect(await simulation.runUntil(() => objects.all('pod').every(({ nodeName }) => nodeName !== undefined), LIMIT_MS)).toBeDefined()
  })
})

describe('an offering that Azure has is found after at most one try for each that it refuses, though all processes are restarted', () => {
  it.each(cases)('$row, $stage, seed $seed', async ({ row, stage, seed }) => {
    // A machine that fails later for a reason that is not about capacity says that about its size.
    const isOfClass = REFUSAL_TABLE.some((each) => each.name === row && 'concerns' in each)
    const says = stage === 'boot' && isOfClass ? sameSize : ownValue(SAYS, row)
    if (says === undefined) return expect.fail(`what does Azure say with "${row}"?`)
    const { refused } = refusedSet(row, createRandom(seed), says)
    const { running, tried } = await triesUntilRunning(azureFailure(row), refused, stage)
    expect(running, `after ${tried.length} tries: ${tried.slice(0, 12).join(', ')}`).toBeDefined()
    expect(tried.length).toBeLessThanOrEqual(refused.length)
  })
})

describe('a size that is demoted for the region', () => {
  const rows = ['size not available', 'family quota', 'denied by policy', 'request refused for another reason']
  const drawn = rows.flatMap((row) => [...SEEDS, 4, 5, 6].map((seed) => ({ row, seed })))

  it.each(drawn)('counts at a multiple of its price, and is found where nothing else is left: $row, seed $seed', async ({ row, seed }) => {
    const random = createRandom(seed + 100)
    const { refused, left } = refusedSet(row, random, ownValue(SAYS, row) ?? expect.fail(`no row "${row}"`))
    const demoted = new Set(SIZES.filter(({ name }) => (name === left.size ? seed % 2 === 0 : random.chance(0.5))).map(({ name }) => name))
    const { running, tried, bought } = await triesUntilRunning(azureFailure(row), refused, 'machine', demoted)
    expect(running, `after ${tried.length} tries: ${tried.slice(0, 12).join(', ')}`).toBeDefined()
    expect(tried.length).toBeLessThanOrEqual(refused.length)
    // The order of later tries depends on the refusals before.
    const weighed = ({ type, zone, capacityType }: Offered): number => {
      const sold = type.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)
      return (sold?.price ?? Number.POSITIVE_INFINITY) * (demoted.has(type.name) ? DEMOTED_FACTOR : 1)
    }
    const [first = expect.fail('nothing was tried')] = ALL.filter(
      ({ size, zone, capacityType }) => `${size} ${zone} ${capacityType}` === (tried[0] ?? bought),
    )
    expect(weighed(first)).toBe(Math.min(...ALL.map(weighed)))
  })
})
