import { describe, expect, it } from 'vitest'
import { HOUR, hence, MINUTE, NOW } from '../../../../../test/builders/clock.ts'
import { node } from '../../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../../../test/builders/pod.ts'
import { snapshot } from '../../../../../test/builders/snapshot.ts'
import { checkPlan } from '../../../../../test/checker/checkPlan.ts'
import { type ClaimRefusal, claimAskOf } from '../../../../model/claimRefusal.ts'
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import type { NodePool } from '../../../../model/nodePool.ts'
import type { Pod } from '../../../../model/pod.ts'
import { decide } from '../../../loadedCluster.ts'

const HEAVY = nodePool({ name: 'heavy', weight: 10 })
const LIGHT = nodePool({ name: 'light' })
const waiting = (shape: PodShape = {}): Pod => pod({ unschedulableSince: NOW, ...shape })

function refusal(pool: NodePool, of: Pod): ClaimRefusal {
  const { name, meta } = pool
  return {
    nodePool: name,
    uid: meta.uid,
    generation: meta.generation,
    ask: claimAskOf(of),
    message: 'denied',
    times: 1,
    until: hence(MINUTE),
  }
}

function given(pods: readonly Pod[], claimRefusals: readonly ClaimRefusal[], pools: readonly NodePool[] = [HEAVY, LIGHT]): ClusterSnapshot {
  return snapshot({ claimRefusals, objects: { pod: pods, nodePool: pools } })
}

/** The NodePools of the claims that a decision makes, with the pods of each. */
function made(world: ClusterSnapshot): readonly string[] {
  const decision = decide(world)
  expect(checkPlan(world, decision)).toEqual([])
  return decision.actions.flatMap((action) =>
    action.kind === 'createClaim' ? [`${action.draft.nodePool}: ${action.pods.map(({ key }) => key.split('/')[1]).join(' ')}`] : [],
  )
}

describe.each(['price', 'firstFit'] as const)('a refused claim, with placement %s', (placement) => {
  const settings = snapshot({ settings: { placement } }).settings
  const inMode = (world: ClusterSnapshot): ClusterSnapshot => ({ ...world, settings })

  it('is made of the next NodePool', () => {
    const web = waiting({ name: 'web' })
    expect(made(inMode(given([web], [])))).toEqual(['heavy: web'])
    expect(made(inMode(given([web], [refusal(HEAVY, web)])))).toEqual(['light: web'])
  })

  it('concerns no pods that ask for something else, even of the same form', () => {
    const [small, large] = [waiting({ name: 'small', cpus: 1 }), waiting({ name: 'large', cpus: 2 })]
    expect(made(inMode(given([small, large], [refusal(HEAVY, large)], [HEAVY])))).toEqual(['heavy: small'])
  })

  it('keeps no pod from a node of the NodePool', () => {
    const web = waiting({ name: 'web' })
    const claim = nodeClaim({ name: 'heavy-a', nodePool: 'heavy' })
    const world = given([web], [refusal(HEAVY, web)])
    const { actions } = decide({
      ...world,
      settings,
      objects: { ...world.objects, nodeClaim: [claim], node: [node({ claim: claim.name })] },
    })
    expect(actions.filter(({ kind }) => kind === 'createClaim' || kind === 'nominate')).toMatchObject([
      { kind: 'nominate', claim: 'heavy-a' },
    ])
  })

  it('is told with the text of the API server, and looked at again at its end', () => {
    const web = waiting({ name: 'web' })
    const { actions, reasons, wakeAt } = decide(inMode(given([web], [refusal(HEAVY, web)], [HEAVY])))
    expect(actions.filter(({ kind }) => kind === 'createClaim')).toEqual([])
    expect(reasons).toMatchObject([
      {
        code: 'SCHEDULING.CLAIM_REFUSED',
        message: expect.stringMatching(
          /^nodepool heavy: .*denied; such a nodeclaim is tried again from 2026-01-01T00:01:00Z; to do: change/,
        ),
        per: [{ code: 'SCHEDULING.CLAIM_REFUSED', subject: { kind: 'nodePool', name: 'heavy' } }],
      },
    ])
    expect(wakeAt).toBe(hence(MINUTE))
  })

  it('does not count once its time is over, or the NodePool has changed', () => {
    const web = waiting({ name: 'web' })
    const over = { ...refusal(HEAVY, web), until: NOW }
    expect(made(inMode(given([web], [over])))).toEqual(['heavy: web'])
    const changed = { ...refusal(HEAVY, web), generation: HEAVY.meta.generation - 1 }
    expect(made(inMode(given([web], [changed])))).toEqual(['heavy: web'])
    expect(made(inMode(given([web], [{ ...refusal(HEAVY, web), until: hence(HOUR) }])))).toEqual(['light: web'])
  })
})
