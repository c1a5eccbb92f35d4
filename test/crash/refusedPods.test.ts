import { describe, expect, it } from 'vitest'
import { explain } from '../../shared/flows/answer/explain.ts'
import { createClusterReader } from '../../shared/flows/state/catchUp.ts'
import { objectKey } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { createRandom } from '../agreement/random.ts'
import { HOUR, MINUTE, SECOND } from '../builders/clock.ts'
import { node } from '../builders/node.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'

const NEVER = new AbortController().signal
const CODE = 'POD.REFUSED_BY_SCHEDULER'
const SAYS = '0/1 nodes are available: 1 node(s) lack what nobody knows of.'
const APART = {
  required: [
    {
      topologyKey: 'kubernetes.io/hostname',
      selector: { matchLabels: { app: 'a' }, matchExpressions: [] },
      namespaces: [],
      matchLabelKeys: [],
      mismatchLabelKeys: [],
    },
  ],
  preferred: [],
}
const ODD = objectKey('default', 'odd')

/** The scheduler refuses pods with `odd` in their names on every node. */
function play(options: SimulationOptions = {}): Simulation {
  const refusal = ({ key }: Pod): string | undefined => (key.includes('odd') ? SAYS : undefined)
  return createSimulation({ tickMs: 5 * SECOND, bootMs: 30_000, scheduler: { refusal }, ...options })
}

function add({ world, clock }: Simulation, ...names: readonly string[]): void {
  const now = clock.now()
  for (const name of names) world.objects.put('pod', pod({ name, cpus: 3, createdAt: now, unschedulableSince: now }))
}

/** Each minute, a node of somebody else gets another pod. */
function keepBusy({ world: { objects }, clock }: Simulation): void {
  if (objects.get('node', 'own') === undefined) objects.put('node', node({ name: 'own', taints: [{ key: 'own', effect: 'NoSchedule' }] }))
  const name = `job-${Math.floor(clock.now() / MINUTE)}`
  if (objects.get('pod', objectKey('default', name)) !== undefined) return
  for (const { key } of objects.all('pod')) if (key.includes('job-')) objects.remove('pod', key)
  const now = clock.now()
  objects.put('pod', pod({ name, cpus: 0.1, nodeName: 'own', phase: 'Running', createdAt: now, scheduledAt: now }))
}

function claimsEver({ world }: Simulation): number {
  return new Set(world.journal.entries.flatMap(({ operation, object }) => (operation === 'api.createClaim' ? [object] : []))).size
}

async function wait(simulation: Simulation, ms: number): Promise<void> {
  await simulation.runUntil(() => false, ms)
}

function isGone({ world: { objects, machines } }: Simulation): boolean {
  return objects.all('nodeClaim').length + machines.all().length === 0
}

function told({ world: { objects } }: Simulation): readonly string[] {
  return objects.events.map(({ event }) => event.message).filter((message) => message.includes(CODE))
}

async function explained(simulation: Simulation): Promise<string> {
  let answer: unknown
  await simulation.perform(async (deps) => {
    answer = await explain(deps, createClusterReader(deps.log), { kind: 'pod', key: ODD }, NEVER)
  })
  return JSON.stringify(answer)
}

/** Plays until the refusal is told and the machine is gone. */
async function playToEnd(simulation: Simulation): Promise<void> {
  expect(await simulation.runUntil(() => told(simulation).length > 0, 40 * MINUTE)).toBeDefined()
  expect(await simulation.runUntil(() => isGone(simulation), 3 * MINUTE)).toBeDefined()
}

