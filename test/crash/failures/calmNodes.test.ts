/** Nodes that stay although nothing runs on them for a while: pods come again, or have not started yet. */
import { expect, it } from 'vitest'
import { durationMs } from '../../../shared/model/units.ts'
import { MINUTE, SECOND } from '../../builders/clock.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { type PodShape, pod, pods, REPLICA_SET } from '../../builders/pod.ts'
import { createSimulation, type Simulation, START } from '../simulation.ts'
import { footprint } from '../stories.ts'

const JOBS = { every: 5 * MINUTE, last: 2.5 * MINUTE, pods: 4 } as const

/** Runs the pods of a job each five minutes. A pod of a job ends by itself. */
function runJobs({ world: { objects, clock } }: Simulation, begun: Set<number>): void {
  const now = clock.now()
  for (const { key, createdAt } of objects.all('pod')) if (now - createdAt >= JOBS.last) objects.remove('pod', key)
  const run = Math.floor((now - START) / JOBS.every)
  if (begun.has(run)) return
  begun.add(run)
  const shape: PodShape = { name: `job-${run}`, cpus: 3, createdAt: now }
  for (const { unschedulableSince: _, ...made } of pods(JOBS.pods, shape)) objects.put('pod', made)
}

it('F8: the number of nodes stays after the third run of a job each five minutes, where the pool waits for longer than that', async () => {
  const [begun, counts, made] = [new Set<number>(), [] as number[], new Set<string>()]
  const simulation: Simulation = createSimulation({ tickMs: SECOND, bootMs: 45_000, workload: () => runJobs(simulation, begun) })
  const { objects, clock } = simulation.world
  objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: durationMs(10 * MINUTE) } }))
  await simulation.runUntil(() => clock.now() - START >= 3 * JOBS.every, 20 * MINUTE)
  await simulation.runUntil(() => {
    counts.push(objects.all('node').length)
    for (const { name } of objects.all('nodeClaim')) made.add(name)
    return clock.now() - START >= 120 * MINUTE
  }, 120 * MINUTE)
  expect(begun.size).toBeGreaterThan(20)
  expect(new Set(counts)).toEqual(new Set([JOBS.pods]))
  expect(made.size).toBe(JOBS.pods)
})

it.each<[sentence: string, isBound: boolean]>([
  ['its image is pulled slowly, or its volume is attached slowly', true],
  ['the scheduler has not bound it, since its node has a taint for a while', false],
])('F9: no node is removed before its pod starts, though the pool removes empty nodes at once: %s', async (_sentence, isBound) => {
  const slow = 4 * MINUTE
  const simulation: Simulation = createSimulation({
    tickMs: SECOND,
    workload: () => {
      for (const each of objects.all('pod'))
        if (each.nodeName !== undefined && clock.now() - START < slow) objects.put('pod', { ...each, phase: 'Pending' })
      for (const node of isBound ? [] : objects.all('node')) {
        const others = node.taints.filter(({ key }) => key !== TAINT.key)
        objects.put('node', { ...node, taints: clock.now() - START < slow ? [...others, TAINT] : others })
      }
    },
  })
  const { objects, clock } = simulation.world
  objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: durationMs(0) } }))
  const shape = { cpus: 3, owner: REPLICA_SET, createdAt: clock.now(), unschedulableSince: clock.now() }
  objects.put('pod', pod({ name: 'one', ...shape }))
  objects.put('pod', pod({ name: 'other', ...shape }))
  expect(await simulation.runUntil(() => clock.now() - START >= 3 * slow, 4 * slow)).toBeDefined()
  expect(footprint(simulation)).toMatchObject({ claims: 2, nodes: 2, claimsEver: 2, machinesEver: 2 })
  expect(objects.all('pod').every(({ nodeName }) => nodeName !== undefined)).toBe(true)
})

const TAINT = { key: 'example.com/storage', value: 'starting', effect: 'NoSchedule' } as const
