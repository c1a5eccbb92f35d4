/** Pools for which Azure has no machine for a day. */
import { describe, expect, it } from 'vitest'
import { launchRefusal } from '../../../shared/adapters/azure/errors/launchRefusal.ts'
import { err } from '../../../shared/base/result.ts'
import type { ClusterDeps } from '../../../shared/flows/deps/clusterDeps.ts'
import type { LaunchChoice, LaunchRefusal } from '../../../shared/model/instance.ts'
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import { type EpochMs, epochMs } from '../../../shared/model/units.ts'
import { HOUR, MINUTE, SECOND } from '../../builders/clock.ts'
import { instanceType } from '../../builders/instanceType.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { pod } from '../../builders/pod.ts'
import { createSimulation, type Simulation } from '../simulation.ts'

const POOLS = ['gpu-0', 'gpu-1']
const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']
const DAY = 24 * HOUR
const TICK = 10 * SECOND
const REPLICAS = 2
/** A pool asks within this time: its machines, one after the other in each zone. */
const ROUND = MINUTE
/** The longest time between two rounds of a pool: the longest block, and at most a quarter more. */
const LONGEST = 3.75 * HOUR

const SMALL = instanceType({ name: 'Standard_NC24ads_A100_v4', cpus: 24, family: 'NCADSA100v4', zones: ZONES, spotPrice: null })
const LARGE = instanceType({ name: 'Standard_ND96amsr_A100_v4', cpus: 96, family: 'NDAMSv4', zones: ZONES, spotPrice: null })

type Ask = { readonly at: EpochMs; readonly pool: string; readonly zone: string }

type Play = {
  readonly simulation: Simulation
  readonly asks: readonly Ask[]
  readonly claims: readonly Omit<Ask, 'zone'>[]
  /** From now on Azure has machines. */
  readonly openUp: () => void
  /** The times at which the rounds began in which Azure was asked so. */
  readonly rounds: (asked: (ask: Ask) => boolean) => readonly number[]
}

function noRoom(choice: LaunchChoice, { family, cpus, offerings }: InstanceType, now: EpochMs): LaunchRefusal {
  const failure = { code: 'ZonalAllocationFailed', status: 409, isOutage: false, message: 'no capacity in the zone' }
  const zones = [...new Set(offerings.map(({ zone }) => zone))]
  const refusal = launchRefusal(failure, { ...choice, family, cpus, zones }, now, 'vm/test')
  if (refusal === undefined) throw new TypeError('the table of refusals does not know ZonalAllocationFailed')
  return refusal
}

type Options = { readonly stage?: 'asked' | 'boot'; readonly kind?: 'static' | 'dynamic' }

/**
 * Two pools, each of one of these sizes: static ones, or dynamic ones with a pending pod each. Azure refuses every machine, when it is asked or only
 * when the machine boots.
 */
function play(sizes: readonly [InstanceType, InstanceType], { stage = 'asked', kind = 'static' }: Options = {}): Play {
  const asks: Ask[] = []
  let isFull = true
  const between = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    cloud: {
      ...deps.cloud,
      launch: async (request, signal) => {
        const { candidate, claim } = request
        const now = deps.clock.now()
        asks.push({ at: now, pool: claim.meta.labels[LABEL.nodePool] ?? '', zone: candidate.choice.zone })
        if (isFull && stage === 'asked') return err(noRoom(candidate.choice, candidate.instanceType, now))
        return deps.cloud.launch(request, signal)
      },
    },
  })
  const simulation = createSimulation({ tickMs: TICK, resyncEveryMs: MINUTE, instanceTypes: sizes, between })
  const { objects, machines, clock } = simulation.world
  const claims = new Map<string, Omit<Ask, 'zone'>>()
  objects.listen(({ kind, key, op }) => {
    const pool = objects.get('nodeClaim', key)?.meta.labels[LABEL.nodePool]
    if (kind === 'nodeClaim' && op === 'put' && pool !== undefined && !claims.has(key)) claims.set(key, { at: clock.now(), pool })
  })
  for (const [index, { name }] of sizes.entries()) {
    const requirements = [{ key: LABEL.instanceType, operator: 'In', values: [name] }] as const
    const pool = nodePool({ name: POOLS[index] ?? '', template: { requirements } })
    objects.put('nodePool', kind === 'static' ? { ...pool, replicas: REPLICAS } : pool)
    const nodeSelector = { [LABEL.nodePool]: pool.name }
    if (kind === 'dynamic') objects.put('pod', pod({ name: pool.name, nodeSelector, unschedulableSince: clock.now() }))
    const refusal = (choice: LaunchChoice): LaunchRefusal => noRoom(choice, sizes[index] ?? SMALL, clock.now())
    if (stage === 'boot') machines.refuse({ size: name }, { stage: 'boot', refusal })
  }
  return {
    simulation,
    asks,
    get claims() {
      return [...claims.values()]
    },
    openUp: () => void (isFull = false),
    rounds: (asked) => roundsIn(asks.filter(asked)),
  }
}

