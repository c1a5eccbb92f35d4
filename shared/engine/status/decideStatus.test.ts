import { describe, expect, it } from 'vitest'
import { ago, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { conditionsOf, eventsOf, statusOf } from '../../../test/builders/decided.ts'
import { instanceType, offering } from '../../../test/builders/instanceType.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { type NodePoolShape, nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { nodeClaimName, uid } from '../../model/ids.ts'
import { LABEL, type Meta } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { RegistrationOutcome } from '../../model/nodePool.ts'
import type { EpochMs } from '../../model/units.ts'
import { annotationsOfPool } from '../scheduling/model/catalog/template.ts'
import { withStatus } from './decideStatus.ts'

type Count = {
  readonly claims: readonly NodeClaim[]
  readonly nodes?: readonly Node[]
  readonly replicas?: number
  readonly want: readonly [nodes: number, millicores: number]
}

/** What is counted of a pool as its machines come and go. A node may have another capacity than its claim promised. */
const LIFE: { readonly [when: string]: Count } = {
  'none before there is a machine': { claims: [nodeClaim({ stage: 'created' })], want: [0, 0] },
  'the claim of a machine without a node': { claims: [nodeClaim({ stage: 'launched' })], want: [1, 4000] },
  'the claim while the node comes up': {
    claims: [nodeClaim({ stage: 'registered' })],
    nodes: [node({ initialized: false, capacity: {} })],
    want: [1, 4000],
  },
  'the node once it is initialized': { claims: [nodeClaim()], nodes: [node({ capacity: { cpu: 3900 } })], want: [1, 3900] },
  'a second machine': {
    claims: [nodeClaim(), nodeClaim({ name: 'default-b', stage: 'launched' })],
    nodes: [node()],
    want: [2, 8000],
  },
  'the one that stays': {
    claims: [nodeClaim(), nodeClaim({ name: 'default-b', meta: { deletedAt: ago(SECOND) } })],
    nodes: [node(), node({ claim: 'default-b' })],
    want: [1, 4000],
  },
  'none when all go': { claims: [nodeClaim({ meta: { deletedAt: ago(SECOND) } })], nodes: [node()], want: [0, 0] },
  'the machines of a static pool in the same way': { claims: [nodeClaim()], nodes: [node()], replicas: 3, want: [1, 4000] },
}

const fresh = { status: { conditions: [], images: [] } }
const bare = { conditions: [], resources: {} }

describe('status', () => {
  it('of new objects becomes ready at once, says so once, and then is not written again', () => {
    const before = snapshot({ objects: { nodePool: [nodePool({ status: bare })], nodeClass: [nodeClass(fresh)] } })
    const first = statusOf(before)
    expect(first.actions.map((action) => action.kind)).toEqual(['patchNodeClassStatus', 'publish', 'patchNodePoolStatus', 'publish'])
    expect(eventsOf(first)).toEqual(['nodeClass/default Normal Ready', 'nodePool/default Normal Ready'])
    const second = withStatus(before, first)
    expect(second.objects.nodePool[0]?.status.conditions.map((each) => [each.type, each.status])).toEqual([
      ['ValidationSucceeded', 'True'],
      ['NodeClassReady', 'True'],
      ['NodeRegistrationHealthy', 'Unknown'],
      ['Ready', 'True'],
    ])
    expect(statusOf(second).actions).toEqual([])
  })

  it('of a pool comes with the hash that its claims get, in annotations, written only where they differ', () => {
    const hash = 'karpenter.sh/nodepool-hash'
    const version = 'karpenter.sh/nodepool-hash-version'
    const written = (shape: NodePoolShape) =>
      statusOf(snapshot({ objects: { nodePool: [nodePool({ status: bare, ...shape })] } })).actions.filter(
        ({ kind }) => kind === 'annotateNodePool',
      )
    const annotations = annotationsOfPool(nodePool())
    expect(Object.keys(annotations)).toEqual([hash, version])
    const write = [{ kind: 'annotateNodePool', nodePool: 'default', annotations }]
    expect(written({ meta: { annotations: {} } })).toEqual(write)
    expect(written({ meta: { annotations: { ...annotations, [hash]: '1' } } })).toEqual(write)
    expect(written({ meta: { annotations: { ...annotations, [version]: 'v2' } } })).toEqual(write)
    expect(written({ meta: { annotations: { ...annotations, note: 'of a user' } } })).toEqual([])
    const template = { labels: { team: 'new' } }
    expect(written({ meta: { annotations }, template })).toEqual([{ ...write[0], annotations: annotationsOfPool(nodePool({ template })) }])
    expect(written({ meta: { annotations: {}, deletedAt: ago(SECOND) } })).toEqual([])
    const others = { ...nodeClassRef('default'), group: 'karpenter.k8s.aws' }
    expect(written({ meta: { annotations: {} }, template: { nodeClassRef: others } })).toEqual([])
  })

  it.each(Object.entries(LIFE))('PN-10 CL-17 counts %s', (_when, { claims, nodes = [], replicas, want }) => {
    const pools = [nodePool({ status: bare, ...(replicas === undefined ? {} : { replicas }) }), nodePool({ name: 'other', status: bare })]
    const { actions } = statusOf(snapshot({ objects: { nodePool: pools, nodeClaim: claims, node: nodes } }))
    const counted = actions.flatMap((action) =>
      action.kind === 'patchNodePoolStatus' ? [[action.nodePool, action.nodes, action.resources['cpu']]] : [],
    )
    expect(counted).toEqual([
      ['default', ...want],
      ['other', 0, 0],
    ])
  })

  it('counts launched machines, not those that go or were not launched', () => {
    const objects = {
      node: [node()],
      nodeClaim: [
        nodeClaim(),
        nodeClaim({ name: 'default-b', stage: 'launched' }),
        nodeClaim({ name: 'default-c', stage: 'created' }),
        nodeClaim({ name: 'default-d', stage: 'launched', meta: { deletedAt: ago(SECOND) } }),
        nodeClaim({ name: 'other-a', nodePool: 'other', stage: 'launched' }),
      ],
    }
    const [patch] = statusOf(snapshot({ objects })).actions
    expect(patch).toMatchObject({ nodes: 2, resources: { nodes: 2, cpu: 8000, memory: 32 * 1024 ** 3, pods: 220, 'ephemeral-storage': 0 } })
  })

  it.each([
    ['RG-18 a node that joined', true, ['True', undefined]],
    ['LV-11 two nodes that never came', false, ['False RegistrationFailed', 'True']],
  ] as const)('%s: counts for the pool that its claim was made for, not for a later one of the name', (_sentence, joined, want) => {
    const outcomes = (createdAt: EpochMs): readonly RegistrationOutcome[] =>
      ['a', 'b'].map((each) => {
        const whose = { claim: nodeClaimName(each), uid: uid(each), createdAt }
        return joined ? { joined, ...whose } : { joined, ...whose, reason: 'RegistrationFailed', message: 'it never came' }
      })
    const pool = nodePool({ status: bare, meta: { createdAt: ago(10 * MINUTE) } })
    const healthOf = (createdAt: EpochMs) => {
      const registrationOutcomes = new Map([[pool.name, outcomes(createdAt)]])
      const said = conditionsOf({ objects: { nodePool: [pool] }, registrationOutcomes }, 'patchNodePoolStatus')
      return [said?.['NodeRegistrationHealthy'], said?.['NodeCreationPaused']]
    }
    expect(healthOf(ago(10 * MINUTE + SECOND))).toEqual(['Unknown AwaitingRegistration', undefined])
    expect(healthOf(ago(10 * MINUTE))).toEqual(want)
  })

  it('restamps conditions when the object changed', () => {
    const changed = nodePool({ meta: { generation: 2 } })
    const [patch] = statusOf(snapshot({ objects: { nodePool: [changed] } })).actions
    expect(patch).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True', observedGeneration: 2 })]),
    })
  })
})

