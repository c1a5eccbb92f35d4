import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import { planLaunch } from '../../engine/launch/planLaunch.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import type { LaunchChoice, LaunchRefusal } from '../../model/instance.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { problem } from '../../model/problem.ts'
import { durationMs, epochMs, later } from '../../model/units.ts'
import { type ClusterDeps, createLaunchLocks, FLOW_LIMITS } from '../deps/clusterDeps.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { launchClaim, leaveLaunch, lockLaunch } from './launchClaim.ts'
import { observeClaim } from './observeClaim.ts'
import { stepClaim } from './stepClaim.ts'
import { lockAnnotations } from './tryCandidates.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const MINUTE = 60_000

describe('launchClaim', () => {
  it.each([1, 15, 60])('gives the machine a token that lives a minute longer than the %i it has to register', async (minutes) => {
    const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test'), instanceTypes: catalog() })
    world.objects.put('nodeClass', nodeClass())
    const { name } = world.objects.put('nodeClaim', nodeClaim({ stage: 'created' }))
    const deps = { ...world.ports, settings: settings({ registrationTimeout: durationMs(minutes * MINUTE) }) }
    const observation = await observeClaim(deps, name, NEVER)
    if (observation === undefined || observation === 'foreign') expect.fail('no claim of ours')
    await launchClaim(deps, observation, planLaunch(observation.claim, observation.instanceTypes, [], START), NEVER)
    expect([...world.objects.tokens.values()].map(({ expiresAt }) => expiresAt)).toEqual([START + (minutes + 1) * MINUTE])
  })

  it('leaves Azure alone for as long as it asks, whoever looks at the claim meanwhile', async () => {
    const clock = createVirtualClock(START)
    const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
    world.objects.put('nodeClass', nodeClass())
    const { name } = world.objects.put('nodeClaim', nodeClaim({ stage: 'created', meta: { createdAt: START } }))
    const asked: number[] = []
    const throttled: LaunchRefusal = {
      problem: problem('AZURE.THROTTLED', 'too many requests', { retryAfterMs: 150_000 }),
      unavailable: [],
      then: 'retry',
    }
    const launch: ClusterDeps['cloud']['launch'] = (request, signal) => {
      asked.push((clock.now() - START) / 1_000)
      return asked.length === 1 ? Promise.resolve(err(throttled)) : world.ports.cloud.launch(request, signal)
    }
    const deps: ClusterDeps = { ...world.ports, settings: settings(), cloud: { ...world.ports.cloud, launch } }
    for (let runs = 0; runs < 20; runs++) {
      await stepClaim(deps, { claim: name, because: 'news', isFollowed: false, attempt: 0 }, NEVER)
      await clock.advance(10_000)
    }
    expect(asked).toEqual([0, 150])
  })

  it('launches no longer than its lock lasts, and goes on at the next run', async () => {
    const clock = createVirtualClock(START)
    const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
    world.objects.put('nodeClass', nodeClass())
    const { name } = world.objects.put('nodeClaim', nodeClaim({ stage: 'created', meta: { createdAt: START }, spec: { requirements: [] } }))
    const tries: { readonly at: number; readonly within: number }[] = []
    const launch: ClusterDeps['cloud']['launch'] = async ({ candidate: { choice }, within }) => {
      tries.push({ at: clock.now() - START, within })
      await clock.advance(20_000)
      const scope = { kind: 'offering', size: choice.size } as const
      const until = later(clock.now(), durationMs(60 * MINUTE))
      const told = { scope, until, code: 'AZURE.SKU_NOT_AVAILABLE', message: '' } as const
      return err({ problem: problem('AZURE.SKU_NOT_AVAILABLE', 'no'), unavailable: [told], then: 'next' })
    }
    const limits = { ...FLOW_LIMITS, launchLock: durationMs(30_000) }
    const deps: ClusterDeps = { ...world.ports, settings: settings(), limits, cloud: { ...world.ports.cloud, launch } }
    const run = { claim: name, because: 'news', isFollowed: false, attempt: 0 } as const
    await stepClaim(deps, run, NEVER)
    expect(tries.slice(0, 3)).toEqual([
      { at: 0, within: 30_000 },
      { at: 20_000, within: 10_000 },
      { at: 40_000, within: 30_000 },
    ])
  })

  it('tries other sizes after an error that nobody understands, says so after five, and remembers them for the NodeClass alone', async () => {
    const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test'), instanceTypes: catalog() })
    world.objects.put('nodeClass', nodeClass())
    const { name } = world.objects.put('nodeClaim', nodeClaim({ stage: 'created', spec: { requirements: [] } }))
    const tried: string[] = []
    const refusal = (choice: LaunchChoice): LaunchRefusal => {
      tried.push(choice.size)
      const scope = { kind: 'offering', size: choice.size } as const
      const own = [{ scope, until: later(START, durationMs(MINUTE)), code: 'AZURE.FAILED', message: 'InvalidTag' } as const]
      return { problem: problem('AZURE.FAILED', 'InvalidTag'), unavailable: [], own, then: 'next' }
    }
    world.machines.refuse({}, { refusal })
    const deps = { ...world.ports, settings: settings() }
    const observation = await observeClaim(deps, name, NEVER)
    if (observation === undefined || observation === 'foreign') expect.fail('no claim of ours')
    await launchClaim(deps, observation, planLaunch(observation.claim, observation.instanceTypes, [], START), NEVER)
    expect(new Set(tried).size).toBe(5)
    expect(tried).toHaveLength(5)
    const known = await world.ports.offerings.unavailable(START, NEVER)
    expect(known.map(({ scope }) => [scope.kind === 'offering' && scope.size, scope.nodeClass?.name])).toEqual(
      tried.map((size) => [size, 'default']),
    )
    expect(
      planLaunch(observation.claim, observation.instanceTypes, known, START).candidates.map(({ choice }) => choice.size),
    ).not.toContain(tried[0])
    const launched = world.objects.get('nodeClaim', name)?.status.conditions.find(({ type }) => type === 'Launched')
    expect(launched).toMatchObject({ status: 'Unknown', message: 'InvalidTag' })
  })

  it('tells for how long a further refusal blocks, and how often Azure refused', async () => {
    const clock = createVirtualClock(START)
    const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
    const { objects, ports, telemetry, machines } = world
    objects.put('nodeClass', nodeClass())
    machines.refuse({})
    const deps = { ...ports, settings: settings() }
    for (const name of ['first', 'second']) {
      objects.put('nodeClaim', nodeClaim({ name, stage: 'created', meta: { createdAt: clock.now() } }))
      const run = { claim: nodeClaimName(name), because: 'news', isFollowed: true } as const
      for (const attempt of [0, 1]) await stepClaim(deps, { ...run, attempt }, NEVER)
      await clock.advance(3 * MINUTE)
    }
    const told = telemetry.events.flatMap(({ name, fields }) => (name === 'offering.unavailable' ? [fields] : []))
    const [first, second] = [1, 2].map((times) => told.filter(({ refusals }) => refusals === times))
    expect(first?.length).toBeGreaterThan(0)
    expect(second).toHaveLength(first?.length ?? 0)
    expect([first, second].map((each) => new Set(each?.map((fields) => fields['unavailableSeconds'])))).toEqual([
      new Set([180]),
      new Set([360]),
    ])
    const [said] = objects.events.filter(({ event }) => event.subject.name === 'second' && event.reason === 'InsufficientCapacityError')
    expect(said?.event.message).toMatch(/is available now; Azure refused 2 times in a row and is asked again from 2027-01-15T08:09:00Z/)
  })

  it('LA-04 of a claim that Azure has no capacity for ends the claim, which is gone at the next run, and leaves no machine', async () => {
    const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test'), instanceTypes: catalog() })
    world.objects.put('nodeClass', nodeClass())
    const { name } = world.objects.put('nodeClaim', nodeClaim({ stage: 'created', meta: { createdAt: START } }))
    world.machines.refuse({})
    const deps = { ...world.ports, settings: settings() }
    const run = { claim: name, because: 'news', isFollowed: true, attempt: 0 } as const
    await stepClaim(deps, run, NEVER)
    expect(world.objects.get('nodeClaim', name)?.meta.deletedAt).toBe(START)
    await stepClaim(deps, { ...run, attempt: 1 }, NEVER)
    expect([world.objects.get('nodeClaim', name), world.machines.all(), [...world.machines.interfaces]]).toEqual([undefined, [], []])
    const ended = world.telemetry.measures.filter((each) => each.name === 'karpenter_nodeclaims_disrupted_total')
    expect(ended.map(({ fields }) => fields)).toMatchObject([{ nodePool: 'default', reason: 'insufficient_capacity' }])
  })
})

