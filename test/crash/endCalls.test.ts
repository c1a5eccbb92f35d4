import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { durationMs } from '../../shared/model/units.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { scaleUp } from './stories.ts'

const SECOND = 1_000
const NODES = 10
/** The pods of a node in the measured cluster: 1,000 pods on 170 nodes. */
const PODS = 6

type Counts = { [call: string]: number }
type Call = { readonly name: string; readonly about: string }

/** Notes the calls of the flows to the API server, with the names that they are about. */
function recording() {
  const calls: Call[] = []
  const between = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    api: new Proxy(deps.api, {
      get(target, name: keyof ClusterDeps['api']) {
        const call = target[name] as (...input: readonly unknown[]) => Promise<unknown>
        return (...input: readonly unknown[]) => {
          calls.push({ name, about: JSON.stringify(input[0] ?? null) })
          return call(...input)
        }
      },
    }),
  })
  return { calls, between }
}

/** A pod of which twelve fill a node. */
const POD = { requests: { ...resources(0.32, 0.2), pods: 1 }, owner: REPLICA_SET }
const BUDGETS = [{ nodes: '100%' }]

/**
 * Fills nodes, takes away every second pod, and ends claims: all of them by hand, or those whose pods fit on the others by a decision. Returns the calls
 * about each claim, its node and its pods. `exitMs`: how long a pod takes to leave.
 */
async function end(how: 'by hand' | 'by a decision', exitMs: number) {
  const { calls, between } = recording()
  const replicas = { wanted: 0 }
  const simulation: Simulation = createSimulation({
    isConcurrent: true,
    between,
    podExitMs: exitMs,
    deleteMs: 30 * SECOND,
    resyncEveryMs: 60 * SECOND,
    workload: () => makeMissing(simulation, replicas.wanted),
  })
  const { objects } = simulation.world
  objects.put('nodePool', nodePool({ disruption: { budgets: BUDGETS, consolidateAfter: 'Never' } }))
  await scaleUp(simulation, 2 * NODES * PODS, { name: 'app', ...POD })
  await simulation.runUntil(() => false, 30 * SECOND)
  for (const own of Map.groupBy(objects.all('pod'), ({ nodeName }) => nodeName).values())
    for (const { key } of own.slice(PODS)) objects.remove('pod', key)
  const standing = objects.all('nodeClaim')
  calls.length = 0
  if (how === 'by a decision') {
    replicas.wanted = objects.all('pod').length
    objects.put('nodePool', nodePool({ disruption: { budgets: BUDGETS, consolidateAfter: durationMs(0) } }))
  } else {
    objects.put('nodePool', nodePool({ limits: { cpu: 1 }, disruption: { consolidateAfter: 'Never' } }))
    for (const { name } of standing) objects.delete('nodeClaim', name)
  }
  await simulation.runUntil(() => false, 150 * SECOND)
  const gone = standing.filter(({ name }) => objects.get('nodeClaim', name) === undefined)
  const counts: Counts = {}
  for (const { name, about } of calls) {
    if (gone.some((claim) => about.includes(claim.name) || about.includes(claim.meta.uid))) counts[name] = (counts[name] ?? 0) + 1
  }
  const each: Counts = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / gone.length]))
  return {
    each,
    sum: Object.values(each).reduce((sum, count) => sum + count, 0),
    ended: gone.length,
    left: objects.all('nodeClaim').length,
  }
}

/** Makes pods again that were evicted, as a ReplicaSet does. */
function makeMissing({ world: { objects }, clock }: Simulation, wanted: number): void {
  const present = objects.all('pod').filter(({ deletedAt }) => deletedAt === undefined)
  for (let missing = wanted - present.length; missing > 0; missing--) {
    const uid = objects.newUid()
    objects.put('pod', pod({ name: `again-${uid}`, uid, ...POD, createdAt: clock.now(), unschedulableSince: clock.now() }))
  }
}

/** The calls of each way to end, with pods that leave at once. An end by hand is drained at the first run that the deletion causes. */
const DRAIN: Counts = { patchNode: 2, deleteNode: 1, patchClaim: 1, evict: PODS, getClaim: 2, getNode: 2, listPodsOn: 2 }

describe('the calls to the API server for one removed node with six pods', () => {
  it('are few if the claim is deleted by hand', async () => {
    const { each, sum, ended, left } = await end('by hand', 1 * SECOND)
    // Events: one pod has its own, and the others share one. Status: the drain begins, and the machine ends.
    expect({ each, sum, ended, left }).toEqual({ each: { ...DRAIN, publish: 2, patchClaimStatus: 2 }, sum: 20, ended: NODES, left: 0 })
  })

  it('are hardly more if the pods take long to leave', async () => {
    const { each, sum } = await end('by hand', 10 * SECOND)
    expect({ each, sum }).toEqual({ each: { ...DRAIN, listPodsOn: 3, publish: 2, patchClaimStatus: 2 }, sum: 21 })
  })

  it('are as many as Karpenter makes if a decision moves the pods', async () => {
    const { each, sum, ended, left } = await end('by a decision', 2 * SECOND)
    // The decision reads claim and node before it writes, and the pods after the taint. The drain begins with what was read then.
    const own = { deleteClaim: 1, publish: 4, patchClaimStatus: 4, listPodsNominatedFor: 1 }
    expect({ each, sum, ended, left }).toEqual({ each: { ...DRAIN, ...own }, sum: 26, ended: NODES / 2, left: NODES / 2 })
  })
})