const POOLS: { readonly [sentence: string]: { readonly shape: NodePoolShape; readonly wantReason: string } } = {
  'a label that is the pool’s own': { shape: { template: { labels: { 'karpenter.sh/nodepool': 'x' } } }, wantReason: 'remove it' },
  'a restricted label': {
    shape: { template: { labels: { 'karpenter.sh/x': 'y' } } },
    wantReason: 'label "karpenter.sh/x": the label is restricted',
  },
  'a label value that is none': { shape: { template: { labels: { team: 'a b' } } }, wantReason: 'value "a b" is not a label value' },
  'a taint twice': {
    shape: { template: { taints: [{ key: 'a', effect: 'NoSchedule' }], startupTaints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } },
    wantReason: 'taint a=b:NoSchedule: key and effect are there twice',
  },
  'a requirement on the pool’s name': {
    shape: { template: { requirements: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['a'] }] } },
    wantReason: 'the label is set by its nodepool',
  },
  'capacity types of which there is none': {
    shape: { template: { requirements: [{ key: LABEL.capacityType, operator: 'In', values: ['spots', 'cheap'] }] } },
    wantReason: 'name at least one capacity type of spot, on-demand, reserved',
  },
  'a requirement without values': {
    shape: { template: { requirements: [{ key: 'team', operator: 'In', values: [] }] } },
    wantReason: 'operator In needs at least one value',
  },
}

