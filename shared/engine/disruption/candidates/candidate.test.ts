import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { instanceType, offering } from '../../../../test/builders/instanceType.ts'
import { withoutLabel } from '../../../../test/builders/meta.ts'
import { type NodeShape, node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { daemonPod, NODE_OWNER, pod } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { BackOff } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, nodeName, nodePoolName, objectKey, uid } from '../../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../../model/labels.ts'
import { durationMs, type EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import { rescheduleCost } from './candidate.ts'

const HOST = 'joiner-default-aaaaa'
const CLAIM = nodeClaimName('default-aaaaa')
const up = { node: [node()], nodeClaim: [nodeClaim()] }

type Objects = NonNullable<SnapshotShape['objects']>

function decided(objects: Objects, rest: Omit<SnapshotShape, 'objects'> = {}) {
  const { actions, reasons, wakeAt } = disruptionOf(snapshot({ ...rest, objects: { ...up, ...objects } }))
  const ended = actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action] : []))
  return { ended, isKept: ended.length === 0, reasons, wakeAt }
}

function budget(disruptionsAllowed: number, name = 'guard'): PodDisruptionBudget {
  return {
    key: objectKey('kube-system', name),
    uid: uid(name),
    selector: { matchLabels: { app: 'agent' }, matchExpressions: [] },
    disruptionsAllowed,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    conditions: [],
  }
}

function rest(until: EpochMs): BackOff {
  return { claims: [CLAIM], pools: [nodePoolName('default')], failures: 1, failedAt: ago(MINUTE), until }
}

const agent = daemonPod(HOST, { labels: { app: 'agent' } })

describe('a machine with pods whose move came to nothing', () => {
  const objects = { pod: [pod({ nodeName: nodeName(HOST), phase: 'Running' })] }
  const codes = (until: EpochMs) => decided(objects, { backOffs: [rest(until)] }).reasons.map(({ code }) => code)

  it('rests for a while', () => expect(codes(hence(1))).toEqual(['DISRUPTION.RESTING']))
  it('is judged again after that', () => expect(codes(NOW)).not.toContain('DISRUPTION.RESTING'))
})

