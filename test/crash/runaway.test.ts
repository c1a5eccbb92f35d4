import { describe, expect, it } from 'vitest'
import type { DisruptionPolicy } from '../../shared/model/nodePool.ts'
import type { Taint } from '../../shared/model/taint.ts'
import { MINUTE, SECOND } from '../builders/clock.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../builders/pod.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const TAINT: Taint = { key: 'example.com/closed', value: 'true', effect: 'NoExecute' }
const PODS = 3
/** A node for each pod, one that goes, and one that its pod is planned for meanwhile. */
const MOST_NODES = 3 * PODS

/** Puts a taint on each node for good, when the node comes or some time after it is initialized. Pods on such nodes are deleted and made again. */
function taintAll({ world: { objects, clock } }: Simulation, afterMs: number | undefined): void {
  for (const node of objects.all('node')) {
    const isUp = node.meta.labels['karpenter.sh/initialized'] === 'true'
    const isDue = afterMs === undefined || (isUp && clock.now() - node.meta.createdAt >= afterMs)
    const isClosed = node.taints.some(({ key }) => key === TAINT.key)
    if (isDue && !isClosed) objects.put('node', { ...node, taints: [...node.taints, TAINT] })
    const evicted = isClosed ? objects.all('pod').filter(({ nodeName }) => nodeName === node.name) : []
    for (const { key } of evicted) objects.remove('pod', key)
  }
  for (let missing = PODS - objects.all('pod').length; missing > 0; missing--) {
    const uid = objects.newUid()
    const now = clock.now()
    objects.put('pod', pod({ name: `app-${uid}`, uid, cpus: 3, owner: REPLICA_SET, createdAt: now, unschedulableSince: now }))
  }
}

const POLICIES: readonly DisruptionPolicy['consolidationPolicy'][] = ['WhenEmpty', 'WhenEmptyOrUnderutilized']

describe('E2E-07 nodes that somebody taints for good', () => {
  it.each(
    POLICIES.flatMap((policy) => [
      { policy, when: 'when they come', afterMs: undefined },
      { policy, when: 'once they are up', afterMs: 20_000 },
    ]),
  )(
    'do not become ever more: $policy, tainted $when',
    async ({ policy, afterMs }) => {
      let most = 0
      const simulation: Simulation = createSimulation({ tickMs: SECOND, workload: () => taintAll(simulation, afterMs) })
      const { objects, machines } = simulation.world
      objects.put('nodePool', nodePool({ disruption: { consolidationPolicy: policy, budgets: [{ nodes: '100%' }] } }))
      await simulation.runUntil(() => {
        most = Math.max(most, objects.all('node').length, machines.all().length)
        return false
      }, 17 * MINUTE)
      expect(most).toBeGreaterThanOrEqual(PODS)
      expect(most).toBeLessThanOrEqual(MOST_NODES)
    },
    60_000,
  )
})
