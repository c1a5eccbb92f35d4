import { describe, expect, it } from 'vitest'
import { createRandom } from '../../test/agreement/random.ts'
import { isLetGo } from '../../test/builders/collected.ts'
import { randomChange } from '../../test/generators/randomChanges.ts'
import { randomSnapshot } from '../../test/generators/randomSnapshot.ts'
import { casesOf, seedsOf } from '../../test/properties/cases.ts'
import { canonicalJson } from '../base/json.ts'
import type { ClusterSnapshot } from '../model/clusterSnapshot.ts'
import type { Decision } from '../model/decision.ts'
import { durationMs } from '../model/units.ts'
import { decide, type LoadedCluster, loadCluster } from './loadedCluster.ts'
import { explainNode, explainPod } from './scheduling/explain/explainPod.ts'

const CASES = casesOf(60)
const CHANGES = 8

const countOf = ({ actions }: Decision, kind: Decision['actions'][number]['kind']): number =>
  actions.filter((action) => action.kind === kind).length

/** Lets empty machines go at once. In half of the clusters no pod waits. In the other half no NodeClass has conditions. */
function lively({ objects, ...rest }: ClusterSnapshot): ClusterSnapshot {
  const isQuiet = objects.pod.length % 2 === 0
  const nodePool = objects.nodePool.map((pool) => ({ ...pool, disruption: { ...pool.disruption, consolidateAfter: durationMs(0) } }))
  const nodeClass = objects.nodeClass.map((each) => (isQuiet ? each : { ...each, status: { ...each.status, conditions: [] } }))
  const pod = isQuiet ? objects.pod.filter(({ nodeName }) => nodeName !== undefined) : objects.pod
  return { ...rest, objects: { ...objects, nodePool, nodeClass, pod, capacityBuffer: isQuiet ? [] : objects.capacityBuffer } }
}

/**
 * Compares explanations of some pods and claims with those of a cluster that is loaded anew. The plan is asked for before each of them: the one before
 * may have replaced it. Returns the number of pods that something holds on a machine that is being removed.
 */
function expectSameAnswers(cluster: LoadedCluster, now: ClusterSnapshot): number {
  const { objects: _, ...context } = now
  const planNow = () => {
    const { planned, judged, commands } = cluster.plan(context)
    return { planned, snapshot: { ...now, commands, objects: { ...now.objects, ...judged } } }
  }
  const leaving = now.objects.pod.filter(({ nodeName }) => now.objects.node.some(({ name, meta }) => name === nodeName && meta.deletedAt))
  let held = 0
  for (const { key } of [...now.objects.pod.slice(0, 5), ...leaving.slice(0, 3)]) {
    const { planned, snapshot } = planNow()
    const explained = explainPod(snapshot, key, planned)
    expect(canonicalJson(explained)).toBe(canonicalJson(explainPod(snapshot, key)))
    if (explained.ok && explained.value.kind === 'running' && explained.value.heldBy.length > 0) held++
  }
  expect(canonicalJson(cluster.disrupt(context))).toBe(canonicalJson(loadCluster(now.objects).disrupt(context)))
  for (const { name } of now.objects.nodeClaim.slice(0, 3)) {
    const { planned, snapshot } = planNow()
    expect(canonicalJson(explainNode(snapshot, name, planned))).toBe(canonicalJson(explainNode(snapshot, name)))
  }
  return held
}

describe('a loaded cluster', () => {
  it(`decides after ${CHANGES} random changes each of ${CASES} random clusters what it would decide from scratch`, {
    timeout: 30 * 60_000,
  }, () => {
    const counts = { createClaim: 0, deleteClaim: 0, nominate: 0, markClaim: 0, patchNodePoolStatus: 0, patchNodeClassStatus: 0 }
    for (const seed of seedsOf(CASES)) {
      const random = createRandom(seed)
      let now = lively(randomSnapshot(seed))
      const cluster = loadCluster(now.objects)
      for (let change = 1; change <= CHANGES; change++) {
        const { delta, after } = randomChange(random, now, lively(randomSnapshot(seed + change * 100_003)))
        now = after
        cluster.apply(delta)
        // Several changes may come before a decision, and the same question may be asked twice.
        if (random.chance(0.2)) continue
        const { objects, ...rest } = now
        const context = { ...rest, ...(random.chance(0.1) ? { isFirstDecision: true as const } : {}) }
        const decision = cluster.decide(context)
        expect(canonicalJson(decision), `seed ${seed}, change ${change}`).toBe(canonicalJson(decide({ ...context, objects })))
        if (random.chance(0.2)) expect(canonicalJson(cluster.decide({ ...context }))).toBe(canonicalJson(decision))
        if (random.chance(0.3)) expectSameAnswers(cluster, now)
        for (const kind of Object.keys(counts) as (keyof typeof counts)[]) counts[kind] += countOf(decision, kind)
      }
    }
    expect(
      Object.entries(counts).filter(([, count]) => count < 8),
      JSON.stringify(counts),
    ).toEqual([])
  })

  it('lets go of the plan and of the tries of a decision when it is made', async () => {
    for (const asked of ['decide', 'disrupt'] as const) {
      for (const seed of seedsOf(10)) {
        const { objects, ...context } = lively(randomSnapshot(seed))
        const cluster = loadCluster(objects)
        const settings = new WeakRef({ ...context.settings })
        cluster[asked]({ ...context, settings: settings.deref() ?? context.settings })
        expect(await isLetGo(settings), `seed ${seed}`).toBe(true)
      }
    }
  })
})
