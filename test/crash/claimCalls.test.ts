import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import type { Node } from '../../shared/model/node.ts'
import { condition } from '../builders/condition.ts'
import { resources } from '../builders/resources.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { scaleUp } from './stories.ts'

const SECOND = 1_000
const CLAIMS = 12
/** A pod that fills a machine of its own. */
const LARGE = { requests: { ...resources(3, 1), pods: 1 } }

type Counts = { [call: string]: number }

/** Counts the API calls and the added keys of the flows. Events about pods, status writes of pools and classes, and claim lists do not count. */
function counting() {
  const calls: Counts = {}
  const adds: Counts = { start: 0, news: 0, requeue: 0 }
  const earlier = new Set<unknown>()
  const count = (counts: Counts, call: string): void => void (counts[call] = (counts[call] ?? 0) + 1)
  const between = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    api: new Proxy(deps.api, {
      get(target, name: keyof ClusterDeps['api']) {
        const call = target[name] as (...input: readonly unknown[]) => Promise<unknown>
        return (...input: readonly unknown[]) => {
          if (isAboutClaims(name, input[0]) && !earlier.has(nameIn(input[0]))) count(calls, name)
          return call(...input)
        }
      },
    }),
    queue: {
      ...deps.queue,
      reconcile: (request, delayMs) => {
        // The resync finds claims by itself.
        if (request.because !== 'resync') count(adds, request.because === 'requeue' ? 'requeue' : request.isFollowed ? 'start' : 'news')
        deps.queue.reconcile(request, delayMs)
      },
    },
  })
  return { calls, adds, earlier, between }
}

/** The name of the object that a call is about, if the call gets the object. */
function nameIn(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'name' in input ? input.name : undefined
}

function isAboutClaims(call: string, input: unknown): boolean {
  if (call === 'patchNodePoolStatus' || call === 'annotateNodePool' || call === 'patchNodeClassStatus' || call === 'listClaims')
    return false
  return call !== 'publish' || !JSON.stringify(input).includes('"kind":"pod"')
}

/** Kubelets that write their nodes several times before the nodes are ready. No claim waits for these writes. */
function slowKubelets(readyAfterMs: number) {
  const joinedAt = new Map<string, number>()
  return (simulation: () => Simulation) => () => {
    const { world, clock } = simulation()
    for (const node of world.objects.all('node')) {
      const at = joinedAt.get(node.name) ?? clock.now()
      joinedAt.set(node.name, at)
      const isReady = clock.now() - at >= readyAfterMs
      if (isReady && node.conditions[0]?.status === 'True') continue
      world.objects.put('node', { ...node, conditions: [ready(isReady), condition('DiskPressure', { message: String(clock.now()) })] })
    }
  }
}

function ready(is: boolean): Node['conditions'][number] {
  return condition('Ready', { status: is ? 'True' : 'False' })
}

async function bringIn(options: SimulationOptions, workload?: (simulation: () => Simulation) => () => void) {
  const { calls, adds, earlier, between } = counting()
  const simulation: Simulation = createSimulation({
    resyncEveryMs: 30 * SECOND,
    ...options,
    between,
    ...(workload && { workload: workload(() => simulation) }),
  })
  // The first decision sets the class ready, so the first claim still reads the class.
  await scaleUp(simulation, 1, { ...LARGE, name: 'first' })
  // The last write of its status comes while the others join.
  for (const { name } of simulation.world.objects.all('nodeClaim')) earlier.add(name)
  for (const counts of [calls, adds]) for (const name of Object.keys(counts)) counts[name] = 0
  expect(await scaleUp(simulation, CLAIMS, LARGE)).toBeDefined()
  await simulation.runUntil(() => false, 20 * SECOND)
  expect(simulation.world.objects.all('nodeClaim')).toHaveLength(CLAIMS + 1)
  return { calls, adds, runs: sum(adds) / CLAIMS, each: sum(calls) / CLAIMS }
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, each) => total + each, 0)
}

const READS = ['getClaim', 'getNode', 'getNodeClass', 'getNodePool', 'listNodeOverlays'] as const

function readsIn(calls: Counts): number {
  return sum(Object.fromEntries(READS.map((name) => [name, calls[name] ?? 0])))
}

describe('the way in of a claim', () => {
  it('reads nothing of the API server where the node is ready as it joins, and writes each object once a step', async () => {
    const { calls, runs } = await bringIn({ isConcurrent: true, bootMs: 3 * SECOND, resyncEveryMs: 600 * SECOND })
    expect(readsIn(calls)).toBe(0)
    const each = Object.fromEntries(Object.entries(calls).map(([name, count]) => [name, count / CLAIMS]))
    expect(each).toMatchObject({
      createClaim: 1,
      // Writes what the machine is. The claim is created with the lock of its launch.
      patchClaim: 1,
      putBootstrapToken: 1,
      // The writes of Launched and Registered, of Initialized, and of Consolidatable once no pod has come or gone for a while.
      patchClaimStatus: 3,
      patchNode: 1,
      deleteBootstrapToken: 1,
      publish: 3,
    })
    expect(runs).toBeLessThanOrEqual(3)
  })

  it.each<[bootSeconds: number, readySeconds: number, hosts: number, most: number]>([
    [3, 5, 1, 12],
    [20, 12, 1, 17],
    // Each host does not see the writes of the others, so the writes conflict.
    [20, 12, 3, 24],
  ])('is short when machines boot for %i s and are busy for %i s, with %i hosts', async (bootSeconds, readySeconds, hosts, most) => {
    const { calls, adds, each, runs } = await bringIn(
      { isConcurrent: hosts === 1, bootMs: bootSeconds * SECOND, hosts },
      slowKubelets(readySeconds * SECOND),
    )
    expect(each).toBeLessThanOrEqual(most)
    // A machine that boots for long is looked at after 4, 8, 16 and 24 s: Azure may have given it up.
    expect(runs).toBeLessThanOrEqual(hosts === 1 ? 7 : 9)
    // However often the node is written, a process that hears of it runs its claim twice: when the node joins and when it can run pods.
    expect((adds['news'] ?? 0) / CLAIMS).toBeLessThanOrEqual(2 * hosts)
    // A node that can run pods soon is registered and initialized by one write.
    if (hosts === 1) expect(calls['patchNode']).toBe((readySeconds < 10 ? 1 : 2) * CLAIMS)
    expect(calls['getNodeClass'] ?? 0).toBe(0)
  })
})
