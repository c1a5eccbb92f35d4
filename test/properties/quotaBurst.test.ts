import { describe, expect, it } from 'vitest'
import { createMemoryWorld, type MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { err, ok } from '../../shared/base/result.ts'
import { planLaunch } from '../../shared/engine/launch/planLaunch.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { createFirstTries } from '../../shared/flows/deps/firstTries.ts'
import { offeringsFor, withQuotaInFlight, withRecentReads } from '../../shared/flows/deps/recentOfferings.ts'
import { launchClaim } from '../../shared/flows/lifecycle/launchClaim.ts'
import { observeClaim } from '../../shared/flows/lifecycle/observeClaim.ts'
import { type QuotaUsages, quotasOf, type Usage } from '../../shared/model/askedCores.ts'
import { clusterId } from '../../shared/model/ids.ts'
import type { LaunchCandidate } from '../../shared/model/instance.ts'
import { problem } from '../../shared/model/problem.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { catalog } from '../builders/catalog.ts'
import { MINUTE, NOW } from '../builders/clock.ts'
import { instance } from '../builders/instance.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodeClass } from '../builders/nodeClass.ts'
import { settings } from '../builders/snapshot.ts'

const NEVER = new AbortController().signal
const PROCESSES = 3
const CLAIMS = 60
const SIZES = catalog()
const QUOTAS = ['cores', 'lowprioritycores', ...new Set(SIZES.map(({ family }) => family.toLowerCase()))]

/** Azure's own count. It refuses nothing for quota, so that each request beyond a quota is seen. */
function createAzure(random: Random, limits: ReadonlyMap<string, number>) {
  const inUse = new Map(QUOTAS.map((each) => [each, random.int(20)]))
  const beyond: string[] = []
  let made = 0
  const add = ({ instanceType, choice }: LaunchCandidate, sign: 1 | -1): void => {
    for (const { quota } of quotasOf({ family: instanceType.family, capacityType: choice.capacityType })) {
      const name = quota.toLowerCase()
      const now = (inUse.get(name) ?? 0) + sign * instanceType.cpus
      inUse.set(name, now)
      if (sign === 1 && now > (limits.get(name) ?? 0)) beyond.push(`${now} of ${limits.get(name)} cores of ${name}`)
    }
  }
  const launch: ClusterDeps['cloud']['launch'] = async ({ candidate }) => {
    add(candidate, 1)
    for (let turns = random.int(20); turns > 0; turns--) await Promise.resolve()
    const { size, zone, capacityType } = candidate.choice
    if (random.chance(0.8)) {
      made++
      return ok(instance({ size, zone, capacityType }))
    }
    add(candidate, -1)
    const scope = { kind: 'offering', size, zone, capacityType } as const
    const unavailable = [{ scope, until: NOW, code: 'AZURE.ALLOCATION.ZONE', message: 'no room' } as const]
    return err({ problem: problem('AZURE.ALLOCATION.ZONE', 'no room'), unavailable, then: 'next' })
  }
  const read = (now: QuotaUsages['readAt']): QuotaUsages => {
    const usages: { [name: string]: Usage } = {}
    for (const [name, used] of inUse) usages[name] = { limit: limits.get(name) ?? 0, used }
    return { readAt: now, usages }
  }
  return { launch, read, beyond, made: () => made, inUse }
}

function processOf(world: MemoryWorld, launch: ClusterDeps['cloud']['launch']): ClusterDeps {
  const { ports } = world.start()
  const offerings = withQuotaInFlight(withRecentReads(offeringsFor(ports.cluster, ports.offerings)), ports.catalog)
  return { ...ports, settings: settings(), offerings, firstTries: createFirstTries(), cloud: { ...ports.cloud, launch } }
}

/** Launches claims in several processes at once. Each claim may have any size. */
async function burst(world: MemoryWorld, hosts: readonly ClusterDeps[], round: number): Promise<void> {
  const claims = Array.from({ length: CLAIMS }, (_, index) => {
    const made = nodeClaim({ name: `default-${round}-${index}`, stage: 'created', spec: { requirements: [] } })
    return world.objects.put('nodeClaim', made)
  })
  await Promise.all(
    claims.map(async ({ name }, index) => {
      const deps = hosts[index % hosts.length] ?? expect.fail('no process')
      const seen = await observeClaim(deps, name, NEVER)
      if (typeof seen !== 'object') expect.fail('no claim of ours')
      const plan = planLaunch(seen.claim, seen.instanceTypes, seen.unavailable, deps.clock.now())
      await launchClaim(deps, seen, plan, NEVER)
    }),
  )
}

function limitsOf(random: Random): ReadonlyMap<string, number> {
  return new Map(QUOTAS.map((name) => [name, 20 + random.int(60)]))
}

describe('a burst of launches in several processes', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'never asks for more cores than a quota has left beside those in use and in flight: seed %i',
    async (seed) => {
      const random = createRandom(seed)
      const azure = createAzure(random, limitsOf(random))
      const clock = createVirtualClock(NOW)
      const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: SIZES })
      world.objects.put('nodeClass', nodeClass())
      world.catalog.quota = azure.read(clock.now())
      const hosts = Array.from({ length: PROCESSES }, () => processOf(world, azure.launch))
      await burst(world, hosts, 1)
      const first = azure.made()
      // The usage is not read again, or does not count all machines yet.
      await burst(world, hosts, 2)
      await clock.advance(30_000)
      await burst(world, hosts, 3)
      expect(first).toBeGreaterThan(0)
      expect(azure.beyond).toEqual([])
    },
  )

  it('uses a quota to its last core, and again what a later read of the usage says is free', async () => {
    const limits = new Map(QUOTAS.map((name) => [name, name === 'lowprioritycores' ? 0 : 40]))
    const azure = createAzure({ ...createRandom(1), int: () => 0, chance: () => true }, limits)
    const clock = createVirtualClock(NOW)
    const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: SIZES })
    world.objects.put('nodeClass', nodeClass())
    world.catalog.quota = azure.read(clock.now())
    const hosts = [processOf(world, azure.launch)]
    await burst(world, hosts, 1)
    expect(azure.inUse.get('cores')).toBe(40)
    // All machines are gone, and the usage shows it.
    for (const name of QUOTAS) azure.inUse.set(name, 0)
    await clock.advance(2 * MINUTE)
    world.catalog.quota = azure.read(clock.now())
    await burst(world, hosts, 2)
    expect(azure.inUse.get('cores')).toBe(40)
    expect(azure.beyond).toEqual([])
  })
})
