import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { ObjectKey } from '../../shared/model/ids.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { allocatable } from '../checker/outcomes.ts'
import { size } from '../scenarios/fixtureTypes.ts'
import { outcomeOf } from './randomCase.ts'

const TYPES = [2, 4, 8, 16].map((cpus) => size(`of-${cpus}`, { cpus, memoryGib: 4 * cpus, price: cpus }))

const waiting = fc.array(
  fc.record({ cpus: fc.integer({ min: 1, max: 70 }), gib: fc.integer({ min: 1, max: 20 }), priority: fc.integer({ min: -1, max: 3 }) }),
  { minLength: 2, maxLength: 14 },
)
const limits = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((nodes) => ({ nodes })),
  fc.integer({ min: 2, max: 40 }).map((cpus) => ({ cpu: 1000 * cpus })),
  fc.record({ nodes: fc.integer({ min: 1, max: 4 }), memory: fc.integer({ min: 8, max: 100 }).map((gib) => gib * 1024 ** 3) }),
)

/** Machines of less important pods that a refused pod could have had for itself. Both the pod and its machine follow no other rule than amounts. */
function outrankedIn(given: ClusterSnapshot): readonly string[] {
  const { decision, refused } = outcomeOf(given)
  const priorities = new Map(given.objects.pod.map(({ key, priority }) => [key, priority]))
  const priorityOf = (key: ObjectKey): number => priorities.get(key) ?? 0
  return given.objects.pod
    .filter(({ key }) => refused.has(key))
    .flatMap((important) =>
      decision.actions.flatMap((action) => {
        if (action.kind !== 'createClaim' || action.pods.some(({ key }) => priorityOf(key) >= important.priority)) return []
        const named = action.draft.spec.requirements.find(({ key }) => key === 'node.kubernetes.io/instance-type')?.values ?? []
        const suiting = TYPES.filter((type) => {
          const { cpu = 0, memory = 0 } = allocatable(type)
          return named.includes(type.name) && (important.requests['cpu'] ?? 0) <= cpu && (important.requests['memory'] ?? 0) <= memory
        })
        return suiting.map(({ name }) => `${important.key} could have the ${name} of ${action.pods.map(({ key }) => key).join()}`)
      }),
    )
}

describe('pods that the limits of a pool refuse', () => {
  it.each(['price', 'firstFit'] as const)('could have no new machine of less important pods (%s)', (placement) => {
    fc.assert(
      fc.property(waiting, limits, (pods, limit) => {
        const given = snapshot({
          types: TYPES,
          settings: { placement },
          objects: {
            nodePool: [nodePool({ limits: limit })],
            pod: pods.map(({ cpus, gib, priority }, index) => pod({ name: `p${index}`, cpus: cpus / 10, memoryGib: gib, priority })),
          },
        })
        expect(outrankedIn(given)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
