import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { instanceType, offering, oneOf } from '../builders/instanceType.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { checkPlan } from './checkPlan.ts'

/** Two pods that keep apart, and a reservation that pays for so many machines. */
function cluster(remaining: number | undefined): ClusterSnapshot {
  const plain = offering({ price: 0.4 })
  const reserved = offering({ capacityType: 'reserved', price: 0.01 })
  const paid =
    remaining === undefined
      ? []
      : [{ ...reserved, reservation: { id: 'r', remaining }, requirements: [oneOf(LABEL.reservation, ['r']), ...reserved.requirements] }]
  const apart = {
    required: [
      {
        topologyKey: LABEL.hostname,
        selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
        namespaces: [],
        matchLabelKeys: [],
        mismatchLabelKeys: [],
      },
    ],
    preferred: [],
  }
  return snapshot({
    types: [instanceType({ offerings: [plain, ...paid] })],
    objects: { pod: ['a', 'b'].map((name) => pod({ name, labels: { app: 'web' }, podAntiAffinity: apart })) },
  })
}

describe('what is checked of reservations', () => {
  it('finds nothing where as many claims are held to one as it pays for', () => {
    expect(checkPlan(cluster(2), decideProvisioning(cluster(2)))).toEqual([])
    expect(checkPlan(cluster(1), decideProvisioning(cluster(1)))).toEqual([])
  })

  it('sees more claims than it pays for', () => {
    expect(checkPlan(cluster(1), decideProvisioning(cluster(2))).join('\n')).toContain('more claims are held to it than it pays for')
  })

  it('sees a claim that could take what it is not held to', () => {
    const open = decideProvisioning(cluster(undefined))
    const actions = open.actions.map((action) => {
      if (action.kind !== 'createClaim') return action
      const requirements = action.draft.spec.requirements.filter((each) => each.key !== LABEL.capacityType)
      return { ...action, draft: { ...action.draft, spec: { ...action.draft.spec, requirements } } }
    })
    expect(checkPlan(cluster(1), { ...open, actions }).join('\n')).toContain('it may use reservation r, which it is not held to')
  })
})
