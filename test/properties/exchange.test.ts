import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { createRandom } from '../agreement/random.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { shuffled } from '../scenarios/shuffle.ts'
import { outcomeOf } from './randomCase.ts'

type Case = {
  readonly snapshot: ClusterSnapshot
  readonly allowed: ReadonlyMap<string, readonly string[]>
  readonly most: ReadonlyMap<string, number>
}

/** Pools of one weight, each with its own size and a limit on machines. Each pod needs a machine of its own and may use some of the pools. */
function randomCase(seed: number): Case {
  const random = createRandom(seed)
  const names = Array.from({ length: 2 + random.int(4) }, (_, index) => `pool-${index}`)
  const most = new Map(names.map((name) => [name, 1 + random.int(2)]))
  const allowed = new Map(
    Array.from({ length: 2 + random.int(7) }, (_, index): readonly [string, readonly string[]] => {
      const some = random.some(names, 0.5)
      return [`default/p${index}`, some.length > 0 ? some : names]
    }),
  )
  const given = snapshot({
    types: names.map((_, index) => instanceType({ name: `size-${index}`, cpus: 4, memoryGib: 16, price: 0.2 + random.int(5) * 0.0003 })),
    objects: {
      nodePool: names.map((name, index) =>
        nodePool({
          name,
          limits: { nodes: most.get(name) ?? 0 },
          template: { requirements: [{ key: LABEL.instanceType, operator: 'In', values: [`size-${index}`] }] },
        }),
      ),
      pod: [...allowed].map(([key, values]) =>
        pod({
          name: key.slice('default/'.length),
          cpus: 2.5 + random.int(4) / 10,
          requiredNodeTerms: [{ matchExpressions: [{ key: LABEL.nodePool, operator: 'In', values }], matchFields: [] }],
        }),
      ),
    },
  })
  return { snapshot: shuffled(given, seed), allowed, most }
}

/** Refused pods that could take the place of another pod, if that pod moved to a free machine. */
function exchanges({ snapshot: given, allowed, most }: Case): readonly string[] {
  const { decision, refused } = outcomeOf(given)
  const placed = decision.actions.flatMap((action) =>
    action.kind === 'createClaim' ? action.pods.map(({ key }): readonly [string, string] => [key, action.draft.nodePool]) : [],
  )
  const free = [...most].filter(([pool, count]) => placed.filter(([, of]) => of === pool).length < count).map(([pool]) => pool)
  const may = (key: string): readonly string[] => allowed.get(key) ?? []
  return [...refused.keys()].flatMap((key) =>
    placed
      .filter(([other, pool]) => may(key).includes(pool) && may(other).some((each) => free.includes(each)))
      .map(([other]) => `${key} in the place of ${other}`),
  )
}

describe('pods of pools with limits', () => {
  it('are not refused where another pod could make way', () => {
    let refused = 0
    for (let seed = 1; seed <= 250; seed++) {
      const given = randomCase(seed)
      expect(exchanges(given), `seed ${seed}`).toEqual([])
      refused += outcomeOf(given.snapshot).refused.size
    }
    // Often there are too few machines for all pods.
    expect(refused).toBeGreaterThan(50)
  })
})
