import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { ASK_OF_NOBODY, type ClaimRefusal } from '../../model/claimRefusal.ts'
import type { CreateClaim, Decision } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import { nodeClassName, uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { durationMs, type EpochMs, epochMs } from '../../model/units.ts'
import { fleetSnapshotOf } from '../cluster/fleet.ts'
import { decideStaticPools } from './decideStaticPools.ts'

const NOTHING: Decision = { actions: [], reasons: [] }
const decided = (shape: SnapshotShape): Decision => decideStaticPools(fleetSnapshotOf(snapshot(shape)), NOTHING)

function created({ actions }: Decision): readonly CreateClaim[] {
  return actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
}

function ended({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'scaleDownClaim' ? [action.claim] : []))
}

/** A static pool with these machines. */
function cluster(
  pool: NodePoolShape,
  machines: readonly NodeClaimShape[] = [],
  podShapes: { readonly [claim: string]: readonly PodShape[] } = {},
) {
  const claims = machines.map(nodeClaim)
  const nodes = claims.filter(({ status }) => status.nodeName !== undefined).map(({ name }) => node({ claim: name }))
  const pods = Object.entries(podShapes).flatMap(([claim, shapes]) =>
    shapes.map((shape, index) => pod({ name: `${claim}-${index}`, nodeName: node({ claim }).name, phase: 'Running', ...shape })),
  )
  return { objects: { nodePool: [nodePool(pool)], nodeClaim: claims, node: nodes, pod: pods } }
}

const deleting = { meta: { deletedAt: ago(MINUTE) } }
const named = (...names: readonly string[]): readonly NodeClaimShape[] => names.map((name) => ({ name }))

const COUNTS: { readonly [sentence: string]: { readonly given: SnapshotShape; readonly makes: number } } = {
  'SP-02 a pool without replicas': { given: cluster({}), makes: 0 },
  'SP-02 a pool that is being deleted': { given: cluster({ replicas: 3, meta: { deletedAt: NOW } }), makes: 0 },
  'SP-02 a pool that is not ready': {
    given: cluster({ replicas: 3, status: { conditions: [condition('Ready', { status: 'False' })], resources: {} } }),
    makes: 0,
  },
  'SP-02 a pool of another provider': {
    given: cluster({
      replicas: 3,
      template: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClassName('default') } },
    }),
    makes: 0,
  },
  'a pool that pauses, since its last machines did not join': {
    given: cluster({ replicas: 3, status: { conditions: [condition('Ready'), condition('NodeCreationPaused')], resources: {} } }),
    makes: 0,
  },
  'SP-04 a pool without machines': { given: cluster({ replicas: 3 }), makes: 3 },
  'SP-05 a pool with some': { given: cluster({ replicas: 3 }, named('default-a', 'default-b')), makes: 1 },
  'SP-06 a pool with as many as it wants': { given: cluster({ replicas: 2 }, named('default-a', 'default-b')), makes: 0 },
  'SP-07 a pool at its limit': { given: cluster({ replicas: 3, limits: { nodes: 2 } }, named('default-a', 'default-b')), makes: 0 },
  'SP-08 a pool that reaches its limit': {
    given: cluster({ replicas: 15, limits: { nodes: 10 } }, named('default-a', 'default-b', 'default-c')),
    makes: 7,
  },
  'SP-08 a machine that goes, which counts against the limit': {
    given: cluster({ replicas: 2, limits: { nodes: 2 } }, [{ name: 'default-a' }, { name: 'default-b', ...deleting }]),
    makes: 0,
  },
  'SP-09 SU-05 a pool of no machines': { given: cluster({ replicas: 0 }), makes: 0 },
  'SP-11 a large pool': { given: cluster({ replicas: 500 }), makes: 500 },
  'SU-02 a machine that goes, which is replaced': {
    given: cluster({ replicas: 2 }, [{ name: 'default-a' }, { name: 'default-b', ...deleting }]),
    makes: 1,
  },
  'claims that the watch has not shown': {
    given: {
      ...cluster({ replicas: 3 }),
      drafts: created(decided({ ...cluster({ replicas: 2 }), decision: 7 })).map(({ draft }) => draft),
    },
    makes: 1,
  },
}