/** A claim that a process made with its launch lock, and the request for its launch. */
async function madeClaim() {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const made: NodeClaim = world.objects.put(
    'nodeClaim',
    nodeClaim({ stage: 'created', meta: { createdAt: NOW, annotations: lockAnnotations(NOW, 1) } }),
  )
  const launchLocks = createLaunchLocks()
  launchLocks.begin(made.name, NOW)
  const [first, other] = [
    { ...world.ports, settings: settings(), launchLocks },
    { ...world.start().ports, settings: settings() },
  ]
  const request = claimRequest(made, { known: { launch: { claim: made, nodeClass: nodeClass(), nodeOverlays: [] } } })
  const lockElsewhere = async () => {
    const seen = await observeClaim(other, made.name, NEVER)
    if (typeof seen !== 'object') throw new Error('no claim of ours')
    return lockLaunch(other, seen, NEVER)
  }
  return { world, first, request, lockElsewhere }
}

describe('a launch that a process leaves to another one', () => {
  it('begins there at once: the lock that came with the claim is removed', async () => {
    const { first, request, lockElsewhere } = await madeClaim()
    expect(await lockElsewhere(), 'as long as the lock holds').toMatchObject({ kind: 'wait' })
    await leaveLaunch(first, request, NEVER)
    expect(await lockElsewhere()).toMatchObject({ kind: 'locked', since: 0 })
  })

  it('keeps its lock once it has begun here', async () => {
    const { first, request, lockElsewhere } = await madeClaim()
    first.launchLocks.take(request.claim, NOW)
    await leaveLaunch(first, request, NEVER)
    expect(await lockElsewhere()).toMatchObject({ kind: 'wait' })
  })

  it('keeps its lock if this process does not know the claim', async () => {
    const { first, request, lockElsewhere } = await madeClaim()
    const { known: _, ...plain } = request
    await leaveLaunch(first, plain, NEVER)
    expect(await lockElsewhere()).toMatchObject({ kind: 'wait' })
  })
})