describe('a pod that kube-scheduler refuses on every node', () => {
  it.each([
    { when: 'nothing else is bound', isBusy: false, between: [30, 35] },
    { when: 'other pods are bound elsewhere', isBusy: true, between: [6, 9] },
  ])('gets one machine, which goes, and its reason: $when', async ({ isBusy, between: [least = 0, most = 0] }) => {
    const simulation: Simulation = play({ workload: () => void (isBusy && keepBusy(simulation)) })
    add(simulation, 'odd')
    const took = await simulation.runUntil(() => told(simulation).length > 0, 60 * MINUTE)
    expect((took ?? 0) / MINUTE).toBeGreaterThan(least)
    expect((took ?? 0) / MINUTE).toBeLessThan(most)
    expect(await simulation.runUntil(() => isGone(simulation), 3 * MINUTE)).toBeDefined()
    await wait(simulation, 20 * MINUTE)
    expect(claimsEver(simulation)).toBe(1)
    expect(told(simulation)).toEqual([expect.stringContaining(`"${SAYS}"`)])
    expect(await explained(simulation)).toContain(SAYS)
  })

  it('gets a machine a try, and each pause is twice as long', async () => {
    const simulation: Simulation = play({ tickMs: 10 * SECOND, workload: () => keepBusy(simulation) })
    add(simulation, 'odd')
    const counts: number[] = []
    // Tries begin after 0, 0.6, 1.7 and 3.8 hours.
    for (let half = 1; half <= 9; half++) {
      await wait(simulation, HOUR / 2)
      counts.push(claimsEver(simulation))
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4])
    expect(told(simulation)).toHaveLength(4)
  })

  it('is planned again at once if its volumes or its spec change', async () => {
    const simulation: Simulation = play({ workload: () => keepBusy(simulation) })
    add(simulation, 'odd')
    await playToEnd(simulation)
    const { objects } = simulation.world
    const odd = objects.get('pod', ODD) ?? expect.fail('no pod')
    objects.put('pod', { ...odd, tolerations: [{ key: 'a', operator: 'Exists' }] })
    expect(await simulation.runUntil(() => claimsEver(simulation) === 2, MINUTE)).toBeDefined()
  })

  it('leaves all other pods as they are', async () => {
    const simulation: Simulation = play({ workload: () => keepBusy(simulation) })
    add(simulation, 'odd', 'even-1', 'even-2')
    const isRunning = (name: string): boolean => simulation.world.objects.get('pod', objectKey('default', name))?.nodeName !== undefined
    expect(await simulation.runUntil(() => isRunning('even-1') && isRunning('even-2'), 2 * MINUTE)).toBeDefined()
    expect(await simulation.runUntil(() => told(simulation).length > 0, 15 * MINUTE)).toBeDefined()
    await wait(simulation, 3 * MINUTE)
    expect([isRunning('even-1'), isRunning('even-2')]).toEqual([true, true])
    expect([claimsEver(simulation), simulation.world.machines.all().length]).toEqual([3, 2])
    add(simulation, 'even-3')
    expect(await simulation.runUntil(() => isRunning('even-3'), 3 * MINUTE)).toBeDefined()
  })

  it('is remembered by a process that starts, at every write', async () => {
    const calm: Simulation = play({ tickMs: 10 * SECOND, workload: () => keepBusy(calm) })
    add(calm, 'odd')
    await playToEnd(calm)
    const { entries } = calm.world.journal
    const writes = entries.filter(({ operation }) => operation === 'ledger.save').map(({ number }) => number)
    for (const at of writes) {
      const simulation: Simulation = play({ tickMs: 10 * SECOND, workload: () => keepBusy(simulation) })
      simulation.world.journal.failAt(at, { when: 'after', how: 'kill' })
      add(simulation, 'odd')
      await playToEnd(simulation)
      await wait(simulation, 15 * MINUTE)
      expect([simulation.kills(), claimsEver(simulation), told(simulation).length], `write ${at}`).toEqual([1, 1, 1])
    }
  })
})

/** Pods of several sizes, of which the scheduler refuses some. A node of somebody else has room for a part of them. */
function randomPods(seed: number) {
  const random = createRandom(seed)
  return Array.from({ length: 2 + random.int(8) }, (_, index) => {
    const name = random.int(3) === 0 ? `odd-${index}` : `even-${index}`
    return { name, cpus: 0.5 + random.int(6) / 2, hasRule: random.int(4) === 0 }
  })
}

describe('pods of random worlds, of which kube-scheduler refuses some', () => {
  it.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    'get a machine a try at most, and the other pods are as before: seed %i',
    async (seed) => {
      const given = randomPods(seed)
      const simulation: Simulation = play({ tickMs: 10 * SECOND, workload: () => keepBusy(simulation) })
      const { objects } = simulation.world
      objects.put('nodePool', nodePool({ disruption: { consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '100%' }] } }))
      objects.put('node', node({ name: 'room' }))
      const now = simulation.clock.now()
      for (const { name, cpus, hasRule } of given)
        objects.put(
          'pod',
          pod({
            name,
            cpus,
            labels: { app: 'a' },
            ...(hasRule ? { podAntiAffinity: APART } : {}),
            createdAt: now,
            unschedulableSince: now,
          }),
        )
      const even = given.filter(({ name }) => name.startsWith('even'))
      const odd = given.length - even.length
      const places = () => even.map(({ name }) => objects.get('pod', objectKey('default', name))?.nodeName)
      expect(await simulation.runUntil(() => !places().includes(undefined), 5 * MINUTE)).toBeDefined()
      const settled = places()
      // Two tries, 0.6 hours apart. The third begins after 1.7 hours.
      await wait(simulation, 1.5 * HOUR)
      expect(places()).toEqual(settled)
      expect(claimsEver(simulation)).toBeLessThanOrEqual(even.length + 2 * odd)
      const used = new Set(settled)
      expect(objects.all('nodeClaim').filter(({ status }) => !used.has(status.nodeName))).toEqual([])
      const reasons = new Set(objects.events.flatMap(({ event }) => (event.message.includes(CODE) ? [event.subject.name] : [])))
      expect(reasons.size).toBe(odd)
    },
    120_000,
  )
})

describe('a kube-scheduler that is only slow', () => {
  it.each([
    { binds: 20, count: 1_000 },
    { binds: 1, count: 400 },
  ])('refuses no pod: $binds pods a second, of $count', async ({ binds, count }) => {
    const simulation = play({ tickMs: SECOND, scheduler: { mostBinds: binds } })
    const now = simulation.clock.now()
    const { objects } = simulation.world
    for (const each of pods(count, { name: 'app', cpus: 1, createdAt: now, unschedulableSince: now })) objects.put('pod', each)
    const areBound = (): boolean => objects.all('pod').every(({ nodeName }) => nodeName !== undefined)
    expect(await simulation.runUntil(areBound, 20 * MINUTE)).toBeDefined()
    const made = claimsEver(simulation)
    await wait(simulation, 2 * MINUTE)
    expect(told(simulation)).toEqual([])
    expect(claimsEver(simulation)).toBe(made)
  })
})