describe('machines that a static pool lacks', () => {
  for (const [sentence, { given, makes }] of Object.entries(COUNTS)) {
    it(`${sentence}: ${makes}`, () => {
      const decision = decided(given)
      expect(created(decision)).toHaveLength(makes)
      expect(ended(decision)).toEqual([])
      expect(new Set(created(decision).map(({ draft }) => draft.name)).size).toBe(makes)
    })
  }

  it('SP-03 are none in a pool that has more than it wants', () => {
    expect(created(decided(cluster({ replicas: 2 }, named('default-a', 'default-b', 'default-c'))))).toEqual([])
  })

  it('SP-10 are made as the template says, asking for no resources', () => {
    const taints = [{ key: 'dedicated', effect: 'NoSchedule' }] as const
    const template = {
      labels: { team: 'blue' },
      annotations: { 'example.com/note': 'yes' },
      taints,
      requirements: [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] }],
      terminationGracePeriod: durationMs(HOUR),
    } as const
    const [action] = created(decided(cluster({ name: 'fixed', replicas: 1, template })))
    expect(action).toMatchObject({
      pods: [],
      choice: { capacityType: 'on-demand' },
      draft: {
        nodePool: 'fixed',
        labels: { team: 'blue', [LABEL.nodePool]: 'fixed', [LABEL.nodeClass]: 'default' },
        annotations: { 'example.com/note': 'yes', [ANNOTATION.nodePoolHash]: expect.stringMatching(/./), [ANNOTATION.decision]: '1' },
        spec: { requests: {}, taints, terminationGracePeriod: HOUR, expireAfter: 720 * HOUR },
      },
    })
    expect(action?.draft.name).toMatch(/^fixed-/)
    const keys = action?.draft.spec.requirements.map(({ key }) => key) ?? []
    expect(keys).toContain(LABEL.capacityType)
    expect(keys).not.toContain(LABEL.registered)
  })

  it('have names that no claim has, and the same ones in whichever order the input comes', () => {
    const first = created(decided(cluster({ replicas: 2 })))
    const taken = named(...first.map(({ draft }) => draft.name)).map((shape) => ({ ...shape, ...deleting }))
    const given = cluster({ replicas: 2 }, taken)
    const again = created(decided(given)).map(({ draft }) => draft.name)
    expect(again).toHaveLength(2)
    expect(again.filter((name) => first.some(({ draft }) => draft.name === name))).toEqual([])
    const { nodeClaim: claims, node: nodes, ...rest } = given.objects
    const turned = { objects: { ...rest, nodeClaim: claims.toReversed(), node: nodes.toReversed() } }
    expect(created(decided(turned)).map(({ draft }) => draft.name)).toEqual(again)
  })

  it('are said to be over the limit', () =>
    expect(decided(cluster({ replicas: 3, limits: { nodes: 1 } }, named('default-a'))).reasons).toMatchObject([
      {
        code: 'POOL.LIMIT',
        subject: { kind: 'nodePool', name: 'default' },
        message: expect.stringContaining('limits.nodes is 1, and 1 nodes exist'),
      },
    ]))

  it('wait until a refused offering may be asked for again, and say so', () => {
    const until = hence(MINUTE)
    const unavailable = (['spot', 'on-demand'] as const).map(
      (capacityType) => ({ scope: { kind: 'capacityType', capacityType }, until, code: 'AZURE.QUOTA.SPOT', message: 'no' }) as const,
    )
    expect(decided({ ...cluster({ replicas: 1 }), unavailable })).toMatchObject({
      actions: [],
      reasons: [{ code: 'SCHEDULING.OFFERING', message: expect.stringMatching(/now; Azure is asked again from 2026-01-01T00:01:00Z$/) }],
      wakeAt: until,
    })
  })

  it('wait a little longer for what is refused again and again, each pool for a time of its own', () => {
    const again = { times: 2, at: NOW, openedAt: NOW, firstMs: MINUTE }
    const block = { until: hence(2 * MINUTE), code: 'AZURE.ALLOCATION.REGION', message: 'no', again } as const
    const unavailable = (['spot', 'on-demand'] as const).map(
      (capacityType) => ({ scope: { kind: 'capacityType', capacityType }, ...block }) as const,
    )
    const at = (name: string, takenAt = NOW) => decided({ ...cluster({ name, replicas: 1 }), unavailable, takenAt })
    const ends = ['one', 'other'].map((name) => at(name).wakeAt ?? NOW)
    expect(new Set(ends).size).toBe(2)
    for (const end of ends) expect(end).toBeGreaterThan(block.until)
    expect(at('one').reasons[0]?.message).toContain('Azure refused 2 times in a row and is asked again from 2026-01-01T00:02:0')
    expect(created(at('one', epochMs((ends[0] ?? NOW) - 1)))).toEqual([])
    expect(created(at('one', ends[0]))).toHaveLength(1)
  })

  it('do not wake for a refusal of what they do not allow', () => {
    const requirements = [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] }] as const
    const blocked = (capacityType: 'spot' | 'on-demand', until: EpochMs) =>
      ({ scope: { kind: 'capacityType', capacityType }, until, code: 'AZURE.QUOTA.SPOT', message: 'no' }) as const
    const unavailable = [blocked('spot', hence(MINUTE)), blocked('on-demand', hence(HOUR))]
    expect(decided({ ...cluster({ replicas: 1, template: { requirements } }), unavailable }).wakeAt).toBe(hence(HOUR))
  })

  it('cannot be made of sizes that are not there', () => {
    const requirements = [{ key: LABEL.instanceType, operator: 'In', values: ['none'] }] as const
    expect(decided(cluster({ replicas: 1, template: { requirements } }))).toEqual({
      actions: [],
      reasons: [expect.objectContaining({ code: 'POOL.NO_INSTANCE_TYPE' })],
    })
  })
})

