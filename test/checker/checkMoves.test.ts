import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { DeleteClaim } from '../../shared/model/decision.ts'
import { uid } from '../../shared/model/ids.ts'
import { ANNOTATION } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs } from '../../shared/model/units.ts'
import { ago, hence, MINUTE, NOW } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { disruptionCommand } from '../builders/disruptionCommand.ts'
import { type NodeShape, node } from '../builders/node.ts'
import { type NodeClaimShape, nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../builders/nodePool.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod, REPLICA_SET, STATEFUL_SET } from '../builders/pod.ts'
import { HOLDS_ALL } from '../builders/podDisruptionBudget.ts'
import { snapshot } from '../builders/snapshot.ts'
import { deletingBy, needsAPlace, problemsOfDeleting } from './checkMoves.ts'

type Machine = { readonly claim?: NodeClaimShape; readonly node?: NodeShape; readonly pods?: readonly PodShape[] }

type Given = {
  /** The machines `default-a`, `default-b` and so on. */
  readonly machines?: readonly Machine[]
  /** How many of these go, from the first on. Default: one. */
  readonly go?: number
  readonly reason?: DeleteClaim['because']
  readonly pool?: NodePoolShape
  readonly more?: Partial<ClusterSnapshot['objects']>
  readonly nominatedUntil?: ClusterSnapshot['takenAt']
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((letter) => `default-${letter}`)
const ALL = { disruption: { budgets: [] } } as const

function podsOf(machine: Machine, name: string): readonly Pod[] {
  return (machine.pods ?? []).map((shape, index) =>
    pod({ name: `${name}-${index}`, nodeName: nodeNameOf(name), phase: 'Running', ...shape }),
  )
}

function problems({ machines = [{}], go = 1, reason = 'Underutilized', pool = ALL, more = {}, nominatedUntil }: Given): readonly string[] {
  const named = machines.map((machine, index) => ({ machine, name: NAMES[index] ?? expect.fail('too many machines') }))
  const claims = named.map(({ machine, name }) => nodeClaim({ name, ...machine.claim }))
  const nodes = named.map(({ machine, name }) => node({ claim: name, ...machine.node }))
  const own = named.flatMap(({ machine, name }) => podsOf(machine, name))
  const { pod: others = [], ...objects } = more
  const world = snapshot({
    objects: { nodePool: [nodePool(pool)], nodeClaim: claims, node: nodes, pod: [...own, ...others], ...objects },
    ...(nominatedUntil === undefined
      ? {}
      : { nominations: claims.slice(0, 1).map(({ name }) => ({ pod: uid('coming'), claim: name, until: nominatedUntil })) }),
  })
  const actions = claims
    .slice(0, go)
    .map(({ name, meta }): DeleteClaim => ({ kind: 'deleteClaim', claim: name, uid: meta.uid, because: reason }))
  return problemsOfDeleting(world, deletingBy(world, { actions, reasons: [] }))
}

const HELD = { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } as const
const ENDING = { conditions: [condition('InstanceTerminating')] } as const
const GRACE = { spec: { terminationGracePeriod: durationMs(MINUTE) } } as const
const COMING = pod({ name: 'coming', nominatedNodeName: node({ claim: 'default-a' }).name, nominatedAt: NOW })

/** `says`: the rule that is broken. Undefined: none is. */
const ONE: { readonly [sentence: string]: Given & { readonly says?: string } } = {
  'a machine that nothing holds': {},
  'a machine that is not initialized': {
    machines: [{ node: { initialized: false } }],
    says: 'default-a goes as Underutilized though it is not initialized',
  },
  'a machine that is ending': { machines: [{ claim: { meta: { deletedAt: NOW } } }], says: 'though it is ending' },
  'a node that must not be disrupted': {
    machines: [{ node: { meta: HELD } }],
    says: 'though its node must not be disrupted',
  },
  'a node with the annotation and another value': {
    machines: [{ node: { meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'false' } } } }],
  },
  'a machine that a pod was promised to': { nominatedUntil: hence(1), says: 'though a pod was promised to it' },
  'a promise that is over': { nominatedUntil: NOW },
  'a machine that a pod is about to be bound to': { more: { pod: [COMING] }, says: 'though pod default/coming is about to be bound there' },
  'a pod that is about to be bound and that needs no place': { more: { pod: [{ ...COMING, owner: DAEMON_SET }] } },
  'a pod that was nominated long ago': { more: { pod: [{ ...COMING, nominatedAt: ago(10 * MINUTE) }] } },
  'a pod that must not be disrupted': { machines: [{ pods: [HELD] }], says: 'though pod default/default-a-0 must not be disrupted' },
  'such a pod that is ending': { machines: [{ pods: [{ ...HELD, deletedAt: NOW }] }] },
  'such a pod that has ended': {
    machines: [
      {
        pods: [
          { ...HELD, phase: 'Succeeded' },
          { ...HELD, phase: 'Failed' },
        ],
      },
    ],
  },
  'such a pod on another machine': { machines: [{}, { pods: [HELD] }] },
  'such a pod where drift may take its time': { reason: 'Drifted', machines: [{ claim: GRACE, pods: [HELD] }] },
  'such a pod of a drifted machine without a grace period': {
    reason: 'Drifted',
    machines: [{ pods: [HELD] }],
    says: 'goes as Drifted though pod',
  },
  'such a pod of a machine with a grace period that is not drifted': {
    machines: [{ claim: GRACE, pods: [HELD] }],
    says: 'must not be disrupted',
  },
  'an empty machine with a pod': { reason: 'Empty', machines: [{ pods: [{}] }], says: 'though a pod on it needs a place' },
  'an empty machine with pods that need no place': {
    reason: 'Empty',
    machines: [{ pods: [{ owner: DAEMON_SET }, { owner: NODE_OWNER }, { deletedAt: NOW }] }],
  },
  'a machine with pods of a pool that takes empty nodes alone': {
    pool: { disruption: { ...ALL.disruption, consolidationPolicy: 'WhenEmpty' } },
    says: 'though its pool takes empty nodes alone',
  },
  'an empty machine of such a pool': { reason: 'Empty', pool: { disruption: { ...ALL.disruption, consolidationPolicy: 'WhenEmpty' } } },
  'a machine of a static pool': { pool: { ...ALL, replicas: 0 }, says: 'though its pool has a fixed number of nodes' },
  'a machine of another pool than the static one': {
    machines: [{ node: { nodePool: 'other' } }],
    pool: { ...ALL, replicas: 0 },
  },
}

