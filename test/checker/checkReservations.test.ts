import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { nodeClaimName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import { NOW } from '../builders/clock.ts'
import { instanceType, offering, oneOf } from '../builders/instanceType.ts'
import { nodeClaim, providerIdOf } from '../builders/nodeClaim.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { checkPlan, violationsOf } from './checkPlan.ts'

/** Two pods with anti-affinity, and a reservation with room for this many machines. */
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

/** A decision that makes one claim, with this draft. */
function decisionOf(draft: NodeClaimDraft): Decision {
  const given = decideProvisioning(cluster(2))
  const [create] = given.actions.filter((action) => action.kind === 'createClaim')
  return create === undefined ? given : { actions: [{ ...create, draft: { ...draft, name: nodeClaimName('fresh') } }], reasons: [] }
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

  it('counts claims that are on their way, and drafts', () => {
    const [first] = decideProvisioning(cluster(2)).actions.filter((action) => action.kind === 'createClaim')
    const draft = first?.draft
    if (draft === undefined) throw new Error('no claim is made')
    const claim = nodeClaim({ name: draft.name, stage: 'created', spec: draft.spec })
    const withClaim = (shape: Partial<typeof claim>): ClusterSnapshot => {
      const given = cluster(1)
      return { ...given, objects: { ...given.objects, nodeClaim: [{ ...claim, ...shape }] } }
    }
    const found = (given: ClusterSnapshot): readonly string[] =>
      violationsOf(given, decisionOf(draft)).flatMap(({ rule }) => (rule === 'reservation' ? [rule] : []))
    const other = { ...draft, name: nodeClaimName('other') }
    expect(found(withClaim({}))).toEqual(['reservation'])
    expect(found({ ...cluster(1), drafts: [other] })).toEqual(['reservation'])
    expect(found({ ...withClaim({ name: other.name }), drafts: [other] })).toEqual(['reservation'])
    // `remaining` no longer includes a launched claim. A deleted claim never uses the reservation.
    expect(found(withClaim({ status: { ...claim.status, providerId: providerIdOf('x') } }))).toEqual([])
    expect(found(withClaim({ meta: { ...claim.meta, deletedAt: NOW } }))).toEqual([])
    expect(
      found({ ...withClaim({ name: other.name, status: { ...claim.status, providerId: providerIdOf('x') } }), drafts: [other] }),
    ).toEqual([])
  })

  it('does not count a claim that may take another', () => {
    const open = decideProvisioning(cluster(2))
    const actions = open.actions.map((action) => {
      if (action.kind !== 'createClaim') return action
      const requirements = action.draft.spec.requirements.map((each) =>
        each.key === LABEL.reservation ? { ...each, values: ['r', 's'] } : each,
      )
      return { ...action, draft: { ...action.draft, spec: { ...action.draft.spec, requirements } } }
    })
    expect(violationsOf(cluster(1), { ...open, actions }).filter(({ rule }) => rule === 'reservation')).toEqual([])
  })
})
