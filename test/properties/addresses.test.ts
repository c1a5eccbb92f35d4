import { describe, expect, it } from 'vitest'
import { decide } from '../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot, SubnetShare } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { NodeClassName } from '../../shared/model/ids.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { ago, SECOND } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { scaledDown } from '../generators/scaledDown.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(60)
const PLENTY = 10_000

type Kind = 'waiting pods' | 'cheaper machines' | 'drifted machines' | 'pools with replicas'

const withDrift = ({ objects, ...rest }: ClusterSnapshot, random: Random): ClusterSnapshot => ({
  ...rest,
  objects: {
    ...objects,
    nodeClaim: objects.nodeClaim.map((claim) => {
      const drifted = condition('Drifted', { lastTransitionAt: ago(random.int(900) * SECOND) })
      return random.chance(0.6) ? { ...claim, status: { ...claim.status, conditions: [...claim.status.conditions, drifted] } } : claim
    }),
    nodePool: objects.nodePool.map((pool) => ({ ...pool, disruption: { ...pool.disruption, budgets: [{ nodes: '100%' }] } })),
  },
})

const withReplicas = ({ objects, ...rest }: ClusterSnapshot, random: Random): ClusterSnapshot => ({
  ...rest,
  objects: {
    ...objects,
    nodePool: objects.nodePool.map((pool) => {
      const there = objects.nodeClaim.filter(({ meta }) => meta.labels['karpenter.sh/nodepool'] === pool.name).length
      return { ...pool, replicas: there + random.int(4) }
    }),
  },
})

const withoutWaiting = ({ objects, ...rest }: ClusterSnapshot): ClusterSnapshot => ({
  ...rest,
  objects: { ...objects, pod: objects.pod.filter(({ nodeName }) => nodeName !== undefined) },
})

const KINDS: { readonly [Each in Kind]: (seed: number, random: Random) => ClusterSnapshot } = {
  'waiting pods': (seed) => randomSnapshot(seed),
  'cheaper machines': (seed) => scaledDown(seed),
  'drifted machines': (seed, random) => withDrift(withoutWaiting(randomSnapshot(seed)), random),
  'pools with replicas': (seed, random) => withDrift(withReplicas(randomSnapshot(seed), random), random),
}

const claimsOf = ({ actions }: Decision): readonly CreateClaim[] => actions.filter((action) => action.kind === 'createClaim')

/** Rooms of one subnet for all classes, or of a subnet for each class. */
function roomsOf(given: ClusterSnapshot, random: Random, most: number): ReadonlyMap<NodeClassName, SubnetShare> {
  const isShared = random.chance(0.5)
  const shared = random.int(most + 1)
  return new Map(
    given.objects.nodeClass.map(({ name }) => [
      name,
      { subnet: isShared ? 'one' : `of ${name}`, machines: isShared ? shared : random.int(most + 1) },
    ]),
  )
}

/** Claims of replacements of which some are missing. */
function halfReplaced({ actions }: Decision): readonly string[] {
  const made = new Set<string>(claimsOf({ actions, reasons: [] }).map(({ draft }) => draft.name))
  return actions.flatMap((action) => (action.kind === 'startCommand' ? action.command.replacements.filter((name) => !made.has(name)) : []))
}

describe.each(Object.entries(KINDS))('whatever a decision is about: %s', (kind, clusterOf) => {
  it('no subnet is asked for more addresses than it has, and nothing changes where it has enough', { timeout: 10 * 60_000 }, () => {
    let limited = 0
    for (const seed of seedsOf(CASES)) {
      const random = createRandom(seed * 17)
      const given = clusterOf(seed, random)
      const free = decide(given)
      const wanted = claimsOf(free).length
      if (wanted === 0) continue
      // Moves that are tried and given up may have needed more than those that begin.
      const enough = new Map([...roomsOf(given, random, 0)].map(([name, { subnet }]) => [name, { subnet, machines: PLENTY }] as const))
      expect(decide({ ...given, subnetRooms: enough }), `seed ${seed}`).toEqual(free)
      const subnetRooms = roomsOf(given, random, wanted)
      const decided = decide({ ...given, subnetRooms })
      const asked = Map.groupBy(claimsOf(decided), ({ draft }) => subnetRooms.get(draft.spec.nodeClassRef.name)?.subnet)
      for (const { subnet, machines } of subnetRooms.values())
        expect(asked.get(subnet)?.length ?? 0, `seed ${seed}, subnet ${subnet}`).toBeLessThanOrEqual(machines)
      expect(halfReplaced(decided), `seed ${seed}`).toEqual([])
      if (claimsOf(decided).length < wanted) {
        limited++
        // Consolidation may find other moves that need fewer machines. All else waits for an address, and says so.
        const codes = new Set(decided.reasons.map(({ code }) => code))
        if (kind !== 'cheaper machines') expect(codes.has('AZURE.SUBNET_FULL'), `seed ${seed}`).toBe(true)
      }
    }
    // The rule is needed often enough to be tested.
    expect(limited).toBeGreaterThan(CASES / 40)
  })
})
