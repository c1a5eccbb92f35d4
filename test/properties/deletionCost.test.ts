import { describe, expect, it } from 'vitest'
import { decide } from '../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision, SetDeletionCosts } from '../../shared/model/decision.ts'
import { LABEL, PLANNED_DELETION_COST, POD_ANNOTATION, TAINT_KEY } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs } from '../../shared/model/units.ts'
import { createRandom } from '../agreement/random.ts'
import { disruptionCommand } from '../builders/disruptionCommand.ts'
import { node } from '../builders/node.ts'
import { DEFAULT_SIZE, nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../builders/pod.ts'
import { settings, snapshot } from '../builders/snapshot.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(75)
const KEY = POD_ANNOTATION.deletionCost

function cluster(seed: number): ClusterSnapshot {
  return seed % 2 === 0 ? anyCluster(seed) : equalMachines(seed)
}

/**
 * Equal machines with few pods, so that the costs of pods decide which machine goes first. In some clusters a move is under way, and others wait for
 * it.
 */
function equalMachines(seed: number): ClusterSnapshot {
  const random = createRandom(seed * 41)
  const names = Array.from({ length: 3 + random.int(4) }, (_, index) => `default-n${index}`)
  const claims = names.map((name) => nodeClaim({ name }))
  const pods = names.flatMap((name) =>
    Array.from({ length: 1 + random.int(2) }, (_, index) =>
      pod({ name: `${name}-${index}`, cpus: 0.5, nodeName: nodeNameOf(name), phase: 'Running' }),
    ),
  )
  const [first] = claims
  const begun = first !== undefined && random.chance(0.5) ? [disruptionCommand([first], { method: 'delete', replacements: [] })] : []
  const disruption = { ...QUIET, budgets: [{ nodes: '1' }] }
  const isStatic = random.chance(0.2)
  const template = { requirements: [{ key: LABEL.instanceType, operator: 'In' as const, values: [DEFAULT_SIZE] }] }
  return snapshot({
    settings: settings({ mostPlannedTaints: 2 }),
    commands: isStatic ? [] : begun,
    objects: {
      nodePool: [nodePool({ disruption, template, ...(isStatic ? { replicas: names.length - 1 } : {}) })],
      nodeClaim: claims,
      node: names.map((claim) => node({ claim })),
      pod: pods,
    },
  })
}

const QUIET = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: durationMs(0) } as const

/** A random cluster whose machines are quiet. One in two clusters has waiting pods. Some pods have costs of their users. */
function anyCluster(seed: number): ClusterSnapshot {
  const random = createRandom(seed * 43)
  const { objects, settings, ...rest } = randomSnapshot(seed)
  const pods = seed % 4 === 0 ? objects.pod : objects.pod.filter(({ nodeName }) => nodeName !== undefined)
  const costly = pods.map((each) => ({
    ...each,
    ...(random.chance(0.7) ? { owner: REPLICA_SET } : {}),
    annotations: { ...each.annotations, ...(random.chance(0.1) ? { [KEY]: random.pick(['0', '100000000', '-5', 'much']) } : {}) },
  }))
  const nodePool = objects.nodePool.map((pool) => ({
    ...pool,
    disruption: { ...QUIET, budgets: [{ nodes: random.pick(['1', '2', '100%']) }] },
  }))
  return { ...rest, settings: { ...settings, mostPlannedTaints: 2 }, objects: { ...objects, pod: costly, nodePool } }
}

/** The cluster with Joiner's cost on half of the pods without a cost: of any owner, on any node or on none. */
function costed({ objects, ...rest }: ClusterSnapshot, seed: number): ClusterSnapshot {
  const random = createRandom(seed * 47)
  const pod = objects.pod.map((each) => (random.chance(0.5) && each.annotations[KEY] === undefined ? withCost(each) : each))
  return { ...rest, objects: { ...objects, pod } }
}