describe('a NodePool', () => {
  for (const [sentence, { shape, wantReason }] of Object.entries(POOLS)) {
    it(`PN-11 with ${sentence} is not valid, and not ready`, () => {
      const [patch] = statusOf(snapshot({ objects: { nodePool: [nodePool(shape)] } })).actions
      expect(patch).toMatchObject({
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'ValidationSucceeded', status: 'False', message: expect.stringContaining(wantReason) }),
          expect.objectContaining({ type: 'Ready', status: 'False' }),
        ]),
      })
    })
  }

  it.each([['spot'], ['spot', 'cheap'], ['on-demand', 'reserved']])(
    'PN-11 with some capacity type that there is, %s, is valid',
    (...values) => {
      const pool = nodePool({ status: bare, template: { requirements: [{ key: LABEL.capacityType, operator: 'In', values }] } })
      expect(conditionsOf({ objects: { nodePool: [pool] } }, 'patchNodePoolStatus')).toMatchObject({ ValidationSucceeded: 'True' })
    },
  )

  it.each([
    ['kind', { kind: 'EC2NodeClass' }],
    ['group', { group: 'karpenter.k8s.aws' }],
    ['kind and group', { kind: 'EC2NodeClass', group: 'karpenter.k8s.aws' }],
  ])(
    'PN-08 PN-09 PN-10 PN-11 of a class of a foreign %s is left to its provider, though a class of ours has its name',
    (_what, foreign) => {
      const pool = nodePool({
        template: { nodeClassRef: { ...nodeClassRef('default'), ...foreign } },
        status: { conditions: [], resources: {} },
      })
      const { actions } = statusOf(snapshot({ objects: { nodePool: [pool], nodeClass: [nodeClass()] } }))
      expect(actions.filter((action) => action.kind === 'patchNodePoolStatus')).toEqual([])
      expect(eventsOf({ actions, reasons: [] }).filter((each) => each.startsWith('nodePool'))).toEqual([])
    },
  )

  it('PN-08 says what is wrong with its class', () => {
    const given = (classes: SnapshotShape['objects']) =>
      conditionsOf({ objects: { ...classes } }, 'patchNodePoolStatus')?.['NodeClassReady']
    expect(given({ nodeClass: [] })).toBe('False NodeClassNotFound')
    expect(given({ nodeClass: [nodeClass({ meta: { deletedAt: ago(MINUTE) } })] })).toBe('False NodeClassTerminating')
    expect(given({ nodeClass: [nodeClass({ spec: { vnetSubnetId: 'x' } })] })).toBe('False UnhealthyDependents')
    const unknown = conditionsOf({ types: [], objects: { nodeClass: [nodeClass(fresh)] } }, 'patchNodePoolStatus')
    expect(unknown?.['NodeClassReady']).toBe('False NodeClassReadinessUnknown')
  })

  it('that no size will ever do for says which requirement is to blame, in a condition and an event', () => {
    const impossible = nodePool({
      template: {
        requirements: [
          { key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: ['7777'] },
          { key: LABEL.arch, operator: 'In', values: ['amd64'] },
        ],
      },
    })
    const decision = statusOf(snapshot({ objects: { nodePool: [impossible] } }))
    const message =
      'none of the 12 sizes of the region meets karpenter.azure.com/sku-cpu In [7777] (values that exist: 2, 4, 8, 16); to do: change spec.template.spec.requirements of the nodepool'
    expect(decision.actions[0]).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'ValidationSucceeded', status: 'False', reason: 'NoCompatibleInstanceTypes', message }),
        expect.objectContaining({ type: 'Ready', status: 'False', message: `ValidationSucceeded=False: ${message}` }),
      ]),
    })
    expect(decision.actions[1]).toMatchObject({ kind: 'publish', event: { type: 'Warning', reason: 'NoCompatibleInstanceTypes', message } })
  })

  it('says when only all requirements together are too much', () => {
    const requirements = [
      { key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: ['16'] },
      { key: LABEL.arch, operator: 'In', values: ['arm64'] },
    ] as const
    const { actions } = statusOf(snapshot({ objects: { nodePool: [nodePool({ template: { requirements } })] } }))
    const message =
      'none of the 12 sizes of the region meets karpenter.azure.com/sku-cpu In [16]; kubernetes.io/arch In [arm64], all together; sizes that meet the others have karpenter.azure.com/sku-cpu 2, 4; sizes that meet the others have kubernetes.io/arch amd64; to do: change spec.template.spec.requirements of the nodepool'
    expect(actions[1]).toMatchObject({ kind: 'publish', event: { message } })
  })

  it('names the sizes that Joiner leaves out, with the rule', () => {
    const requirements = [{ key: LABEL.instanceType, operator: 'In', values: ['Standard_E8-4ds_v5'] }] as const
    const leftOutSizes = new Map([['Standard_E8-4ds_v5', 'have constrained CPUs']])
    const { actions } = statusOf(snapshot({ leftOutSizes, objects: { nodePool: [nodePool({ template: { requirements } })] } }))
    const message = expect.stringMatching(/\); Joiner leaves out Standard_E8-4ds_v5, since such sizes have constrained CPUs; to do: /)
    expect(actions[1]).toMatchObject({ kind: 'publish', event: { reason: 'NoCompatibleInstanceTypes', message } })
  })

  it.each<[string, SnapshotShape]>([
    ['the sizes are not known yet', { types: [] }],
    ['nothing can be bought now', { types: [instanceType({ offerings: [offering({ available: false })] })] }],
  ])('is not judged impossible while %s', (_sentence, shape) => {
    const requirements = [{ key: LABEL.zone, operator: 'In', values: ['eastus-1'] }] as const
    const { actions } = statusOf(snapshot({ ...shape, objects: { nodePool: [nodePool({ template: { requirements } })] } }))
    expect(actions).not.toContainEqual(
      expect.objectContaining({ kind: 'publish', event: expect.objectContaining({ reason: 'NoCompatibleInstanceTypes' }) }),
    )
  })

  it('warns on every pass while it is not ready, so that the event lives as long as the trouble', () => {
    const before = snapshot({ objects: { nodeClass: [] } })
    const first = statusOf(before)
    expect(eventsOf(first)).toEqual(['nodePool/default Warning NodeClassNotFound'])
    expect(eventsOf(statusOf(withStatus(before, first)))).toEqual(['nodePool/default Warning NodeClassNotFound'])
  })
})

