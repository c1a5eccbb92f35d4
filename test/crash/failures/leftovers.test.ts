/** Machines, interfaces and nodes that failures leave behind. */
import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../../shared/flows/deps/clusterDeps.ts'
import { findCondition, isTrue } from '../../../shared/model/condition.ts'
import { ANNOTATION } from '../../../shared/model/labels.ts'
import { CREATION_PAUSED } from '../../../shared/model/nodePool.ts'
import { Fault, problem } from '../../../shared/model/problem.ts'
import type { Taint } from '../../../shared/model/taint.ts'
import { createRandom, type Random } from '../../agreement/random.ts'
import { MINUTE, SECOND } from '../../builders/clock.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { pods } from '../../builders/pod.ts'
import { createSimulation, type Simulation } from '../simulation.ts'
import { footprint } from '../stories.ts'

const NOTHING = { machines: [], interfaces: 0, claims: 0, nodes: 0, tokens: 0 }
const GC_MS = 2 * MINUTE
/** Garbage collection spares what is younger. */
const SPARED_MS = 5 * MINUTE

function wait(simulation: Simulation, count: number): void {
  const now = simulation.clock.now()
  for (const pod of pods(count, { name: 'app', cpus: 3, createdAt: now, unschedulableSince: now })) simulation.world.objects.put('pod', pod)
}

function madeClaims({ world: { journal } }: Simulation): number {
  return new Set(journal.entries.flatMap(({ operation, object }) => (operation === 'api.createClaim' ? [object] : []))).size
}

describe('F13: network interfaces of machines that Azure does not make', () => {
  it('are gone after one sweep, however often the machine is refused and the process dies after the interface', async () => {
    let launches = 0
    const simulation: Simulation = createSimulation({
      tickMs: SECOND,
      gcEveryMs: GC_MS,
      between: (deps) => ({
        ...deps,
        cloud: {
          ...deps.cloud,
          launch: (...given) => {
            // Every tenth launch, the process dies about when the interface is made: after the token, the interface and before the machine.
            if (++launches % 10 === 0) simulation.world.failAt(journal.tried() + 3)
            return deps.cloud.launch(...given)
          },
        },
      }),
    })
    const { journal, objects, machines } = simulation.world
    machines.refuse({}, { stage: 'machine' })
    wait(simulation, 10)
    await simulation.runUntil(() => false, 15 * MINUTE)
    expect(await simulation.runUntil(() => machines.interfaces.size > 0, 15 * MINUTE)).toBeDefined()
    const tried = journal.entries.filter(({ operation }) => operation === 'cloud.createInterface').length
    expect(tried).toBeGreaterThan(78)
    expect(simulation.kills()).toBeGreaterThan(3)
    for (const { key } of objects.all('pod')) objects.remove('pod', key)
    // As a person does who is tired of them: together with their finalizers. Only a sweep finds their interfaces then.
    for (const { name } of objects.all('nodeClaim')) objects.remove('nodeClaim', name)
    await simulation.runUntil(() => false, SPARED_MS + GC_MS)
    // Kubernetes removes the tokens that expired.
    const { tokens: _, ...left } = NOTHING
    expect(footprint(simulation)).toMatchObject(left)
  })
})

/** Of the calls to Azure, one tenth is throttled, and of another tenth the answer is lost. */
function unreliable({ cloud, ...deps }: ClusterDeps, random: Random, isOn: () => boolean): ClusterDeps {
  const between = new Proxy(cloud, {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return async (...given: readonly unknown[]) => {
        const share = isOn() ? random.int(10) : 9
        if (share === 0) throw new Fault('ask Azure', problem('AZURE.THROTTLED', 'too many requests', { retryAfterMs: 5 * SECOND }))
        const answer: unknown = await Reflect.apply(method, target, given)
        if (share === 1) throw new Fault('ask Azure', problem('AZURE.FAILED', 'the connection was cut'))
        return answer
      }
    },
  })
  return { ...deps, cloud: between }
}