describe('a machine that goes', () => {
  for (const [sentence, { says, ...given }] of Object.entries(ONE)) {
    it(`${says === undefined ? 'may be' : 'may not be'} ${sentence}`, () => {
      const found = problems(given)
      if (says === undefined) expect(found).toEqual([])
      else expect(found).toEqual([expect.stringContaining(says)])
    })
  }

  it('goes once', () => {
    const claim = nodeClaim({ name: 'default-a' })
    const world = snapshot({ objects: { nodePool: [nodePool(ALL)], nodeClaim: [claim], node: [node({ claim: claim.name })] } })
    const action: DeleteClaim = { kind: 'deleteClaim', claim: claim.name, uid: claim.meta.uid, because: 'Empty' }
    expect(problemsOfDeleting(world, deletingBy(world, { actions: [action, action], reasons: [] }))).toContain('default-a goes twice')
  })
})

function budgets(nodes: string, more: object = {}): NodePoolShape {
  return { disruption: { budgets: [{ nodes, ...more }] } }
}

const three = (shape: Machine = {}): readonly Machine[] => [shape, shape, shape]
/** `over`: what the problem says of the pool. Undefined: the budget holds. */
const BUDGETS: { readonly [sentence: string]: Given & { readonly over?: string } } = {
  'as many as a number allows': { machines: three(), go: 2, pool: budgets('2') },
  'one more than a number allows': {
    machines: three(),
    go: 3,
    pool: budgets('2'),
    over: 'pool default: 3 go while 0 are away, and 2 may for Underutilized',
  },
  'a share, rounded up': { machines: three(), go: 2, pool: budgets('34%') },
  'more than a share, rounded up': { machines: three(), go: 3, pool: budgets('34%'), over: 'and 2 may' },
  'none at all': { go: 1, pool: budgets('0'), over: '1 go while 0 are away, and 0 may' },
  'what is away already, since it ends': {
    machines: [{}, {}, { claim: { meta: { deletedAt: NOW } } }],
    go: 2,
    pool: budgets('2'),
    over: '2 go while 1 are away, and 2 may',
  },
  'what is away already, since it is not ready': {
    machines: [{}, {}, { node: { ready: false } }],
    go: 2,
    pool: budgets('2'),
    over: 'while 1 are away',
  },
  'a machine whose instance is ending, which does not count': {
    machines: [{}, {}, { claim: { meta: { deletedAt: NOW }, status: ENDING } }],
    go: 2,
    pool: budgets('2'),
  },
  'a machine that is not initialized, which does not count': {
    machines: [{}, {}, { node: { ready: false, initialized: false } }],
    go: 2,
    pool: budgets('2'),
  },
  'a machine of another pool, which does not count': {
    machines: [{}, {}, { node: { ready: false, nodePool: 'other' } }],
    go: 2,
    pool: budgets('2'),
  },
  'the strictest of several': {
    machines: three(),
    go: 2,
    pool: { disruption: { budgets: [{ nodes: '100%' }, { nodes: '1' }] } },
    over: 'and 1 may',
  },
  'a budget for another reason': { go: 1, pool: budgets('0', { reasons: ['Drifted'] }) },
  'a budget for this reason': { go: 1, pool: budgets('0', { reasons: ['Underutilized'] }), over: 'for Underutilized' },
  'no budget at all': { machines: three(), go: 3, pool: { disruption: { budgets: [] } } },
}