describe('a claim of a static pool that the API server does not take', () => {
  const REFUSAL: ClaimRefusal = {
    nodePool: nodePool().name,
    uid: nodePool().meta.uid,
    generation: nodePool().meta.generation,
    ask: ASK_OF_NOBODY,
    message: 'denied',
    times: 1,
    until: hence(MINUTE),
  }

  it('is not made while the refusal holds', () => {
    expect(decided({ ...cluster({ replicas: 3 }), claimRefusals: [REFUSAL] })).toMatchObject({
      actions: [],
      reasons: [
        {
          code: 'SCHEDULING.CLAIM_REFUSED',
          subject: { kind: 'nodePool', name: 'default' },
          message: expect.stringMatching(
            /: denied; such a nodeclaim is tried again from 2026-01-01T00:01:00Z; to do: change spec\.template/,
          ),
        },
      ],
      wakeAt: hence(MINUTE),
    })
  })

  it('is tried alone after that', () => {
    const after = { claimRefusals: [{ ...REFUSAL, until: NOW }] }
    expect(created(decided({ ...cluster({ replicas: 3 }), ...after }))).toHaveLength(1)
    expect(created(decided({ ...cluster({ replicas: 3, limits: { nodes: 0 } }), ...after }))).toHaveLength(0)
    expect(created(decided({ ...cluster({ replicas: 3, meta: { generation: 9 } }), ...after }))).toHaveLength(3)
  })

  it('is not made if it breaks a rule of the definition, and the pool is told', () => {
    const requirements = Array.from({ length: 99 }, (_, index) => ({ key: `label-${index}`, operator: 'Exists', values: [] }) as const)
    const message = expect.stringMatching(/spec\.requirements: 10\d requirements, at most 100 are allowed; to do: change spec\.template/)
    expect(decided(cluster({ replicas: 3, template: { requirements } }))).toMatchObject({
      actions: [{ kind: 'publish', event: { subject: { kind: 'nodePool', name: 'default' }, reason: 'NodeClaimRefused', message } }],
      reasons: [{ code: 'SCHEDULING.CLAIM_INVALID', message }],
    })
  })
})

const DAEMON: PodShape = { owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: uid('agent') } }
const HELD: PodShape = { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } }
const CHEAP: PodShape = { priority: -(2 ** 24) }

/** One machine of each kind that a scale-down tells apart. Their names do not follow the order in which they go. */
const LADDER = cluster(
  { replicas: 6 },
  [...named('default-b', 'default-c', 'default-d', 'default-e', 'default-f', 'default-g'), { name: 'default-z', stage: 'created' }],
  {
    'default-b': [HELD],
    'default-c': [{}, {}],
    'default-d': [CHEAP],
    'default-e': [DAEMON],
    'default-f': [DAEMON, HELD],
  },
)
const LADDER_ORDER = ['default-z', 'default-e', 'default-g', 'default-d', 'default-c', 'default-b', 'default-f']

