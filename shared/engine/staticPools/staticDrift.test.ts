import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import type { CreateClaim, Decision } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import { nodeName, nodePoolName } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Budget } from '../../model/nodePool.ts'
import { fleetSnapshotOf } from '../cluster/fleet.ts'
import { decideStaticDrift, type StaticDrift } from './staticDrift.ts'

const NOTHING: Decision = { actions: [], reasons: [] }
const DRIFTED = condition('Drifted', { lastTransitionAt: ago(MINUTE) })

function decided(shape: SnapshotShape, drift: Partial<StaticDrift> = {}): Decision {
  return decideStaticDrift(fleetSnapshotOf(snapshot(shape)), { expecting: () => new Map(), ending: new Set(), others: NOTHING, ...drift })
}

/** A static pool with `count` drifted machines, named `<pool>-0` and so on. */
function cluster(shape: NodePoolShape, count: number, of: (index: number) => NodeClaimShape = () => ({})) {
  const pool = nodePool({ disruption: { budgets: [{ nodes: '100%' }] }, ...shape })
  const nodeClaims = Array.from({ length: count }, (_, index) => {
    const claim = nodeClaim({ name: `${pool.name}-${index}`, nodePool: pool.name, ...of(index) })
    const isMarked = claim.status.conditions.some(({ type }) => type === 'Drifted')
    return isMarked ? claim : { ...claim, status: { ...claim.status, conditions: [...claim.status.conditions, DRIFTED] } }
  })
  const nodes = nodeClaims.map(({ name }) => node({ claim: name, meta: { labels: { 'karpenter.sh/nodepool': pool.name } } }))
  return { objects: { nodePool: [pool], nodeClaim: nodeClaims, node: nodes } }
}

function together(...clusters: readonly ReturnType<typeof cluster>[]) {
  return {
    objects: {
      nodePool: clusters.flatMap(({ objects }) => objects.nodePool),
      nodeClaim: clusters.flatMap(({ objects }) => objects.nodeClaim),
      node: clusters.flatMap(({ objects }) => objects.node),
    },
  }
}

const budget = (nodes: string): { readonly disruption: { readonly budgets: readonly Budget[] } } => ({
  disruption: { budgets: [{ nodes }] },
})

function commands({ actions }: Decision): readonly DisruptionCommand[] {
  return actions.flatMap((action) => (action.kind === 'startCommand' ? [action.command] : []))
}

function created({ actions }: Decision): readonly CreateClaim[] {
  return actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
}

const replaced = (decision: Decision): readonly string[] =>
  commands(decision).flatMap(({ candidates }) => candidates.map(({ claim }) => claim))
const codes = ({ reasons }: Decision): readonly string[] => [...new Set(reasons.map(({ code }) => code))]

const isFalse: NodeClaimShape = { status: { conditions: [condition('Initialized'), { ...DRIFTED, status: 'False' }] } }

const COUNTS: { readonly [sentence: string]: readonly [given: SnapshotShape, moves: number, codes?: readonly string[]] } = {
  'SD-01 a budget of two': [cluster({ replicas: 5, ...budget('2') }, 5), 2, ['DISRUPTION.BUDGET']],
  'SD-02 a budget of a fifth': [cluster({ replicas: 5, ...budget('20%') }, 5), 1, ['DISRUPTION.BUDGET']],
  'SD-03 several pools with budgets of their own': [
    together(
      cluster({ name: 'a', replicas: 4, ...budget('1') }, 4),
      cluster({ name: 'b', replicas: 3, ...budget('2') }, 3),
      cluster({ name: 'c', replicas: 2 }, 2),
    ),
    5,
    ['DISRUPTION.BUDGET'],
  ],
  'SD-04 no room under the limit': [cluster({ replicas: 5, limits: { nodes: 5 } }, 5), 0, ['DISRUPTION.NO_ROOM']],
  'SD-05 room, since machines are missing': [cluster({ replicas: 5, limits: { nodes: 5 } }, 2), 2],
  'SD-06 room for two': [cluster({ replicas: 5, limits: { nodes: 7 } }, 5), 2, ['DISRUPTION.NO_ROOM']],
  'SD-07 room for one': [cluster({ replicas: 5, limits: { nodes: 6 } }, 5), 1, ['DISRUPTION.NO_ROOM']],
  'SD-08 a machine too many, which goes first': [cluster({ replicas: 1 }, 2), 0, ['DISRUPTION.PENDING']],
  'SD-08 none too many any more': [cluster({ replicas: 1 }, 1), 1],
  'SD-09 a pool without room beside one with room': [
    together(cluster({ name: 'a', replicas: 2, limits: { nodes: 2 } }, 2), cluster({ name: 'b', replicas: 3 }, 3)),
    3,
    ['DISRUPTION.NO_ROOM'],
  ],
  'SD-10 a pool of none': [cluster({ replicas: 0 }, 0), 0],
  'SD-11 no limit': [cluster({ replicas: 5 }, 5), 5],
  'SD-13 a condition that says no': [cluster({ replicas: 2 }, 2, () => isFalse), 0],
  'a budget of none': [cluster({ replicas: 2, ...budget('0') }, 2), 0, ['DISRUPTION.BUDGET']],
  'a pool without replicas': [cluster({}, 2), 0],
  'a pool that goes': [cluster({ replicas: 2, meta: { deletedAt: NOW } }, 2), 0],
  'a pool that is not ready': [
    cluster({ replicas: 1, status: { conditions: [condition('Ready', { status: 'False' })], resources: {} } }, 1),
    0,
    ['DISRUPTION.NO_ROOM'],
  ],
  'a frozen pool': [
    cluster({ replicas: 1, meta: { annotations: { 'joiner.dev/freeze-disruption': 'true' } } }, 1),
    0,
    ['DISRUPTION.FROZEN'],
  ],
  'no machine that can be bought': [
    {
      ...cluster({ replicas: 1 }, 1),
      unavailable: (['spot', 'on-demand'] as const).map((capacityType) => ({
        scope: { kind: 'capacityType', capacityType },
        until: hence(MINUTE),
        code: 'AZURE.QUOTA.SPOT',
        message: 'no',
      })),
    },
    0,
    ['DISRUPTION.NO_ROOM'],
  ],
  'a move that came to nothing, on a machine without pods': [
    {
      ...cluster({ replicas: 1 }, 1),
      backOffs: [
        {
          claims: [nodeClaim({ name: 'default-0' }).name],
          pools: [nodePoolName('default')],
          failures: 1,
          failedAt: ago(MINUTE),
          until: hence(MINUTE),
        },
      ],
    },
    0,
    ['DISRUPTION.RESTING'],
  ],
}

