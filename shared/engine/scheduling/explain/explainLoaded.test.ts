import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../test/agreement/random.ts'
import { withBudgets } from '../../../../test/generators/randomBudgets.ts'
import { applied } from '../../../../test/generators/randomChanges.ts'
import { randomSnapshot } from '../../../../test/generators/randomSnapshot.ts'
import { canonicalJson } from '../../../base/json.ts'
import { type ClusterSnapshot, type Delta } from '../../../model/clusterSnapshot.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { decideProvisioning, loadPlanning } from '../planningState.ts'
import { explainNode, explainPod } from './explainPod.ts'

const CASES = 20

/** Half of the claims are being deleted, and half of the pods must not be disrupted. */
function removals(seed: number, { nodeClaim, pod }: ClusterSnapshot['objects']): Delta {
  const random = createRandom(seed)
  return {
    put: {
      nodeClaim: random.some(nodeClaim, 0.5).map((each) => ({ ...each, meta: { ...each.meta, deletedAt: each.meta.createdAt } })),
      pod: random.some(pod, 0.5).map((each) => ({ ...each, annotations: { ...each.annotations, [ANNOTATION.doNotDisrupt]: 'true' } })),
    },
  }
}

/** A cluster that decided once, and in which machines are being removed since then. */
function cases() {
  return Array.from({ length: CASES }, (_, index) => {
    const seed = index + 1
    const before = withBudgets(randomSnapshot(seed), createRandom(seed))
    const state = loadPlanning(before.objects)
    state.decide(before)
    const delta = removals(seed, before.objects)
    state.apply(delta)
    const now: ClusterSnapshot = { ...before, objects: applied(before.objects, delta) }
    return { seed, state, now }
  })
}

describe('the explanation of a cluster that stays loaded', () => {
  it('is that of a cluster loaded anew, also of a pod that something holds, and changes no later decision', { timeout: 300_000 }, () => {
    let held = 0
    for (const { seed, state, now } of cases()) {
      for (const { key } of now.objects.pod.filter(({ nodeName }) => nodeName !== undefined)) {
        const explained = explainPod(now, key, state.plan(now))
        expect(canonicalJson(explained), `seed ${seed}, pod ${key}`).toBe(canonicalJson(explainPod(now, key)))
        if (explained.ok && explained.value.kind === 'running' && explained.value.heldBy.length > 0 && explained.value.then !== undefined)
          held++
      }
      expect(canonicalJson(state.decide({ ...now })), `seed ${seed}`).toBe(canonicalJson(decideProvisioning(now)))
    }
    expect(held).toBeGreaterThan(5)
  })

  it('looks at no machine that has not changed, so its work does not grow with the cluster', () => {
    for (const { seed, state, now } of cases()) {
      state.decide(now)
      const { machines } = state.plan(now).cluster
      const { looks } = machines
      for (const { key } of now.objects.pod) explainPod(now, key, state.plan(now))
      for (const { name } of now.objects.nodeClaim) explainNode(now, name, state.plan(now))
      expect(state.plan(now).cluster.machines.looks, `seed ${seed}`).toBe(looks)
    }
  })
})
