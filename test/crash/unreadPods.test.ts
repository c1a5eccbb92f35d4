import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { TAINT_KEY } from '../../shared/model/labels.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { durationMs } from '../../shared/model/units.ts'
import { nodePool } from '../builders/nodePool.ts'
import { REPLICA_SET } from '../builders/pod.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { scaleUp } from './stories.ts'

const MINUTE = 60_000
const READS = ['listPodsOn', 'listPodsNominatedFor'] as const

/** Two half empty nodes, of which one can go, or one node that is empty. `failing` is the call that fails while `isOut`. */
async function start(failing: (typeof READS)[number], isEmpty: boolean) {
  const outage = { isOut: false, taints: 0, closedTicks: 0 }
  const refuse = () => Promise.reject(new Fault('list pods', problem('KUBE.FAILED', 'no answer')))
  const between = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    api: {
      ...deps.api,
      listPodsOn: (...input) => (outage.isOut && failing === 'listPodsOn' ? refuse() : deps.api.listPodsOn(...input)),
      listPodsNominatedFor: (...input) =>
        outage.isOut && failing === 'listPodsNominatedFor' ? refuse() : deps.api.listPodsNominatedFor(...input),
      patchNode: (node, patch, signal) => {
        if (patch.taints?.some(({ key }) => key === TAINT_KEY.disrupted)) outage.taints++
        return deps.api.patchNode(node, patch, signal)
      },
    },
  })
  const simulation: Simulation = createSimulation({
    between,
    workload: () => {
      if (simulation.world.objects.all('node').some(({ taints }) => taints.some(({ key }) => key === TAINT_KEY.disrupted)))
        outage.closedTicks++
    },
  })
  const { objects } = simulation.world
  objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never' } }))
  await scaleUp(simulation, 2, { cpus: 3, owner: REPLICA_SET })
  const pods = objects.all('pod')
  if (isEmpty) for (const { key } of pods) objects.remove('pod', key)
  else for (const pod of pods) objects.put('pod', { ...pod, requests: { ...pod.requests, cpu: 500 } })
  outage.isOut = true
  objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: durationMs(0) } }))
  return { simulation, outage, left: isEmpty ? 0 : 1 }
}

describe.each(READS)('a node whose pods cannot be read once it is tainted, since %s fails', (failing) => {
  it.each([true, false])('is tainted once a minute, open in between, and goes once they can be read (empty: %s)', async (isEmpty) => {
    const { simulation, outage, left } = await start(failing, isEmpty)
    const { objects } = simulation.world
    await simulation.runUntil(() => false, 5 * MINUTE)
    expect(objects.all('nodeClaim').every(({ meta }) => meta.deletedAt === undefined)).toBe(true)
    expect(outage.taints).toBeGreaterThan(2)
    // Two nodes, each at the begin and then once a minute.
    expect(outage.taints).toBeLessThanOrEqual(2 * 6)
    expect(outage.closedTicks).toBe(0)
    outage.isOut = false
    expect(await simulation.runUntil(() => objects.all('nodeClaim').length === left, 3 * MINUTE)).toBeDefined()
  })
})