function roundsIn(asks: readonly Ask[]): readonly number[] {
  const times = asks.map(({ at }) => at)
  return times.filter((at, index) => index === 0 || at - (times[index - 1] ?? 0) > ROUND)
}

function gapsOf(times: readonly number[]): readonly number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? 0))
}

async function pass({ simulation }: Play, ms: number): Promise<void> {
  const end = epochMs(simulation.clock.now() + ms)
  await simulation.runUntil(() => simulation.clock.now() >= end, ms + HOUR)
}

/** The waits of a day: an hour, twice as long, and then the longest. */
function expectGrowth(gaps: readonly number[]): void {
  const hours = gaps.map((gap) => gap / HOUR)
  expect(hours.length).toBeGreaterThanOrEqual(6)
  expect(hours.length).toBeLessThanOrEqual(9)
  expect(hours[0]).toBeCloseTo(1, 1)
  expect(hours[1]).toBeGreaterThanOrEqual(2)
  expect(hours[1]).toBeLessThan(2.5)
  for (const wait of hours.slice(2)) {
    expect(wait).toBeGreaterThanOrEqual(3)
    expect(wait).toBeLessThan(LONGEST / HOUR)
  }
}

describe('F27: two static pools for which Azure has no machine for a day', () => {
  it('of different sizes each ask more rarely, up to a limit, and at different times', async () => {
    const day = play([SMALL, LARGE])
    await pass(day, DAY)
    const [first, second] = POOLS.map((pool) => day.rounds((ask) => ask.pool === pool))
    for (const each of [first, second]) expectGrowth(gapsOf(each ?? []))
    // Each machine asks in each zone at most once in a round.
    expect(day.asks.length).toBeLessThanOrEqual(2 * 9 * REPLICAS * ZONES.length)
    const isTogether = first?.slice(2).some((one) => second?.some((other) => Math.abs(one - other) <= ROUND))
    expect(isTogether).toBe(false)
  })

  it('of one size do not ask at once: one pool asks, and the other waits as well if that is refused', async () => {
    const day = play([SMALL, SMALL])
    await pass(day, DAY)
    const rounds = day.rounds(() => true)
    expectGrowth(gapsOf(rounds))
    // Hosts launch at once what is decided at once. So the claims count, whether or not the second one still asked.
    const poolsIn = (round: number) => new Set(day.claims.filter(({ at }) => at <= round && round - at <= ROUND).map(({ pool }) => pool))
    // The first round has no refusal before it. The first block has the same length for all pools.
    expect(rounds.map((round) => poolsIn(round).size)).toEqual([2, 2, ...rounds.slice(2).map(() => 1)])
  })

  it('ask more rarely also if Azure takes the requests and the machines fail later', async () => {
    const day = play([SMALL, LARGE], { stage: 'boot' })
    await pass(day, DAY)
    for (const pool of POOLS) {
      for (const zone of ZONES) expectGrowth(gapsOf(day.rounds((ask) => ask.pool === pool && ask.zone === zone)))
    }
  })

  it('are filled within the longest wait once there are machines, and their refusals are forgotten', async () => {
    const day = play([SMALL, LARGE])
    await pass(day, DAY)
    day.openUp()
    const { objects, machines, ports } = day.simulation.world
    const took = await day.simulation.runUntil(() => objects.all('node').length === 2 * REPLICAS, LONGEST + 10 * MINUTE)
    expect(took).toBeLessThanOrEqual(LONGEST + 10 * MINUTE)
    await pass(day, 5 * MINUTE)
    const known = await ports.offerings.unavailable(day.simulation.clock.now(), new AbortController().signal)
    const scopes = machines.all().map(({ instance: { zone }, candidate }) => `${candidate.instanceType.family} ${zone}`)
    const remembered = known.map(({ scope }) => (scope.kind === 'family' ? `${scope.family} ${scope.zone}` : scope.kind))
    expect(scopes).toHaveLength(2 * REPLICAS)
    expect(remembered.filter((each) => scopes.includes(each))).toEqual([])
  })
})

it('pods in dynamic pools for which Azure has no machine for a day have Azure asked more rarely as well', async () => {
  const day = play([SMALL, LARGE], { kind: 'dynamic' })
  await pass(day, DAY)
  for (const pool of POOLS) expectGrowth(gapsOf(day.rounds((ask) => ask.pool === pool)))
  const said = day.simulation.world.objects.events.filter(({ event }) => event.reason === 'FailedScheduling')
  expect(said.at(-1)?.event.message).toMatch(/Azure refused \d times in a row and is asked again from \S+Z/)
})
