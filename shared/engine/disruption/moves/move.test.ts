import { describe, expect, it } from 'vitest'
import { ago, HOUR, MINUTE, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionOf, statusOf } from '../../../../test/builders/decided.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../../test/builders/nodeClass.ts'
import { type NodePoolShape, nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { nodesHash } from '../../../model/driftHash.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { DRIFT_PAUSED, type NodePool } from '../../../model/nodePool.ts'
import { decide } from '../../loadedCluster.ts'

const POOL: NodePoolShape = { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] } }
const IDENTITY = '00000000-0000-4000-8000-00000000000a'
const CLASS: NodeClass = { ...nodeClass(), status: { ...nodeClass().status, images: [{ id: '/images/new', requirements: [] }] } }

type Born = {
  /** Age of the node at its drift. Undefined: it has not drifted. */
  readonly driftedAfter?: number
  readonly initialized?: boolean
  readonly move?: string
  /** How many nodes before it, each in the place of the other, had drifted when they came up. */
  readonly before?: number
  /** True if the template or the facts have changed since the claim was made. */
  readonly ofOther?: boolean
  readonly age?: number
}

/** A claim that a move of drifted nodes made. */
function replacement(name: string, of: Born, hash: string): NodeClaim {
  const { age = HOUR, driftedAfter, initialized = true, move = name, ofOther = false, before = 0 } = of
  const made = nodeClaim({
    name,
    stage: initialized ? 'initialized' : 'registered',
    meta: { createdAt: ago(age + MINUTE), annotations: { [ANNOTATION.replacesDrifted]: `${move} ${ofOther ? 'other' : hash} ${before}` } },
  })
  const conditions = made.status.conditions.map((each) => ({ ...each, lastTransitionAt: ago(age) }))
  const drifted = condition('Drifted', { reason: 'ImageDrift', lastTransitionAt: ago(age - (driftedAfter ?? 0)) })
  return { ...made, status: { ...made.status, conditions: driftedAfter === undefined ? conditions : [...conditions, drifted] } }
}

/** A pool with replacements, and one more drifted node with a pod. */
function world(
  born: readonly Born[],
  {
    pool = nodePool(POOL),
    of = CLASS,
    identity = IDENTITY,
  }: { readonly pool?: NodePool; readonly of?: NodeClass; readonly identity?: string } = {},
): ClusterSnapshot {
  const hash = nodesHash(nodePool(POOL), CLASS, { kubeletIdentityClientId: IDENTITY })
  const claims = born.map((each, at) => replacement(`new-${at}`, each, hash))
  const old = nodeClaim({ name: 'old', meta: { createdAt: ago(9 * HOUR) } })
  const drifted = {
    ...old,
    status: { ...old.status, conditions: [...old.status.conditions, condition('Drifted', { lastTransitionAt: ago(9 * HOUR) })] },
  }
  return snapshot({
    settings: { kubeletIdentityClientId: identity },
    objects: {
      nodePool: [pool],
      nodeClass: [of],
      nodeClaim: [drifted, ...claims],
      node: [drifted, ...claims].map(({ name }, at) => node({ claim: name, initialized: at === 0 || born[at - 1]?.initialized !== false })),
      pod: [drifted, ...claims].map(({ name }) => pod({ name, cpus: 3, nodeName: node({ claim: name }).name })),
    },
  })
}

/** Drifted claims that the decision moves, and codes of claims that stay. */
function moved(seen: ClusterSnapshot): { readonly moves: readonly string[]; readonly codes: readonly string[] } {
  const { actions, reasons } = disruptionOf(seen)
  const moves = actions.flatMap((action) => (action.kind === 'startCommand' ? action.command.candidates.map(({ claim }) => claim) : []))
  return { moves: moves.sort(), codes: [...new Set(reasons.map(({ code }) => code))] }
}

const conditionOf = (seen: ClusterSnapshot) =>
  statusOf(seen).actions.flatMap((action) =>
    action.kind === 'patchNodePoolStatus' ? action.conditions.filter(({ type }) => type === DRIFT_PAUSED) : [],
  )

const AT_BIRTH: Born = { driftedAfter: SECOND }

