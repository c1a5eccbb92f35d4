import { describe, expect, it } from 'vitest'
import type { Result } from '../../shared/base/result.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { stepClaim } from '../../shared/flows/lifecycle/stepClaim.ts'
import { MAX_ATTEMPTS } from '../../shared/flows/lifecycle/stillUnderWay.ts'
import { claimRequest } from '../../shared/flows/queue/claimRequests.ts'
import { ANNOTATION } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Problem } from '../../shared/model/problem.ts'
import { HOLDS_ALL } from '../builders/podDisruptionBudget.ts'
import { resources } from '../builders/resources.ts'
import { settings } from '../builders/snapshot.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { scaleUp } from './stories.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** The number of resyncs per minute in the simulation. */
const RESYNCS_A_MINUTE = 4

/** Counts of the flows' calls: added keys, live reads of a claim, reads of pods and reads of machines. */
type Counts = { readonly [call: string]: number }

function counting() {
  let counts: { [call: string]: number } = {}
  const add = (call: string): void => void (counts[call] = (counts[call] ?? 0) + 1)
  const between = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    queue: {
      ...deps.queue,
      reconcile: (request, delayMs) => {
        if (request.because !== 'resync') add('key')
        deps.queue.reconcile(request, delayMs)
      },
    },
    cloud: {
      ...deps.cloud,
      get: (claim, signal) => {
        add('cloud.get')
        return deps.cloud.get(claim, signal)
      },
    },
    api: {
      ...deps.api,
      getClaim: (name, signal) => {
        add('run')
        return deps.api.getClaim(name, signal)
      },
      listPodsOn: (node, signal, asOf) => {
        add(asOf === 'recent' ? 'recent pods' : 'pods as of now')
        return deps.api.listPodsOn(node, signal, asOf)
      },
    },
  })
  /** Returns the counts since the last call. */
  const take = (): Counts => {
    const taken = counts
    counts = {}
    return taken
  }
  return { between, take }
}

async function pass(simulation: Simulation, ms: number): Promise<void> {
  await simulation.runUntil(() => false, ms)
}

/** A cluster of this many machines, each with a pod that must not be disrupted. There is nothing else to do. */
async function held(count: number, options: SimulationOptions = {}) {
  const { between, take } = counting()
  const simulation = createSimulation({ ...options, between })
  // Each pod fills a machine of its own.
  await scaleUp(simulation, count, { requests: { ...resources(3, 1), pods: 1 } })
  const { objects } = simulation.world
  for (const pod of objects.all('pod')) objects.put('pod', { ...pod, annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })
  await pass(simulation, MINUTE)
  take()
  return { simulation, take, claims: objects.all('nodeClaim') }
}

function annotate({ world }: Simulation, { name }: NodeClaim, note: string): void {
  const claim = world.objects.get('nodeClaim', name)
  if (claim === undefined) expect.fail(`claim ${name} is gone`)
  world.objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, annotations: { ...claim.meta.annotations, note } } })
}

/** A claim that a person deleted and that cannot end, because its pod must not be disrupted. */
async function stuck(options: SimulationOptions = {}) {
  const world = await held(1, options)
  const [claim] = world.claims
  if (claim === undefined) expect.fail('no claim')
  world.simulation.world.objects.delete('nodeClaim', claim.name)
  return { ...world, claim }
}

/** Allows the eviction of all pods. */
function letGo({ world }: Simulation): void {
  for (const pod of world.objects.all('pod')) world.objects.put('pod', { ...pod, annotations: {} })
}

