import { describe, expect, it } from 'vitest'
import { keepPlanning } from '../../../../test/builders/keptPlanning.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { randomSnapshot } from '../../../../test/generators/randomSnapshot.ts'
import { canonicalJson } from '../../../base/json.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { loadPlanning } from '../planningState.ts'
import { partSharer } from './sharedParts.ts'

/** Gives half of the pods an affinity that is equal to their anti-affinity. */
function withContradictions({ objects, ...context }: ClusterSnapshot): ClusterSnapshot {
  const pod = objects.pod.map((each, at) => (at % 2 === 0 ? { ...each, podAffinity: structuredClone(each.podAntiAffinity) } : each))
  return { ...context, objects: { ...objects, pod } }
}

describe('pods that share what they say', () => {
  it('are equal to what they were', () => {
    const share = partSharer()
    const pods = Array.from({ length: 40 }, (_, seed) => randomSnapshot(seed).objects.pod).flat()
    expect(pods.map(share)).toEqual(pods)
  })

  it('are planned as they were, also where both kinds of affinity say the same', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { objects, ...context } = withContradictions(randomSnapshot(seed))
      const kept = keepPlanning(objects).decide(context)
      expect(canonicalJson(kept), `seed ${seed}`).toBe(canonicalJson(loadPlanning(objects).decide(context)))
    }
  })

  it('hold one copy of what is equal', () => {
    const share = partSharer()
    const [first, second] = [pod({ name: 'first', labels: { app: 'web' } }), pod({ name: 'second', labels: { app: 'web' } })].map(share)
    expect(first?.labels).toBe(second?.labels)
    expect(first?.requests).toBe(second?.requests)
    expect(share(pod({ labels: { app: 'db' } })).labels).not.toBe(first?.labels)
  })
})