function withCost(pod: Pod, cost?: string): Pod {
  return { ...pod, annotations: { ...pod.annotations, [KEY]: cost ?? PLANNED_DELETION_COST } }
}

/** The cluster with the taint of planned nodes on some nodes. `age`: how long before the decision they were planned. */
function planned({ objects, ...rest }: ClusterSnapshot, seed: number, age: number): ClusterSnapshot {
  const random = createRandom(seed * 53)
  const value = `${Math.floor((rest.takenAt - age) / 1_000)}`
  const taint = { key: TAINT_KEY.disruptionPlanned, value, effect: 'PreferNoSchedule' } as const
  const node = objects.node.map((each) => (random.chance(0.5) ? { ...each, taints: [...each.taints, taint] } : each))
  return { ...rest, objects: { ...objects, node } }
}

function switchedOn({ settings, ...rest }: ClusterSnapshot): ClusterSnapshot {
  return { ...rest, settings: { ...settings, podDeletionCosts: true } }
}

function costsIn({ actions }: Decision): readonly SetDeletionCosts[] {
  return actions.flatMap((action) => (action.kind === 'setDeletionCosts' ? [action] : []))
}

/** The decision without deletion costs. They may ask for an earlier decision. */
function otherwise({ actions, reasons, turn }: Decision) {
  return { actions: actions.filter(({ kind }) => kind !== 'setDeletionCosts'), reasons, turn }
}

/** The cluster after these writes. */
function written({ objects, ...rest }: ClusterSnapshot, costs: readonly SetDeletionCosts[]): ClusterSnapshot {
  const costOf = new Map(costs.flatMap(({ pods, cost }) => pods.map(({ uid }) => [uid, cost] as const)))
  const pod = objects.pod.map((each) => {
    if (!costOf.has(each.uid)) return each
    const { [KEY]: before, ...annotations } = each.annotations
    const cost = costOf.get(each.uid)
    expect(before, `${each.key} had this cost`).toBe(cost === undefined ? PLANNED_DELETION_COST : undefined)
    return cost === undefined ? { ...each, annotations } : withCost(each, cost)
  })
  return { ...rest, objects: { ...objects, pod } }
}

describe(`in ${CASES} random clusters`, () => {
  it("Joiner's deletion cost changes nothing else that is decided, whatever pods have it", () => {
    for (const seed of seedsOf(CASES)) {
      const given = cluster(seed)
      expect(decide(costed(given, seed)), `seed ${seed}`).toEqual(decide(given))
    }
  }, 120_000)

  it('the setting changes nothing else that is decided', () => {
    for (const seed of seedsOf(CASES)) {
      const given = planned(costed(cluster(seed), seed), seed, 120_000)
      expect(otherwise(decide(switchedOn(given))), `seed ${seed}`).toEqual(otherwise(decide(given)))
    }
  }, 120_000)

  it('written costs are not written again, and all are removed once no node is planned to go', () => {
    let [added, removed] = [0, 0]
    for (const seed of seedsOf(CASES)) {
      const { settings, ...rest } = cluster(seed)
      // Only an hour after its plan, a node that moves do not name loses the taint.
      const idle = switchedOn({ ...rest, settings: { ...settings, mostPlannedTaints: 100 } })
      const before = planned(idle, seed, 120_000)
      const costs = costsIn(decide(before))
      added += costs.flatMap(({ pods }) => pods).length
      const after = written(before, costs)
      expect(costsIn(decide(after)), `seed ${seed}: a second time`).toEqual([])
      const unplanned = { ...after, objects: { ...after.objects, node: idle.objects.node } }
      const removals = costsIn(decide(unplanned))
      removed += removals.flatMap(({ pods }) => pods).length
      expect(costsIn(decide(written(unplanned, removals))), `seed ${seed}: a second removal`).toEqual([])
    }
    expect(added).toBeGreaterThan(CASES / 4)
    expect(removed).toBeGreaterThan(CASES / 10)
  }, 120_000)
})
