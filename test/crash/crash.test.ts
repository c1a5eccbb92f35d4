import { describe, expect, it } from 'vitest'
import { ANNOTATION, LABEL } from '../../shared/model/labels.ts'
import type { LogRecord } from '../../shared/model/logRecord.ts'
import { durationMs } from '../../shared/model/units.ts'
import { nodePool } from '../builders/nodePool.ts'
import { HOLDS_ALL } from '../builders/podDisruptionBudget.ts'
import { play, upAndDown, WITHIN_MS, withVolumes } from './everyWrite.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { driftStatic, expire, type Footprint, footprint, keepReplicas, repair, scaleStatic, scaleUp } from './stories.ts'

const NOTHING: Partial<Footprint> = { machines: [], interfaces: 0, claims: 0, nodes: 0, tokens: 0, failing: 0 }

describe('the undisturbed story', () => {
  it('ends machines at their age, and what was made for their pods when no pod comes', async () => {
    const { took, footprint: left, simulation } = await play(expire)
    expect(took).toBeLessThan(WITHIN_MS)
    expect(left).toMatchObject(NOTHING)
    expect(simulation.world.telemetry.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('is taken away: Expired'))
  })

  it('F33 waits for the volumes of machines that go, which are detached slowly', async () => {
    const { took, simulation } = await play(withVolumes)
    expect(took).toBeLessThan(WITHIN_MS)
    const said = simulation.world.objects.events.map(({ event }) => event.reason)
    expect(said).toContain('AwaitingVolumeDetachment')
  })

  it('makes three machines for a static pool, and ends all but one of them and then the last', async () => {
    const { took, footprint: left } = await play(scaleStatic)
    expect(took).toBeLessThan(WITHIN_MS)
    expect(left).toMatchObject({ ...NOTHING, claimsEver: 3, machinesEver: 3 })
  })

  it('SE-01: replaces the machines of a static pool that drifted, one after the other', async () => {
    const { took, footprint: left } = await play(driftStatic)
    expect(took).toBeLessThan(WITHIN_MS)
    expect(left).toMatchObject({ claims: 2, nodes: 2, claimsEver: 4, machinesEver: 4 })
  })

  it('RP-18: replaces a machine that breaks, within the bound of its claim, whatever the budgets of its pods say', async () => {
    const { took, footprint: left, simulation } = await play(repair)
    expect(took).toBeLessThan(WITHIN_MS)
    expect(left).toMatchObject(NOTHING)
    const said = simulation.world.telemetry.lines.map(({ message }) => message)
    expect(said.filter((line) => line.includes('is taken away: Unhealthy (kubernetes.azure.com/NodeHealthy=False)'))).toHaveLength(1)
  })

  it.each(['False', 'Unknown'] as const)(
    'EE-02, EE-04, EE-07: replaces a machine that has Ready=%s for ten minutes once another one is up, whatever protects node and pods',
    async (status) => {
      const simulation: Simulation = createSimulation({ workload: () => keepReplicas(simulation, 2) })
      const { objects, clock } = simulation.world
      const annotations = { [ANNOTATION.doNotDisrupt]: 'true' }
      const terminationGracePeriod = durationMs(3_600_000)
      const budgets = [{ nodes: '0', reasons: ['Empty', 'Drifted', 'Underutilized'] }] as const
      objects.put('nodePool', nodePool({ disruption: { budgets }, template: { terminationGracePeriod, annotations } }))
      expect(await scaleUp(simulation, 2, { annotations, terminationGracePeriodSeconds: 30 })).toBeDefined()
      objects.put('podDisruptionBudget', HOLDS_ALL)
      const [broken = expect.fail('no node')] = objects.all('node')
      expect(broken.meta.annotations).toMatchObject(annotations)
      const before = objects.all('node').length
      const sick = { status, lastTransitionAt: clock.now() }
      objects.put('node', { ...broken, conditions: broken.conditions.map((each) => (each.type === 'Ready' ? { ...each, ...sick } : each)) })
      let least = before + 1
      const isReplaced = (): boolean => {
        const isGoing = objects.all('nodeClaim').some(({ meta }) => meta.deletedAt !== undefined)
        const up = objects.all('node').filter(({ meta }) => meta.labels[LABEL.initialized] === 'true')
        if (isGoing && objects.get('node', broken.name) !== undefined) least = Math.min(least, up.length)
        const bound = objects.all('pod').filter(({ nodeName, deletedAt }) => nodeName !== undefined && deletedAt === undefined)
        return objects.get('node', broken.name) === undefined && bound.length === 2
      }
      const took = await simulation.runUntil(isReplaced, 20 * WITHIN_MS)
      expect([took !== undefined, (took ?? 0) >= 600_000, least]).toEqual([true, true, before + 1])
    },
  )

  it('makes the machines for five pods and takes them away again', async () => {
    const up = await play(scaleUp)
    expect(up.took).toBeLessThan(20_000)
    expect(up.footprint.machines.length).toBe(up.footprint.claimsEver)
    const conditions = up.simulation.world.objects.all('nodeClaim').flatMap(({ status }) => status.conditions.map(({ type }) => type))
    // A new claim matches its pool and class.
    expect(conditions).not.toContain('Drifted')
    expect(up.footprint).toMatchObject({ tokens: 0, failing: 0, interfaces: up.footprint.machines.length })
    const down = await play(upAndDown)
    expect(down.took).toBeLessThan(WITHIN_MS)
    expect(down.footprint).toMatchObject({ ...NOTHING, claimsEver: up.footprint.claimsEver, machinesEver: up.footprint.claimsEver })
  })
})

