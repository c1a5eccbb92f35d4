import { describe, expect, it } from 'vitest'
import { FLOW_LIMITS } from '../../shared/flows/deps/clusterDeps.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { durationMs } from '../../shared/model/units.ts'
import { FAILED_WRITES, failuresAt, MODES_OF_ONE } from './everyWrite.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { footprint, scaleUp } from './stories.ts'

const GRACE_MS = 10_000
const DRAIN_MS = 60_000
const GC_MS = 5_000
/** The time after which a node without a machine becomes Unknown, because its kubelet is silent. */
const SILENT_MS = 2_000
const WITHIN_MS = 60_000

type Orphan = {
  readonly simulation: Simulation
  /** Pods that existed when their machine was deleted. */
  readonly podsAtEnd: () => readonly string[]
  readonly gone: (limitMs?: number) => Promise<number | undefined>
}

/** A machine with pods. A person has removed its NodeClaim together with the finalizer. */
async function orphaned(allowed: number, prepare: (simulation: Simulation) => void = () => undefined): Promise<Orphan> {
  const gone = new Map<string, number>()
  const podsAtEnd: string[] = []
  const simulation: Simulation = createSimulation({
    gcEveryMs: GC_MS,
    between: (deps) => ({
      ...deps,
      limits: { ...FLOW_LIMITS, gcGrace: durationMs(GRACE_MS), gcDrain: durationMs(DRAIN_MS) },
      cloud: {
        ...deps.cloud,
        terminate: (claim, signal) => {
          podsAtEnd.push(...simulation.world.objects.all('pod').map(({ key }) => key))
          return deps.cloud.terminate(claim, signal)
        },
      },
    }),
    // The kubelets of deleted machines are silent.
    workload: () => {
      const { world, clock } = simulation
      const alive = new Set(world.machines.all().map(({ instance }) => String(instance.name)))
      for (const node of world.objects.all('node')) {
        if (alive.has(node.name)) continue
        gone.set(node.name, gone.get(node.name) ?? clock.now())
        if (clock.now() - (gone.get(node.name) ?? 0) < SILENT_MS) continue
        const conditions = node.conditions.map((each) => (each.type === 'Ready' ? { ...each, status: 'Unknown' as const } : each))
        if (node.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'))
          world.objects.put('node', { ...node, conditions })
      }
    },
  })
  const { world } = simulation
  await scaleUp(simulation, 3, { labels: { app: 'web' } })
  await simulation.runUntil(() => false, GRACE_MS + GC_MS)
  world.objects.put('podDisruptionBudget', {
    key: objectKey('default', 'web'),
    uid: uid('pdb'),
    selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
    disruptionsAllowed: allowed,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    conditions: [],
  })
  for (const claim of world.objects.all('nodeClaim')) world.objects.remove('nodeClaim', claim.name)
  prepare(simulation)
  const isGone = (): boolean => world.machines.all().length + world.objects.all('node').length + world.machines.interfaces.size === 0
  return { simulation, podsAtEnd: () => podsAtEnd, gone: (limitMs = 5 * WITHIN_MS) => simulation.runUntil(isGone, limitMs) }
}

describe('a machine whose nodeclaim is gone', () => {
  it('is drained before it is deleted, and its node goes too', async () => {
    const { gone, podsAtEnd, simulation } = await orphaned(3)
    expect(simulation.world.machines.all().length).toBeGreaterThan(0)
    expect(await gone()).toBeLessThan(WITHIN_MS)
    expect(podsAtEnd()).toEqual([])
    expect(footprint(simulation)).toMatchObject({ machines: [], nodes: 0, claims: 0, interfaces: 0 })
  })

  it('is deleted after a bounded time though a budget holds its pods, which is named', async () => {
    const { gone, simulation } = await orphaned(0)
    const took = (await gone()) ?? expect.fail('it waits for ever')
    // A pod gets its grace period before the drain ends, so the bound holds.
    expect(took).toBeLessThan(DRAIN_MS + GC_MS + SILENT_MS + WITHIN_MS / 2)
    expect(took).toBeGreaterThan(DRAIN_MS / 2)
    const { telemetry, objects } = simulation.world
    const said = 'poddisruptionbudget default/web holds pods'
    expect(
      telemetry.lines.some(
        ({ level, message, fields }) => level === 'warn' && message.includes(said) && fields['code'] === 'DISRUPTION.PDB',
      ),
    ).toBe(true)
    expect(objects.events.some(({ event }) => event.subject.kind === 'node' && event.message.includes(said))).toBe(true)
  })

  it.each([
    ['is deleted at once where its node is of neither a pool nor a class', [LABEL.nodePool, LABEL.nodeClass], false],
    ['is drained where its node is of a class alone, as the node of a claim that a person made', [LABEL.nodePool], true],
  ] as const)('%s', async (_, missing, isDrained) => {
    const { gone, podsAtEnd } = await orphaned(0, ({ world }) => {
      for (const node of world.objects.all('node')) {
        const labels = Object.fromEntries(Object.entries(node.meta.labels).filter(([name]) => !missing.some((each) => each === name)))
        world.objects.put('node', { ...node, meta: { ...node.meta, labels } })
      }
    })
    await gone(3 * GC_MS)
    expect(podsAtEnd().length === 0).toBe(isDrained)
  })

  it.each(MODES_OF_ONE)(
    `ends the same with a $how $when a write: ${FAILED_WRITES}`,
    async (mode) => {
      const calm = await orphaned(3)
      const before = calm.simulation.world.journal.tried()
      await calm.gone()
      const writes = calm.simulation.world.journal.tried() - before
      expect(writes).toBeGreaterThan(5)
      const wrong: unknown[] = []
      for (const { n, mode: failure } of failuresAt(mode, 1, writes)) {
        const { gone, podsAtEnd, simulation } = await orphaned(3, ({ world }) => world.failAt(before + n, failure))
        const took = await gone()
        if (took === undefined || took > 2 * WITHIN_MS || podsAtEnd().length > 0)
          wrong.push({
            n,
            took,
            pods: podsAtEnd(),
            around: simulation.world.journal.entries.slice(before + Math.max(0, n - 3), before + n + 2),
          })
      }
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