describe('what keeps an empty machine', () => {
  it.each([
    ['a promise', hence(1), CLAIM, true],
    ['no promise that is over', NOW, CLAIM, false],
    ['no promise of another machine', hence(SECOND), nodeClaimName('default-bbbbb'), false],
  ])('%s', (_sentence, until, claim, isKept) => {
    expect(decided({}, { nominations: [{ pod: uid('x'), claim, until }] }).isKept).toBe(isKept)
  })

  it.each([
    ['a move under way that waits for it', { commands: [disruptionCommand([], { replacements: [CLAIM] })] }],
    ['CA-25 CA-33 a move under way that takes it', { commands: [disruptionCommand([nodeClaim()])] }],
  ])('%s', (_sentence, context) => {
    expect(decided({}, context).isKept).toBe(true)
  })

  it('no move of its node that came to nothing: nobody has to move any more', () => {
    expect(decided({}, { backOffs: [rest(hence(1))] }).isKept).toBe(false)
  })

  it('no annotation of its node that says false', () => {
    expect(decided({ node: [node({ meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'false' } } })] }).isKept).toBe(false)
  })

  it('no annotation of its claim, which its node had got as it registered', () => {
    expect(decided({ nodeClaim: [nodeClaim({ meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } })] }).isKept).toBe(false)
  })

  it.each([
    ['one that lets nobody go', [budget(0)], agent, true],
    ['none that lets one go', [budget(1)], agent, false],
    ['two on one pod, since its eviction is an error then', [budget(1), budget(1, 'other')], agent, true],
    ['none of another namespace', [{ ...budget(0), key: objectKey('default', 'guard') }], agent, false],
    ['none on a static pod, which nobody evicts', [budget(0)], { ...agent, owner: NODE_OWNER }, false],
    ['none on a pod that stays with its node', [budget(0)], { ...agent, tolerations: [{ operator: 'Exists' }] }, false],
  ] as const)('a budget of pods: %s', (_sentence, podDisruptionBudget, on, isKept) => {
    expect(decided({ podDisruptionBudget, pod: [on] }).isKept).toBe(isKept)
  })

  it('that its pool is not there, or is another one than its claim says', () => {
    expect(decided({ nodePool: [nodePool({ name: 'other' })] }).isKept).toBe(true)
  })

  it.each([
    ['DISRUPTION.DO_NOT_DISRUPT', 'kube-system/daemon-joiner', { pod: [{ ...agent, annotations: { [ANNOTATION.doNotDisrupt]: 'true' } }] }],
    ['DISRUPTION.PDB', 'kube-system/daemon-joiner', { pod: [agent], podDisruptionBudget: [budget(0)] }],
    // F30: one replica, minAvailable 1. Said before anything is closed.
    [
      'DISRUPTION.PDB',
      'can never allow the eviction of pod kube-system/daemon-joiner',
      { pod: [agent], podDisruptionBudget: [{ ...budget(0), minAvailable: '1', expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 }] },
    ],
    [
      'DISRUPTION.DO_NOT_DISRUPT',
      `its node is annotated ${ANNOTATION.doNotDisrupt}`,
      { node: [node({ meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } })] },
    ],
    ['DISRUPTION.POLICY', 'nodepool default', { nodePool: [nodePool({ disruption: { consolidateAfter: 'Never' } })] }],
    ['DISRUPTION.NOMINATED', 'pending pod', { pod: [pod()] }],
    ['DISRUPTION.BUDGET', '(nodes: 0)', { nodePool: [nodePool({ disruption: { budgets: [{ nodes: '0' }] } })] }],
    [
      'DISRUPTION.WINDOW',
      '@daily',
      { nodePool: [nodePool({ disruption: { budgets: [{ nodes: '0', schedule: '@daily', duration: durationMs(60 * MINUTE) }] } })] },
    ],
  ] as const)('%s is said of the claim, and names %j', (code, words, objects) => {
    expect(decided(objects).reasons).toEqual([
      { code, subject: { kind: 'nodeClaim', name: CLAIM }, message: expect.stringContaining(words) },
    ])
  })
})

describe('how long a machine has to be quiet', () => {
  const after = (ms: number) => nodePool({ disruption: { consolidateAfter: durationMs(ms) } })

  it.each<[sentence: string, objects: Objects, quietAt: number]>([
    ['since it came up', {}, ago(5 * MINUTE)],
    [
      'since its claim was made, where nobody wrote when it came up',
      { nodeClaim: [nodeClaim({ status: { conditions: [condition('Launched', { lastTransitionAt: NOW })] } })] },
      ago(10 * MINUTE),
    ],
    ['since its last pod left', { nodeClaim: [nodeClaim({ status: { lastPodEventAt: ago(MINUTE) } })] }, ago(MINUTE)],
    [
      'since it came up, when the last pod left before',
      { nodeClaim: [nodeClaim({ status: { lastPodEventAt: ago(9 * MINUTE) } })] },
      ago(5 * MINUTE),
    ],
    ['since a pod came', { pod: [daemonPod(HOST, { createdAt: ago(2 * MINUTE) })] }, ago(2 * MINUTE)],
    ['since it came up, when its pods came before', { pod: [daemonPod(HOST, { createdAt: ago(8 * MINUTE) })] }, ago(5 * MINUTE)],
    ['since a pod began to end', { pod: [pod({ nodeName: HOST, createdAt: ago(9 * MINUTE), deletedAt: ago(SECOND) })] }, ago(SECOND)],
    [
      'until a pod has ended',
      { pod: [pod({ nodeName: HOST, createdAt: ago(9 * MINUTE), deletedAt: hence(30 * SECOND) })] },
      hence(30 * SECOND),
    ],
  ])('%s', (_sentence, objects, quietAt) => {
    const pause = NOW - quietAt
    expect(decided({ ...objects, nodePool: [after(pause + 1)] })).toMatchObject({
      isKept: true,
      reasons: [{ code: 'DISRUPTION.QUIET', fields: { seconds: 1 } }],
      wakeAt: hence(1),
    })
    if (pause >= 0) expect(decided({ ...objects, nodePool: [after(pause)] })).toMatchObject({ isKept: false, wakeAt: undefined })
  })

  it('is looked at again when the first of several is', () => {
    const claims = ['default-n0', 'default-n1', 'default-n2']
    const lastPodEventAt = [ago(MINUTE), ago(3 * MINUTE), ago(2 * MINUTE)]
    const objects = {
      node: claims.map((claim) => node({ claim })),
      nodeClaim: claims.map((name, at) => nodeClaim({ name, status: { lastPodEventAt: lastPodEventAt[at] ?? NOW } })),
      nodePool: [after(4 * MINUTE)],
    }
    expect(decided(objects).wakeAt).toBe(hence(MINUTE))
  })
})