/** The number of telemetry events by name. */
function toldOf({ world }: Simulation): Partial<Record<string, number>> {
  const groups = Object.groupBy(world.telemetry.events, ({ name }) => name)
  return Object.fromEntries(Object.entries(groups).map(([name, events = []]) => [name, events.length]))
}

describe('bad deliveries', () => {
  it.each([
    ['SV-01 every key twice', 'twice' as const],
    ['every key two seconds late', { laterMs: 2_000 }],
  ])('end in the same state: %s', async (_name, delivery) => {
    const calm = await play(upAndDown)
    const { simulation, took, footprint: got } = await play(upAndDown, {}, ({ deliverBy }) => deliverBy(() => delivery))
    expect(got).toEqual(calm.footprint)
    expect(toldOf(simulation)).toEqual(toldOf(calm.simulation))
    expect(toldOf(simulation)).not.toEqual({})
    expect(took).toBeLessThan(WITHIN_MS)
  })

  it('end in the same state when every key is lost but those of the resync timer', async () => {
    const calm = await play(upAndDown)
    const { took, footprint: got } = await play(upAndDown, {}, ({ deliverBy }) =>
      deliverBy((request) => {
        if (request?.because === 'resync') return 'once'
        return request !== undefined && 'claim' in request && !request.isFollowed ? 'once' : 'never'
      }),
    )
    expect(got).toEqual(calm.footprint)
    expect(took).toBeDefined()
  })

  it('end in the same state when every batch of changes comes twice and in the wrong order', async () => {
    const calm = await play(upAndDown)
    const held: LogRecord[] = []
    const delivery = (records: readonly LogRecord[]): readonly LogRecord[] => {
      const late = held.splice(0)
      held.push(...records)
      return [...[...records].reverse(), ...late, ...records]
    }
    const { took, footprint: got } = await play(upAndDown, { delivery })
    expect(got).toEqual(calm.footprint)
    expect(took).toBeLessThan(WITHIN_MS)
  })
})

describe('two hosts of one cluster', () => {
  it('make what one would have made', async () => {
    const calm = await play(upAndDown)
    const { took, footprint: got } = await play(upAndDown, { hosts: 2 })
    expect(got).toEqual(calm.footprint)
    expect(took).toBeLessThan(WITHIN_MS)
  })

  it('make what one would have made where each runs many keys at a time', async () => {
    const calm = await play(upAndDown)
    const { took, footprint: got } = await play(upAndDown, { hosts: 2, isConcurrent: true })
    expect(got).toEqual(calm.footprint)
    expect(took).toBeLessThan(WITHIN_MS)
  })

  it('SP-12 never make more for a static pool than its limit lets, however often its number changes and each key is added', async () => {
    const { world, runUntil, deliverBy } = createSimulation({ hosts: 2, isConcurrent: true })
    deliverBy(() => 'twice')
    let most = 0
    const count = (): number => {
      const there = Math.max(world.objects.all('nodeClaim').length, world.machines.all().length)
      most = Math.max(most, there)
      return there
    }
    for (const replicas of [12, 2, 9, 4, 20]) {
      world.objects.put('nodePool', nodePool({ name: 'fixed', replicas, limits: { nodes: 5 } }))
      await runUntil(() => count() < 0, 10_000)
    }
    expect(await runUntil(() => count() === 5 && world.objects.all('node').length === 5, WITHIN_MS)).toBeDefined()
    expect(most).toBe(5)
  })

  it('NT-06 end all machines whose nodes a person deletes at once, each once', async () => {
    const simulation = createSimulation({ hosts: 2 })
    const { objects } = simulation.world
    const size = { key: LABEL.instanceType, operator: 'In', values: ['Standard_D4as_v6'] } as const
    objects.put('nodePool', nodePool({ template: { requirements: [size] } }))
    expect(await scaleUp(simulation, 20, { cpus: 3 })).toBeDefined()
    const names = objects.all('node').map(({ name }) => name)
    expect(names).toHaveLength(20)
    for (const name of names) objects.delete('node', name)
    expect(await simulation.runUntil(() => objects.all('node').length === 0, WITHIN_MS)).toBeDefined()
    await simulation.runUntil(() => objects.all('nodeClaim').length === 0, WITHIN_MS)
    expect(footprint(simulation)).toMatchObject(NOTHING)
    const told = objects.events.flatMap(({ event }) => (event.reason === 'NodeDeleted' ? [event.subject.name] : []))
    expect([new Set(told).size, simulation.failures]).toEqual([20, []])
  })

  it('make what one would have made when one of them is killed at any write', async () => {
    const calm = await play(scaleUp)
    const writes = (await play(scaleUp, { hosts: 2 })).simulation.world.journal.tried()
    const wrong: unknown[] = []
    for (let n = 1; n <= writes; n++) {
      const { took, footprint: got } = await play(scaleUp, { hosts: 2 }, ({ world }) => world.failAt(n))
      if (took === undefined || took > WITHIN_MS || JSON.stringify(got) !== JSON.stringify(calm.footprint))
        wrong.push({ write: n, took, got })
    }
    expect(wrong).toEqual([])
  }, 300_000)
})
