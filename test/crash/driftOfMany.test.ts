import { expect, it } from 'vitest'
import { MINUTE, SECOND } from '../builders/clock.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../builders/pod.ts'
import { createJudge } from './moveStory.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const PODS = 300
/** A node holds three of the pods. */
const NODES = PODS / 3
const AT_ONCE = NODES / 5
const GENERATION = 'example.com/generation'

/** Replaces missing pods, as a ReplicaSet does. */
function keepPods({ world: { objects, clock } }: Simulation): void {
  const present = objects.all('pod').filter(({ deletedAt }) => deletedAt === undefined).length
  for (let missing = PODS - present; missing > 0; missing--) {
    const uid = objects.newUid()
    const times = { createdAt: clock.now(), unschedulableSince: clock.now() }
    objects.put('pod', pod({ name: `web-${uid}`, uid, cpus: 1.2, memoryGib: 1, owner: REPLICA_SET, ...times }))
  }
}

it('a hundred nodes with three hundred pods drift a fifth at a time, and no more nodes are made than go', async () => {
  const wrong: string[] = []
  const judge = createJudge(wrong, AT_ONCE)
  const simulation: Simulation = createSimulation({
    tickMs: SECOND,
    instanceTypes: [instanceType({ spotPrice: null })],
    workload: () => keepPods(simulation),
    caller: () => judge(simulation),
  })
  const { objects, journal } = simulation.world
  const put = (generation: string): void => {
    objects.put('nodePool', nodePool({ template: { labels: { [GENERATION]: generation } }, disruption: { budgets: [{ nodes: '20%' }] } }))
  }
  const isDone = (generation: string): boolean => {
    const claims = objects.all('nodeClaim')
    const areNew = claims.every(({ meta }) => meta.labels[GENERATION] === generation && meta.deletedAt === undefined)
    return areNew && claims.length === NODES && objects.all('node').length === NODES && objects.all('pod').every(isBound)
  }
  put('1')
  expect(await simulation.runUntil(() => isDone('1'), 3 * MINUTE)).toBeDefined()
  put('2')
  const took = await simulation.runUntil(() => isDone('2'), 15 * MINUTE)
  const made = new Set(journal.entries.flatMap(({ operation, object }) => (operation === 'api.createClaim' ? [object] : [])))
  expect(wrong).toEqual([])
  expect(made.size).toBe(2 * NODES)
  expect(took).toBeLessThan(3 * MINUTE)
}, 120_000)

function isBound({ nodeName }: { readonly nodeName?: string }): boolean {
  return nodeName !== undefined
}
