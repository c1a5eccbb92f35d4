import { describe, expect, it } from 'vitest'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../../test/builders/pod.ts'
import { HOLDS_ALL } from '../../../../test/builders/podDisruptionBudget.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'

const [LIGHT, HEAVY] = [['default-a', 'default-b'], 'default-heavy'] as const

/** The claims that go together: two nodes with a pod each, and one node with room for both pods. One budget lets one pod be evicted. */
function gone(shape: PodShape): readonly string[] {
  const names = [...LIGHT, HEAVY]
  const { actions } = disruptionOf(
    snapshot({
      objects: {
        nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy: 'WhenEmptyOrUnderutilized' } })],
        nodeClaim: names.map((name) => nodeClaim({ name })),
        node: names.map((claim) => node({ claim })),
        pod: [
          ...LIGHT.map((name) => pod({ name, cpus: 0.5, labels: { app: 'web' }, nodeName: nodeNameOf(name), ...shape })),
          pod({ name: 'heavy', cpus: 2, nodeName: nodeNameOf(HEAVY), annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
        ],
        podDisruptionBudget: [{ ...HOLDS_ALL, selector: { matchLabels: { app: 'web' }, matchExpressions: [] }, disruptionsAllowed: 1 }],
      },
    }),
  )
  return actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.claim] : [])).sort()
}

describe('nodes whose pods share a PodDisruptionBudget', () => {
  it('go one by one', () => expect(gone({ phase: 'Running' })).toHaveLength(1))

  it('go together if the pods do not run yet: such a pod may always be evicted', () => expect(gone({ phase: 'Pending' })).toEqual(LIGHT))
})