const HELD = ['karpenter.azure.com/termination']
const GOING: Partial<Meta> = { deletedAt: ago(MINUTE), finalizers: HELD }

function decided(meta: Partial<Meta>, claims: readonly NodeClaim[] = []) {
  const objects = { nodeClass: [nodeClass({ meta })], nodePool: [nodePool()], nodeClaim: claims }
  const holds = statusOf(snapshot({ objects })).actions.flatMap((action) => {
    if (action.kind === 'holdNodeClass' || action.kind === 'releaseNodeClass') return [`${action.kind} ${action.nodeClass}`]
    return action.kind === 'publish' && action.event.reason === 'WaitingOnNodeClaimTermination' ? [action.event.message] : []
  })
  return holds
}

function claimsOf(count: number, className = 'default'): readonly NodeClaim[] {
  return Array.from({ length: count }, (_, index) =>
    nodeClaim({ name: `default-${count - index}`, spec: { nodeClassRef: nodeClassRef(className) } }),
  )
}

describe('NS-12 the finalizer of an AKSNodeClass', () => {
  it('is there from the start, and set once', () => {
    expect(decided({ finalizers: [] })).toEqual(['holdNodeClass default'])
    expect(decided({ finalizers: ['of/another'] })).toEqual(['holdNodeClass default'])
    expect(decided({ finalizers: HELD }, claimsOf(1))).toEqual([])
  })

  it('goes once no NodeClaim refers to the class', () => {
    expect(decided(GOING)).toEqual(['releaseNodeClass default'])
    expect(decided(GOING, claimsOf(2, 'other'))).toEqual(['releaseNodeClass default'])
    expect(decided({ ...GOING, finalizers: ['of/another'] })).toEqual([])
  })

  it('stays while NodeClaims refer to the class, and an Event names at most five of them', () => {
    expect(decided(GOING, claimsOf(2))).toEqual(['stays until the nodeclaims that refer to it are gone: default-1, default-2'])
    expect(decided(GOING, claimsOf(7))).toEqual([
      'stays until the nodeclaims that refer to it are gone: default-1, default-2, default-3, default-4, default-5 and 2 more',
    ])
  })
})