describe('drifted machines of a static pool', () => {
  for (const [sentence, [given, moves, why = []]] of Object.entries(COUNTS)) {
    it(`${sentence}: ${moves}`, () => {
      const decision = decided(given)
      expect(commands(decision)).toHaveLength(moves)
      expect(new Set(created(decision).map(({ draft }) => draft.name)).size).toBe(moves)
      expect(codes(decision)).toEqual(why)
    })
  }

  it('SD-12 are those with the condition, the longest drifted first', () => {
    const since = [MINUTE, HOUR, 2 * MINUTE]
    const given = cluster({ replicas: 4, ...budget('2') }, 3, (index) => ({
      status: { conditions: [condition('Initialized'), condition('Drifted', { lastTransitionAt: ago(since[index] ?? 0) })] },
    }))
    expect(replaced(decided(given))).toEqual(['default-1', 'default-2'])
  })

  it('SD-14 are left alone where the node says so', () => {
    const given = cluster({ replicas: 1 }, 1)
    const nodes = given.objects.node.map((each) => ({
      ...each,
      meta: { ...each.meta, annotations: { [ANNOTATION.doNotDisrupt]: 'true' } },
    }))
    expect(codes(decided({ objects: { ...given.objects, node: nodes } }))).toEqual(['DISRUPTION.DO_NOT_DISRUPT'])
  })

  it('are replaced one by one, by a machine of the bare template, whatever pods they run', () => {
    const given = cluster({ replicas: 1, template: { labels: { team: 'new' } } }, 1)
    const web = pod({ name: 'web', nodeName: nodeName(given.objects.node[0]?.name ?? ''), phase: 'Running' })
    const decision = decided({ objects: { ...given.objects, pod: [web] }, decision: 7 })
    const [replacement] = created(decision)
    expect(replacement).toMatchObject({ command: '7-0', pods: [], draft: { labels: { team: 'new' }, spec: { requests: {} } } })
    expect(commands(decision)).toMatchObject([
      {
        id: '7-0',
        reason: 'Drifted',
        method: 'replace',
        replacements: [replacement?.draft.name],
        candidates: [{ claim: 'default-0', pods: [{ key: 'default/web' }] }],
      },
    ])
  })

  it('count what the same decision does besides', () => {
    const given = cluster({ replicas: 2, limits: { nodes: 3 } }, 2)
    const first = decided(given)
    expect(replaced(first)).toEqual(['default-0'])
    expect(replaced(decided(given, { others: first }))).toEqual([])
    const free = cluster({ replicas: 2 }, 2)
    const again = decided(free, { others: first })
    expect(commands(again).map(({ id }) => id)).toEqual(['1-1', '1-2'])
    const names = [...created(first), ...created(again)].map(({ draft }) => draft.name)
    expect(new Set(names).size).toBe(3)
    expect(replaced(decided({ ...cluster({ replicas: 2, ...budget('1') }, 2) }, { ending: new Set(['default-1']) }))).toEqual([])
  })

  it('are looked at when moves are, and in the same way in whichever order they come', () => {
    const given = cluster({ replicas: 3, limits: { nodes: 5 } }, 3)
    expect(decided({ ...given, disruptionResumesAt: hence(MINUTE) })).toEqual({ actions: [], reasons: [], wakeAt: hence(MINUTE) })
    const { nodeClaim: claims, node: nodes, ...rest } = given.objects
    expect(decided({ objects: { ...rest, nodeClaim: claims.toReversed(), node: nodes.toReversed() } })).toEqual(decided(given))
  })
})