function ladder(replicas: number): SnapshotShape {
  return { objects: { ...LADDER.objects, nodePool: [nodePool({ replicas })] } }
}

const COMMAND: Omit<DisruptionCommand, 'candidates'> = {
  id: '1-0',
  reason: 'Drifted',
  method: 'replace',
  replacements: [],
  startedAt: NOW,
  deadline: hence(MINUTE),
}

describe('machines that a static pool has too many', () => {
  for (const replicas of [7, 6, 5, 4, 3, 2, 1, 0]) {
    it(`SU-03 SU-04 SU-07 SU-08 SU-09 SU-10 at ${replicas} of seven: without a machine first, then empty ones, then by cost, and what nobody may disrupt last`, () => {
      expect(ended(decided(ladder(replicas)))).toEqual(LADDER_ORDER.slice(0, 7 - replicas))
    })
  }

  it('SU-01 are left alone in a pool without replicas, one that is being deleted, and one that is not over its number', () => {
    const machines = named('default-a', 'default-b')
    expect(decided(cluster({}, machines)).actions).toEqual([])
    expect(decided(cluster({ replicas: 0, meta: { deletedAt: NOW } }, machines)).actions).toEqual([])
    expect(decided(cluster({ replicas: 2 }, machines)).actions).toEqual([])
  })

  it('SU-02 do not count when they go already', () => {
    const machines: readonly NodeClaimShape[] = [{ name: 'default-a' }, { name: 'default-b', ...deleting }]
    expect(ended(decided(cluster({ replicas: 1 }, machines)))).toEqual([])
  })

  it('go although the pool is not ready and its budgets allow nothing', () => {
    const pool: NodePoolShape = { replicas: 1, disruption: { budgets: [{ nodes: '0' }] }, status: { conditions: [], resources: {} } }
    expect(ended(decided(cluster(pool, named('default-a', 'default-b'))))).toEqual(['default-a'])
  })

  it('are claims that the watch has not shown before all others, which go once it does', () => {
    const drafts = created(decided({ ...cluster({ replicas: 1 }), decision: 7 })).map(({ draft }) => draft)
    expect(ended(decided({ ...cluster({ replicas: 2 }, named('default-a', 'default-b')), drafts }))).toEqual([])
    expect(ended(decided({ ...cluster({ replicas: 1 }, named('default-a', 'default-b')), drafts }))).toEqual(['default-a'])
  })

  it('are told about on claim and node', () => {
    const message = 'ScaledDown: nodepool default keeps 0 nodes, and nodeclaim default-a is one more'
    expect(decided(cluster({ replicas: 0 }, named('default-a'))).actions).toMatchObject([
      { kind: 'scaleDownClaim', claim: 'default-a' },
      { kind: 'publish', event: { subject: { kind: 'nodeClaim', name: 'default-a' }, reason: 'DisruptionTerminating', message } },
      { kind: 'publish', event: { subject: { kind: 'node' }, message } },
    ])
  })

  it('are not those that a disruption under way replaces, which are not missed either', () => {
    const given = cluster({ replicas: 2 }, named('default-a', 'default-b', 'default-c'))
    const [candidate] = given.objects.nodeClaim
    const replaced = {
      ...COMMAND,
      candidates:
        candidate === undefined
          ? []
          : [{ claim: candidate.name, uid: candidate.meta.uid, node: node().name, pool: nodePool().name, pods: [] }],
    }
    expect(decided({ ...given, commands: [replaced] })).toEqual(NOTHING)
    expect(ended(decided(given))).toEqual(['default-a'])
    const two = { ...cluster({ replicas: 2 }, named('default-a', 'default-b')), commands: [replaced] }
    expect(decided(two)).toEqual(NOTHING)
  })

  it('are those of the pool alone', () => {
    const other = nodeClaim({ name: 'other-a', nodePool: 'other' })
    const { objects } = cluster({ replicas: 1 }, named('default-a'))
    const given = {
      objects: { ...objects, nodePool: [...objects.nodePool, nodePool({ name: 'other' })], nodeClaim: [...objects.nodeClaim, other] },
    }
    expect(decided(given).actions).toEqual([])
  })
})