describe('a claim whose drain cannot go on', () => {
  it.each([1, 3])('runs later and later, however often it is changed, with %i hosts', async (hosts) => {
    const { simulation, take, claim } = await stuck({ hosts })
    for (let n = 0; n < 40; n++) {
      annotate(simulation, claim, String(n))
      await pass(simulation, 0)
    }
    await pass(simulation, 50 * SECOND)
    const first = take()
    expect(first['run']).toBeLessThan(2 * MAX_ATTEMPTS)
    await pass(simulation, 2 * MINUTE)
    take()
    await pass(simulation, 5 * MINUTE)
    expect(take()).toEqual({ run: 5 * RESYNCS_A_MINUTE, 'recent pods': 5 * RESYNCS_A_MINUTE })
  })

  it.each([1, 3])('is left to the resync soon after every key of ten seconds was added twice, with %i hosts', async (hosts) => {
    const { simulation, take } = await stuck({ hosts })
    simulation.deliverBy(() => 'twice')
    await pass(simulation, 10 * SECOND)
    simulation.deliverBy(() => 'once')
    await pass(simulation, 3 * MINUTE)
    take()
    await pass(simulation, 5 * MINUTE)
    expect(take()).toEqual({ run: 5 * RESYNCS_A_MINUTE, 'recent pods': 5 * RESYNCS_A_MINUTE })
  })

  it('is left to the resync soon after its key was added twenty times', async () => {
    const { simulation, take, claim } = await stuck()
    for (let n = 0; n < 20; n++) await simulation.perform(async ({ queue }) => queue.reconcile(claimRequest(claim)))
    await pass(simulation, 3 * MINUTE)
    expect(take()['run']).toBeLessThan(2 * MAX_ATTEMPTS + 3 * RESYNCS_A_MINUTE)
    await pass(simulation, 5 * MINUTE)
    expect(take()).toEqual({ run: 5 * RESYNCS_A_MINUTE, 'recent pods': 5 * RESYNCS_A_MINUTE })
  })

  it('ends within half a minute once its pod may go, also when its requeues are long over', async () => {
    const { simulation, take, claim } = await stuck()
    await pass(simulation, 10 * MINUTE)
    take()
    letGo(simulation)
    const gone = await simulation.runUntil(() => simulation.world.objects.get('nodeClaim', claim.name) === undefined, MINUTE)
    expect(gone).toBeLessThan(30 * SECOND)
    // The machine ends only after a live read showed that no pod is left.
    expect(take()['pods as of now']).toBeGreaterThan(0)
  })

  // The resync comes every 15 seconds.
  it.each([240, 244, 248, 252])(
    'E2E-14 lets its pod go within two seconds after the %i s for which it must not be disrupted',
    async (seconds) => {
      const { simulation, claims } = await held(1)
      const { world, clock } = simulation
      const [claim] = claims
      if (claim === undefined) expect.fail('no claim')
      const startedAt = clock.now()
      for (const pod of world.objects.all('pod'))
        world.objects.put('pod', { ...pod, startedAt, annotations: { [ANNOTATION.doNotDisrupt]: `${seconds}s` } })
      world.objects.delete('nodeClaim', claim.name)
      const isAsked = (): boolean => world.objects.all('pod').every(({ deletedAt }) => deletedAt !== undefined)
      const asked = await simulation.runUntil(isAsked, 6 * MINUTE)
      expect(asked).toBeGreaterThanOrEqual(seconds * SECOND)
      expect(asked).toBeLessThan((seconds + 2) * SECOND)
    },
  )

  it('of many asks Azure nothing, and the API server no more than a run of each of them needs', async () => {
    const { simulation, take, claims } = await held(20)
    for (const { name } of claims) simulation.world.objects.delete('nodeClaim', name)
    await pass(simulation, MINUTE)
    const { run = 0, ...asked } = take()
    const most = 20 * (MAX_ATTEMPTS + RESYNCS_A_MINUTE + 4)
    // Three of four requeues read the pods only.
    expect(run).toBeLessThan(most / 2)
    expect(asked).toEqual({ key: expect.any(Number), 'recent pods': expect.any(Number), 'pods as of now': 20 })
    expect(asked['recent pods']).toBeLessThan(most - 20)
  })

  it('whose pods a budget holds reads them once a run, for each is to be asked again', async () => {
    const { simulation, take, claims } = await held(5)
    letGo(simulation)
    simulation.world.objects.put('podDisruptionBudget', HOLDS_ALL)
    for (const { name } of claims) simulation.world.objects.delete('nodeClaim', name)
    await pass(simulation, MINUTE)
    const { run, 'recent pods': recent = 0, 'pods as of now': live = 0 } = take()
    expect(run).toBe(recent + live)
  })
})

describe('eight processes that run one claim at once', () => {
  it('write it once, and lose no more than two races each', async () => {
    const simulation = createSimulation()
    const { world } = simulation
    await scaleUp(simulation, 1)
    const [claim] = world.objects.all('nodeClaim')
    if (claim === undefined) expect.fail('no claim')
    world.objects.delete('nodeClaim', claim.name)
    let conflicts = 0
    const counted = <Call extends (...input: never[]) => Promise<Result<unknown, Problem>>>(call: Call): Call =>
      (async (...input) => {
        const answer = await call(...input)
        if (!answer.ok) conflicts++
        return answer
      }) as Call
    const request = {
      claim: claim.name,
      because: 'news',
      isFollowed: false,
      attempt: 0,
    } as const
    const runs = Array.from({ length: 8 }, () => {
      const { ports } = world.start()
      const { patchClaim, patchClaimStatus, patchNode } = ports.api
      const api = {
        ...ports.api,
        patchClaim: counted(patchClaim),
        patchClaimStatus: counted(patchClaimStatus),
        patchNode: counted(patchNode),
      }
      return stepClaim({ ...ports, api, settings: settings() }, request, new AbortController().signal)
    })
    const outcomes = await Promise.all(runs)
    expect(conflicts).toBeLessThanOrEqual(2 * 8)
    // A run that wrote something follows the claim. A run that only lost the race leaves the claim to the others.
    expect(outcomes).toContain('left')
    const drained = world.objects.get('nodeClaim', claim.name)?.status.conditions.filter(({ type }) => type === 'Drained')
    expect(drained).toHaveLength(1)
  })
})