describe('the budgets of a pool allow', () => {
  for (const [sentence, { over, ...given }] of Object.entries(BUDGETS)) {
    it(`${over === undefined ? '' : 'not '}${sentence}`, () => {
      expect(problems(given)).toEqual(over === undefined ? [] : [expect.stringContaining(over)])
    })
  }
})

const WEB = { ...HOLDS_ALL, selector: { matchLabels: { app: 'web' }, matchExpressions: [] } }
const web: PodShape = { labels: { app: 'web' } }
const two = (first: readonly PodShape[], second: readonly PodShape[]): Given => ({ machines: [{ pods: first }, { pods: second }], go: 2 })
const guarded = (given: Given, disruptionsAllowed: number): Given => ({
  ...given,
  more: { podDisruptionBudget: [{ ...WEB, disruptionsAllowed }] },
})

const POD_BUDGETS: { readonly [sentence: string]: Given & { readonly over?: true } } = {
  'one machine, whatever it allows': guarded({ machines: [{ pods: [web, web] }] }, 0),
  'two machines if all but the fullest have fewer pods than it allows': guarded(two([web, web], [web]), 2),
  'not two machines that have as many pods as it allows beside the fullest': { ...guarded(two([web, web], [web]), 1), over: true },
  'two machines of which one has no such pod': guarded(two([web], [{ labels: { app: 'db' } }]), 0),
  'two machines with pods of another namespace': guarded(two([web], [{ ...web, namespace: 'other' }]), 0),
  'two machines with a pod that does not run yet': guarded(two([web], [{ ...web, phase: 'Pending' }]), 0),
  'two machines with a pod that ends': guarded(two([web], [{ ...web, deletedAt: NOW }]), 0),
  'two machines with a pod of the node itself': guarded(two([web], [{ ...web, owner: NODE_OWNER }]), 0),
  'two machines with a pod that tolerates the taint': guarded(two([web], [{ ...web, tolerations: [{ operator: 'Exists' }] }]), 0),
  'two machines with a pod that tolerates this taint by name': guarded(
    two([web], [{ ...web, tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists', effect: 'NoSchedule' }] }]),
    0,
  ),
  'not two machines with a pod that tolerates another effect': {
    ...guarded(two([web], [{ ...web, tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] }]), 0),
    over: true,
  },
  'not two machines with a pod that tolerates another taint': {
    ...guarded(two([web], [{ ...web, tolerations: [{ key: 'other', operator: 'Exists' }] }]), 0),
    over: true,
  },
  'two drifted machines with a grace period': guarded(
    {
      machines: [
        { claim: GRACE, pods: [web] },
        { claim: GRACE, pods: [web] },
      ],
      go: 2,
      reason: 'Drifted',
    },
    0,
  ),
  'not two drifted machines without one': { ...guarded({ ...two([web], [web]), reason: 'Drifted' }, 0), over: true },
  'not two machines with a grace period that are not drifted': {
    ...guarded(
      {
        machines: [
          { claim: GRACE, pods: [web] },
          { claim: GRACE, pods: [web] },
        ],
        go: 2,
      },
      0,
    ),
    over: true,
  },
}

describe('a PodDisruptionBudget allows', () => {
  for (const [sentence, { over, ...given }] of Object.entries(POD_BUDGETS)) {
    it(sentence, () => {
      const found = problems(given)
      expect(found).toEqual(
        over === undefined ? [] : [expect.stringMatching(/^budget default\/all allows \d, and \d of its pods go with 2 machines$/)],
      )
    })
  }
})

describe('the machines that a decision takes away', () => {
  const claims: readonly NodeClaim[] = ['default-a', 'default-b'].map((name) => nodeClaim({ name }))
  const world = snapshot({
    objects: {
      nodeClaim: claims,
      node: claims.map(({ name }) => node({ claim: name })),
      pod: [
        pod({ name: 'runs', nodeName: nodeNameOf('default-a'), phase: 'Running' }),
        pod({ name: 'is-over', nodeName: nodeNameOf('default-a'), phase: 'Succeeded' }),
        pod({ name: 'has-failed', nodeName: nodeNameOf('default-a'), phase: 'Failed' }),
        pod({ name: 'elsewhere', nodeName: nodeNameOf('default-b'), phase: 'Running' }),
      ],
    },
  })

  it('are those of deletions and of moves that begin, with the pods that run there', () => {
    const command = disruptionCommand(claims.slice(1), { reason: 'Underutilized' })
    const [first = expect.fail('no claim')] = claims
    const actions = [
      { kind: 'deleteClaim', claim: first.name, uid: first.meta.uid, because: 'Empty' },
      { kind: 'startCommand', command },
      { kind: 'keepCommand', command },
    ] as const
    const found = deletingBy(world, { actions, reasons: [] })
    expect(found.map(({ claim, reason, pods, with: coming }) => [claim.name, reason, pods.map(({ key }) => key), coming])).toEqual([
      ['default-a', 'Empty', ['default/runs'], 0],
      ['default-b', 'Underutilized', ['default/elsewhere'], 1],
    ])
  })

  it('are machines of the cluster, by name and uid', () => {
    const [first = expect.fail('no claim')] = claims
    const other: DeleteClaim = { kind: 'deleteClaim', claim: first.name, uid: uid('other'), because: 'Empty' }
    expect(() => deletingBy(world, { actions: [other], reasons: [] })).toThrow('default-a is no machine of the cluster')
    const without = { ...world, objects: { ...world.objects, node: [] } }
    const action: DeleteClaim = { ...other, uid: first.meta.uid }
    expect(() => deletingBy(without, { actions: [action], reasons: [] })).toThrow('is no machine')
  })

  it.each([
    ['of a ReplicaSet', { owner: REPLICA_SET }, true],
    ['of a ReplicaSet that ends', { owner: REPLICA_SET, deletedAt: NOW }, false],
    ['of a StatefulSet that ends', { owner: STATEFUL_SET, deletedAt: NOW }, true],
    ['of a DaemonSet', { owner: DAEMON_SET }, false],
    ['of the node', { owner: NODE_OWNER }, false],
  ] as const)('need a place for a pod %s: %o', (_of, shape, needs) => {
    expect(needsAPlace(pod(shape))).toBe(needs)
  })
})