describe('what the end of a machine saves', () => {
  const PRICES = [
    offering({ zone: 'eastus-1', price: 0.4 }),
    offering({ zone: 'eastus-1', capacityType: 'spot', price: 0.1 }),
    offering({ zone: 'eastus-2', price: 0.5 }),
    offering({ zone: 'eastus-3', price: null }),
    offering({ zone: 'eastus-5', price: 0.6, available: false }),
  ]
  const types = [instanceType({ name: 'Standard_D2as_v6', cpus: 2 }), instanceType({ offerings: PRICES })]

  it.each<[sentence: string, shape: NodeShape, price: number | undefined]>([
    ['its price on demand', {}, 400_000],
    ['its price as spot', { capacityType: 'spot' }, 100_000],
    ['its price in its zone', { zone: 'eastus-2' }, 500_000],
    ['BV-04 its price where it cannot be bought now', { zone: 'eastus-5' }, 600_000],
    ['nothing that is known, without a price', { zone: 'eastus-3' }, undefined],
    ['nothing that is known, where it is not sold', { zone: 'eastus-4' }, undefined],
    ['nothing that is known, of a size that is not', { size: 'Standard_Z1' }, undefined],
  ])('%s', (_sentence, shape, price) => {
    const { zone = 'eastus-1', capacityType = 'on-demand', size = 'Standard_D4as_v6' } = shape
    const saves = { zone, capacityType, size, ...(price === undefined ? {} : { price }) }
    expect(decided({ node: [node(shape)] }, { types }).ended).toMatchObject([{ saves }])
    expect(decided({ node: [node(shape)] }, { types }).ended[0]?.saves?.price).toBe(price)
  })

  it.each([LABEL.instanceType, LABEL.zone, LABEL.capacityType])(
    'nobody knows what, when its node does not say its %s: it goes last',
    (label) => {
      const unlabelled = withoutLabel(node(), label)
      const [ended] = decided({ node: [unlabelled] }, { types }).ended
      expect(ended).toMatchObject({ kind: 'deleteClaim', claim: CLAIM })
      expect(ended).not.toHaveProperty('saves')
      const others = ['default-0', 'default-z']
      const objects = {
        node: [unlabelled, ...others.map((claim) => node({ claim }))],
        nodeClaim: [nodeClaim(), ...others.map((name) => nodeClaim({ name }))],
        nodePool: [nodePool({ disruption: { budgets: [{ nodes: '2' }] } })],
      }
      expect(decided(objects, { types }).ended.map(({ claim }) => claim)).toEqual(others)
    },
  )
})

describe('what it costs to move all of a machine', () => {
  it('is one, and what its pods cost that need another place', () => {
    expect(rescheduleCost([])).toBe(1)
    expect(rescheduleCost([pod(), pod({ name: 'other' }), daemonPod('n'), pod({ name: 'ending', deletedAt: NOW })])).toBe(3)
  })

  it('is no less for pods that gladly go', () => {
    expect(rescheduleCost([pod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' } })])).toBe(1)
  })
})