describe('drift of a pool whose new nodes drift when they come up', () => {
  it('F7 stops after two moves in a row, with a reason for each node, and a condition and an Event of the pool', () => {
    const seen = world([AT_BIRTH, AT_BIRTH])
    expect(moved(seen)).toEqual({ moves: [], codes: ['DISRUPTION.DRIFT_PAUSED'] })
    const { reasons } = disruptionOf(seen)
    expect(reasons.map(({ subject }) => subject.name)).toEqual(['new-0', 'new-1', 'old'])
    expect(reasons[0]?.message).toMatch(/nodepool default.*new-1.*new-0.*ImageDrift/)
    expect(conditionOf(seen)).toMatchObject([{ status: 'True', reason: 'DriftedAtBirth', message: reasons[0]?.message }])
    expect(statusOf(seen).actions).toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ type: 'Warning', reason: 'DriftedAtBirth' }) }),
    )
  })

  it.each<[born: readonly Born[], end: string]>([
    [
      [AT_BIRTH, AT_BIRTH],
      'lately new-1 and new-0 (ImageDrift: ), so no drifted node of it is replaced; correct the cause in the nodepool or its aksnodeclass, or delete both nodeclaims to try again',
    ],
    [
      [{ ...AT_BIRTH, before: 1 }],
      'lately new-0 (ImageDrift: ), so no drifted node of it is replaced; correct the cause in the nodepool or its aksnodeclass, or delete that nodeclaim to try again',
    ],
  ])('names the nodes and what to do', (born, end) => {
    const begin = 'nodepool default: the last replacements of drifted nodes had drifted when they came up, '
    expect(disruptionOf(world(born)).reasons[0]?.message).toBe(begin + end)
  })

  it('stops with a node that drifted before it was initialized, too', () => {
    expect(moved(world([{ driftedAfter: 0 - SECOND }, AT_BIRTH])).moves).toEqual([])
  })

  it('stops where the node that it replaced is gone, and had drifted when it came up', () => {
    expect(moved(world([{ ...AT_BIRTH, before: 1 }])).moves).toEqual([])
    expect(moved(world([{ before: 1 }])).moves).toEqual(['old'])
  })

  const goesOn: readonly (readonly [string, readonly Born[], readonly string[]])[] = [
    ['one node drifted when it came up', [AT_BIRTH], ['new-0', 'old']],
    [
      'one move made both nodes',
      [
        { ...AT_BIRTH, move: '1-0' },
        { ...AT_BIRTH, move: '1-0' },
      ],
      ['new-0', 'new-1', 'old'],
    ],
    ['the last node is well', [{ ...AT_BIRTH, age: 3 * HOUR }, { ...AT_BIRTH, age: 2 * HOUR }, { age: HOUR }], ['new-0', 'new-1', 'old']],
    ['a node was well for a while', [AT_BIRTH, { driftedAfter: 30 * MINUTE }], ['new-0', 'new-1', 'old']],
    ['a node was made from something else', [AT_BIRTH, { ...AT_BIRTH, ofOther: true }], ['new-0', 'new-1', 'old']],
  ]
  it.each(goesOn)('goes on where %s', (_, born, moves) => {
    expect(moved(world(born)).moves).toEqual(moves)
    expect(conditionOf(world(born))).toEqual([])
  })

  it('stays stopped while another node of it comes up', () => {
    expect(moved(world([AT_BIRTH, AT_BIRTH, { initialized: false, age: MINUTE }])).moves).toEqual([])
  })

  it.each<readonly [string, Parameters<typeof world>[1]]>([
    ['the template of the pool changes', { pool: nodePool({ ...POOL, template: { labels: { a: 'b' } } }) }],
    [
      'the requirements of the pool change',
      { pool: nodePool({ ...POOL, template: { requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] } }) },
    ],
    ['the spec of the class changes', { of: { ...CLASS, spec: { ...CLASS.spec, osDiskSizeGb: 256 } } }],
    ['the class has another version', { of: { ...CLASS, status: { ...CLASS.status, kubernetesVersion: '1.35.0' } } }],
    ['the class has other images', { of: { ...CLASS, status: { ...CLASS.status, images: [{ id: '/images/newer', requirements: [] }] } } }],
    ['the cluster is configured with another identity of kubelets', { identity: IDENTITY.replace('a', 'b') }],
  ])('goes on once %s', (_, change) => expect(moved(world([AT_BIRTH, AT_BIRTH], change)).moves).toEqual(['new-0', 'new-1', 'old']))

  it('stays stopped where the same identity is written in another case', () => {
    expect(moved(world([AT_BIRTH, AT_BIRTH], { identity: IDENTITY.toUpperCase() })).moves).toEqual([])
  })

  it('stops in a static pool as well', () => {
    const pool = nodePool({ ...POOL, replicas: 3 })
    const { reasons, actions } = decide(world([AT_BIRTH, AT_BIRTH], { pool }))
    expect(actions.filter(({ kind }) => kind === 'startCommand')).toEqual([])
    expect(reasons.filter(({ code }) => code === 'DISRUPTION.DRIFT_PAUSED')).toHaveLength(3)
    const { actions: goesOnWith } = decide(world([AT_BIRTH], { pool: nodePool({ ...POOL, replicas: 2 }) }))
    expect(goesOnWith.filter(({ kind }) => kind === 'startCommand')).toHaveLength(2)
  })
})

describe('a node that replaces a drifted node', () => {
  it('is marked with its move, and with what it was made from', () => {
    const { actions } = disruptionOf(world([]))
    const [made] = actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
    expect(made?.draft.annotations[ANNOTATION.replacesDrifted]).toBe(
      `${made?.command} ${nodesHash(nodePool(POOL), CLASS, { kubeletIdentityClientId: IDENTITY })} 0`,
    )
  })

  it.each<readonly [string, Born, number]>([
    ['one more than the drifted node had', AT_BIRTH, 1],
    ['none where that node was well for a while', { driftedAfter: 30 * MINUTE, before: 1 }, 0],
    ['none where that node was made from something else', { ...AT_BIRTH, ofOther: true, before: 1 }, 0],
  ])('counts the nodes before it that had drifted when they came up: %s', (_, born, want) => {
    const made = disruptionOf(world([born])).actions.flatMap((action) => (action.kind === 'createClaim' ? [action.draft.annotations] : []))
    expect(made.map((annotations) => annotations[ANNOTATION.replacesDrifted]?.split(' ')[2])).toContain(String(want))
    expect(made).toHaveLength(2)
  })
})