describe('F15: a thousand machines that go while calls to Azure are throttled and answers are lost', () => {
  it('leave nothing behind', async () => {
    const random = createRandom(1)
    let isOn = false
    const simulation = createSimulation({
      tickMs: SECOND,
      isConcurrent: true,
      resyncEveryMs: MINUTE,
      gcEveryMs: GC_MS,
      between: (deps) => unreliable(deps, random, () => isOn),
    })
    const { objects } = simulation.world
    const fixed = nodePool({ name: 'fixed', replicas: 1_000 })
    objects.put('nodePool', fixed)
    const areReady = (): boolean => {
      const claims = objects.all('nodeClaim')
      return claims.length === fixed.replicas && claims.every(({ status }) => isTrue(status.conditions, 'Ready'))
    }
    expect(await simulation.runUntil(areReady, 5 * MINUTE)).toBeDefined()
    isOn = true
    objects.put('nodePool', { ...(objects.get('nodePool', fixed.name) ?? fixed), replicas: 0 })
    const isGone = (): boolean => objects.all('nodeClaim').length === 0
    expect(await simulation.runUntil(isGone, 10 * MINUTE)).toBeDefined()
    await simulation.runUntil(() => false, GC_MS)
    expect(footprint(simulation)).toMatchObject({ ...NOTHING, machinesEver: 1_000 })
    const failed = simulation.world.telemetry.lines.filter(({ message }) => message.includes('failed and is tried again'))
    expect(failed.length).toBeGreaterThan(10)
  }, 120_000)
})

describe('F42: a bootstrap token that is not valid any more', () => {
  it('makes few machines before its pool pauses and says why, and none of them is left', async () => {
    const simulation: Simulation = createSimulation({ tickMs: SECOND, gcEveryMs: GC_MS, workload: () => tokens.clear() })
    const { objects, machines } = simulation.world
    const { tokens } = objects
    wait(simulation, 1)
    const pauseOf = () => findCondition(objects.all('nodePool')[0]?.status.conditions ?? [], CREATION_PAUSED)
    expect(await simulation.runUntil(() => pauseOf()?.status === 'True', 40 * MINUTE)).toBeDefined()
    expect(madeClaims(simulation)).toBe(2)
    expect(pauseOf()).toMatchObject({ reason: 'NodesDoNotJoin', message: expect.stringContaining('registered within 15 minutes') })
    const now = simulation.clock.now()
    wait(simulation, 9)
    await simulation.runUntil(() => simulation.clock.now() - now >= 4 * MINUTE, 5 * MINUTE)
    expect([madeClaims(simulation), machines.all().length]).toEqual([2, 0])
    expect(footprint(simulation)).toMatchObject(NOTHING)
  })
})

const TAINT: Taint = { key: 'example.com/agent', effect: 'NoSchedule' }

describe('F36: nodes whose startup taint somebody puts back', () => {
  it('are replaced once the time of their pool is over, and with growing pauses after two in a row', async () => {
    const simulation: Simulation = createSimulation({ tickMs: SECOND, gcEveryMs: GC_MS })
    const { objects } = simulation.world
    const annotations = { [ANNOTATION.initializationTimeout]: '5m' }
    objects.put('nodePool', nodePool({ template: { startupTaints: [TAINT], annotations }, disruption: { budgets: [{ nodes: '100%' }] } }))
    wait(simulation, 1)
    const made: number[] = []
    await simulation.runUntil(() => {
      if (madeClaims(simulation) > made.length) made.push(simulation.clock.now())
      return false
    }, 120 * MINUTE)
    const between = made.slice(1).map((at, index) => at - (made[index] ?? at))
    // The time-out, boot and join of the first machine.
    expect(between[0]).toBeLessThan(5.5 * MINUTE)
    expect(between.length).toBeGreaterThan(3)
    expect(between).toEqual(between.toSorted((one, other) => one - other))
    expect(between.at(-1)).toBeGreaterThan(30 * MINUTE)
    expect(footprint(simulation)).toMatchObject(NOTHING)
    const said = objects.events.map(({ event }) => event.message)
    expect(said).toContainEqual(expect.stringContaining('startup taint example.com/agent:NoSchedule is still on the node'))
  })
})
