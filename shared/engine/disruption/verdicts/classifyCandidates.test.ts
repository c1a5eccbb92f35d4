import { expect, it } from 'vitest'
import { createRandom, type Random } from '../../../../test/agreement/random.ts'
import { ago, hence, NOW, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { HOLDS_ALL } from '../../../../test/builders/podDisruptionBudget.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { type NodeClaimName, nodeName, uid } from '../../../model/ids.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { durationMs } from '../../../model/units.ts'
import { createFleet, type FleetSnapshot, fleetSnapshotOf } from '../../cluster/fleet.ts'
import { NOBODY_LEAVES, type StateNode, stateNodeOf } from '../../cluster/stateNode.ts'
import { createClassifier } from './classifyCandidates.ts'
import { createCandidates } from './keptCandidates.ts'
import { createRules } from './verdicts.ts'

const CLAIMS = ['a', 'b', 'c', 'd', 'e', 'f']
/** Two nodes state the same provider ID, and share a claim. */
const NODES = [...CLAIMS, 'b', 'd'].map((claim, at) => ({ claim, name: nodeName(`node-${at}`) }))
const POOLS = [
  nodePool({ name: 'first', disruption: { consolidateAfter: durationMs(0) } }),
  nodePool({ name: 'second', disruption: { consolidateAfter: durationMs(20 * SECOND) } }),
  nodePool({ name: 'third', disruption: { consolidateAfter: 'Never' } }),
]
const ANNOTATIONS = [{}, {}, {}, { [ANNOTATION.doNotDisrupt]: 'true' }, { [ANNOTATION.doNotDisrupt]: '25s' }]
const BUDGETS = [[], [HOLDS_ALL]]

/** A machine in some state. */
function machine({ claim: name, name: node_ }: (typeof NODES)[number], random: Random): StateNode {
  const nodePool = random.pick(['first', 'first', 'second', 'third'])
  const lastPodEventAt = random.chance(0.3) ? { lastPodEventAt: hence(random.int(40) * SECOND) } : {}
  const base: NodeClaim = nodeClaim({ name, nodePool })
  const conditions = [...base.status.conditions, ...(random.chance(0.2) ? [condition('Drifted')] : [])]
  const claim = { ...base, status: { ...base.status, ...lastPodEventAt, conditions } }
  const pods = Array.from({ length: random.int(3) }, (_, at) =>
    pod({ name: `${name}-${at}`, nodeName: node_, phase: 'Running', startedAt: ago(0), annotations: random.pick(ANNOTATIONS) }),
  )
  return stateNodeOf({ ...node({ claim: name, nodePool }), name: node_ }, claim, pods, NOBODY_LEAVES)
}

/** What a decision is told besides the machines. */
function context(seconds: number, random: Random): Partial<FleetSnapshot> {
  const claims = CLAIMS.map((name) => nodeClaim({ name }).name)
  return {
    takenAt: hence(seconds * SECOND),
    nominations: random.chance(0.3) ? [{ pod: uid('p'), claim: random.pick(claims), until: hence(random.int(60) * SECOND) }] : [],
    backOffs: random.chance(0.3)
      ? [{ claims: [random.pick(claims)], pools: [], failures: 1, failedAt: NOW, until: hence(random.int(60) * SECOND) }]
      : [],
  }
}

it('candidates are sorted as at a first decision, whatever was decided before', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = createRandom(seed)
    const [fleet, candidates, rulesOf, classify] = [createFleet(), createCandidates(), createRules(), createClassifier()]
    const base = fleetSnapshotOf(snapshot({ objects: { nodePool: POOLS } }))
    let podDisruptionBudget = random.pick(BUDGETS)
    for (let look = 0; look < 40; look++) {
      for (const each of random.some(NODES, look === 0 ? 1 : 0.2))
        fleet.set(each.name, random.chance(0.2) ? undefined : machine(each, random))
      if (random.chance(0.1)) podDisruptionBudget = random.pick(BUDGETS)
      const objects = { ...base.objects, podDisruptionBudget }
      const now: FleetSnapshot = { ...base, ...context(random.chance(0.05) ? 0 : look, random), fleet, objects }
      const expected = new Map<NodeClaimName, 'pods' | 'buffers'>(
        random.some(CLAIMS, 0.1).map((name) => [nodeClaim({ name }).name, random.pick(['pods', 'buffers'])]),
      )
      const planner = { expecting: () => expected, ending: new Set(random.some(CLAIMS, 0.05)) }
      const [weighed, rules] = [candidates(now), rulesOf(now)]
      const kept = classify(weighed, rules, { snapshot: now, planner })
      const fresh = createClassifier()(createCandidates()(now), createRules()(now), { snapshot: now, planner })
      const plain = ({ pools, ...lists }: typeof kept) =>
        JSON.parse(
          JSON.stringify(
            { ...lists, weighed: undefined, withRoom: lists.withRoom.size, pools: [...pools].map(({ name }) => name).sort() },
            dropped,
          ),
        )
      expect(plain(kept), `seed ${seed}, look ${look}`).toEqual(plain(fresh))
      expect(kept.lasting.filter(({ subject }) => kept.reasons.some((other) => other.subject.name === subject.name))).toEqual([])
    }
  }
})

/** Answers that are kept with a candidate are no part of what it is. */
function dropped(key: string, value: unknown): unknown {
  return key === 'notes' || key === 'trial' ? undefined : value
}
