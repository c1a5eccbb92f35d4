import { describe, expect, it } from 'vitest'
import { capacityBuffer, podTemplate } from '../../../test/builders/capacityBuffer.ts'
import { ago, hence, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { disruptionOf } from '../../../test/builders/decided.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { daemonPod, NODE_OWNER, pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { canonicalJson } from '../../base/json.ts'
import { nodeClaimName, objectKey, uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Budget } from '../../model/nodePool.ts'
import { durationMs, epochMs } from '../../model/units.ts'

const HOST = 'joiner-default-aaaaa'
const up = { node: [node()], nodeClaim: [nodeClaim()] }

/** `count` empty machines. */
function empty(count: number, budgets?: readonly Budget[]): NonNullable<SnapshotShape['objects']> {
  const names = Array.from({ length: count }, (_, index) => `default-n${index}`)
  return {
    node: names.map((claim) => node({ claim })),
    nodeClaim: names.map((name) => nodeClaim({ name })),
    ...(budgets === undefined ? {} : { nodePool: [nodePool({ disruption: { budgets } })] }),
  }
}

type Case = {
  readonly given: SnapshotShape
  readonly want: readonly string[]
  readonly wantCodes?: readonly string[]
  readonly wantWakeAt?: number
}

const CASES: { readonly [sentence: string]: Case } = {
  'EM-07 an empty machine goes': { given: { objects: up }, want: ['default-aaaaa'] },
  'daemons, static and ended pods do not keep it': {
    given: {
      objects: {
        ...up,
        pod: [daemonPod(HOST), pod({ name: 's', owner: NODE_OWNER, nodeName: HOST }), pod({ name: 'd', phase: 'Failed', nodeName: HOST })],
      },
    },
    want: ['default-aaaaa'],
  },
  'EM-13 a pod keeps it, without a word': { given: { objects: { ...up, pod: [pod({ nodeName: HOST })] } }, want: [] },
  'a machine that is coming up stays': {
    given: { objects: { node: [node({ initialized: false })], nodeClaim: [nodeClaim({ stage: 'registered' })] } },
    want: [],
  },
  'a machine that is being deleted is not asked again': {
    given: { objects: { ...up, nodeClaim: [nodeClaim({ meta: { deletedAt: ago(SECOND) } })] } },
    want: [],
  },
  'a node nobody’s claim made stays': { given: { objects: { node: [node({ name: 'own' })] } }, want: [] },
  'EM-20 a static pool keeps its machines': { given: { objects: { ...up, nodePool: [nodePool({ replicas: 1 })] } }, want: [] },
  'a machine of another provider stays': {
    given: { objects: { ...up, nodeClaim: [nodeClaim({ spec: { nodeClassRef: { ...nodeClassRef('default'), kind: 'EC2NodeClass' } } })] } },
    want: [],
  },
  'a promised machine stays (F9)': {
    given: { objects: up, nominations: [{ pod: uid('x'), claim: nodeClaimName('default-aaaaa'), until: hence(SECOND) }] },
    want: [],
    wantCodes: ['DISRUPTION.NOMINATED'],
  },
  'a machine a pending pod fits stays': { given: { objects: { ...up, pod: [pod()] } }, want: [], wantCodes: ['DISRUPTION.NOMINATED'] },
  'a machine whose room a buffer keeps stays, others go': {
    given: {
      objects: {
        ...empty(2),
        podTemplate: [podTemplate('shape')],
        capacityBuffer: [capacityBuffer({ podTemplate: 'shape', replicas: 1 })],
      },
    },
    want: ['default-n1'],
    wantCodes: ['DISRUPTION.NOMINATED'],
  },
  'EM-11 an annotated node stays': {
    given: { objects: { ...up, node: [node({ meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } })] } },
    want: [],
    wantCodes: ['DISRUPTION.DO_NOT_DISRUPT'],
  },
  'an annotated daemon keeps its node': {
    given: { objects: { ...up, pod: [daemonPod(HOST, { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })] } },
    want: [],
    wantCodes: ['DISRUPTION.DO_NOT_DISRUPT'],
  },
  'a daemon behind a disruption budget keeps its node': {
    given: {
      objects: {
        ...up,
        pod: [daemonPod(HOST, { labels: { app: 'agent' } })],
        podDisruptionBudget: [
          {
            key: objectKey('kube-system', 'guard'),
            uid: uid('pdb'),
            selector: { matchLabels: { app: 'agent' }, matchExpressions: [] },
            disruptionsAllowed: 0,
            unhealthyPodEvictionPolicy: 'IfHealthyBudget',
            conditions: [],
          },
        ],
      },
    },
    want: [],
    wantCodes: ['DISRUPTION.PDB'],
  },
  'a pool that never consolidates keeps it': {
    given: { objects: { ...up, nodePool: [nodePool({ disruption: { consolidateAfter: 'Never' } })] } },
    want: [],
    wantCodes: ['DISRUPTION.POLICY'],
  },
  'it stays until it was quiet for long enough since it came up': {
    given: { objects: { ...up, nodePool: [nodePool({ disruption: { consolidateAfter: durationMs(6 * MINUTE) } })] } },
    want: [],
    wantCodes: ['DISRUPTION.QUIET'],
    wantWakeAt: hence(MINUTE),
  },
  'it stays until it was quiet for long enough since its last pod event': {
    given: {
      objects: {
        node: [node()],
        nodeClaim: [nodeClaim({ status: { lastPodEventAt: ago(MINUTE) } })],
        nodePool: [nodePool({ disruption: { consolidateAfter: durationMs(2 * MINUTE) } })],
      },
    },
    want: [],
    wantCodes: ['DISRUPTION.QUIET'],
    wantWakeAt: hence(MINUTE),
  },
  'under WhenEmpty it goes too': {
    given: { objects: { ...up, nodePool: [nodePool({ disruption: { consolidationPolicy: 'WhenEmpty' } })] } },
    want: ['default-aaaaa'],
  },
  'a tenth of eleven machines is two': {
    given: { objects: empty(11) },
    want: ['default-n0', 'default-n1'],
    wantCodes: Array.from({ length: 9 }, () => 'DISRUPTION.BUDGET'),
  },
  'a budget for another reason does not count': {
    given: { objects: empty(3, [{ nodes: '0', reasons: ['Drifted'] }]) },
    want: ['default-n0', 'default-n1', 'default-n2'],
  },
  'the strictest budget binds': {
    given: { objects: empty(3, [{ nodes: '100%' }, { nodes: '1', reasons: ['Empty'] }]) },
    want: ['default-n0'],
    wantCodes: ['DISRUPTION.BUDGET', 'DISRUPTION.BUDGET'],
  },
  'a budget with a schedule holds it until its window ends': {
    given: { objects: empty(1, [{ nodes: '0', schedule: '@daily', duration: durationMs(60 * MINUTE) }]) },
    want: [],
    wantCodes: ['DISRUPTION.WINDOW'],
    wantWakeAt: hence(60 * MINUTE),
  },
  'outside of its window a budget with a schedule does not count': {
    given: { objects: empty(1, [{ nodes: '0', schedule: '30 0 * * *', duration: durationMs(60 * MINUTE) }]) },
    want: ['default-n0'],
    wantWakeAt: hence(30 * MINUTE),
  },
  'the window of a budget is one of its own time zone': {
    given: { objects: empty(1, [{ nodes: '0', schedule: 'CRON_TZ=Asia/Tokyo 0 9 * * *', duration: durationMs(60 * MINUTE) }]) },
    want: [],
    wantCodes: ['DISRUPTION.WINDOW'],
    wantWakeAt: hence(60 * MINUTE),
  },
  'SV-19 a budget nobody can read holds no machine for a reason that it does not name': {
    given: { objects: empty(1, [{ nodes: 'some', reasons: ['Drifted'] }]) },
    want: ['default-n0'],
  },
  'SV-19 a budget nobody can read lets nothing go for its reasons': {
    given: { objects: empty(1, [{ nodes: '100%' }, { nodes: 'some', reasons: ['Empty'] }]) },
    want: [],
    wantCodes: ['DISRUPTION.BUDGET'],
  },
  'a budget whose schedule nobody can read lets nothing go': {
    given: { objects: empty(1, [{ nodes: '1', schedule: '0 9 * * FRI-MON', duration: durationMs(60 * MINUTE) }]) },
    want: [],
    wantCodes: ['DISRUPTION.BUDGET'],
  },
  'the dearest goes first': {
    given: {
      objects: {
        node: [node({ claim: 'default-n0' }), node({ claim: 'default-n1', size: 'Standard_D16as_v6' })],
        nodeClaim: [nodeClaim({ name: 'default-n0' }), nodeClaim({ name: 'default-n1', size: 'Standard_D16as_v6' })],
        nodePool: [nodePool({ disruption: { budgets: [{ nodes: '1' }] } })],
      },
    },
    want: ['default-n1'],
    wantCodes: ['DISRUPTION.BUDGET'],
  },
  'a machine of unknown price goes last': {
    given: {
      objects: {
        node: [node({ claim: 'default-n0', size: 'Standard_Z1' }), node({ claim: 'default-n1' })],
        nodeClaim: [nodeClaim({ name: 'default-n0', size: 'Standard_Z1' }), nodeClaim({ name: 'default-n1' })],
        nodePool: [nodePool({ disruption: { budgets: [{ nodes: '1' }] } })],
      },
    },
    want: ['default-n1'],
    wantCodes: ['DISRUPTION.BUDGET'],
  },
  'of a class whose sizes nobody knows it goes, too': { given: { objects: up, types: {} }, want: ['default-aaaaa'] },
  'of budgets as strict as each other the first one is named': {
    given: { objects: empty(1, [{ nodes: '0', schedule: '@daily', duration: durationMs(60 * MINUTE) }, { nodes: '0' }]) },
    want: [],
    wantCodes: ['DISRUPTION.WINDOW'],
    wantWakeAt: hence(60 * MINUTE),
  },
}

describe('empty machines', () => {
  for (const [sentence, { given, want, wantCodes = [], wantWakeAt }] of Object.entries(CASES)) {
    it(sentence, () => {
      const decision = disruptionOf(snapshot(given))
      const gone = decision.actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.claim] : []))
      expect(gone).toEqual(want)
      expect(decision.reasons.map((each) => each.code)).toEqual(wantCodes)
      expect(decision.wakeAt).toBe(wantWakeAt)
      const { objects, ...rest } = snapshot(given)
      const turned = { ...rest, objects: { ...objects, node: [...objects.node].reverse(), nodeClaim: [...objects.nodeClaim].reverse() } }
      expect(canonicalJson(disruptionOf(turned))).toBe(canonicalJson(decision))
    })
  }

  it('says what it saves', () => {
    const [action, event] = disruptionOf(snapshot({ objects: up })).actions
    expect(action).toMatchObject({
      because: 'Empty',
      uid: nodeClaim().meta.uid,
      saves: { size: 'Standard_D4as_v6', zone: 'eastus-1', capacityType: 'on-demand', price: 190_000 },
    })
    expect(event).toMatchObject({ event: { reason: 'DisruptionTerminating', message: expect.stringContaining('saves $0.19/h') } })
  })

  it('says so of claim and node, and counts nothing as saved where no price is known', () => {
    const types = [instanceType({ price: null, spotPrice: null })]
    const { actions } = disruptionOf(snapshot({ objects: up, types }))
    const message = 'Empty: no pods need nodeclaim default-aaaaa'
    expect(actions.slice(1)).toEqual([
      {
        kind: 'publish',
        event: {
          subject: { kind: 'nodeClaim', name: 'default-aaaaa' },
          uid: nodeClaim().meta.uid,
          type: 'Normal',
          reason: 'DisruptionTerminating',
          message,
        },
      },
      {
        kind: 'publish',
        event: { subject: { kind: 'node', name: HOST }, uid: node().meta.uid, type: 'Normal', reason: 'DisruptionTerminating', message },
      },
    ])
  })

  it('says on its pool which time-out nobody can read', () => {
    const template = { annotations: { [ANNOTATION.launchTimeout]: 'soon', [ANNOTATION.initializationTimeout]: 'Never' } }
    const { actions } = disruptionOf(snapshot({ objects: { nodePool: [nodePool({ template })] } }))
    expect(actions).toMatchObject([
      {
        kind: 'publish',
        event: {
          subject: { kind: 'nodePool', name: 'default' },
          type: 'Warning',
          reason: 'InvalidAnnotation',
          message: expect.stringMatching(
            /^nodepool default: spec\.template\.metadata\.annotations joiner\.dev\/launch-timeout: "soon" must be a duration/,
          ),
        },
      },
    ])
  })

  it('says why in the order of names, whatever keeps them', () => {
    const objects = empty(3, [{ nodes: '0' }])
    const last = node({ claim: 'default-n2', meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } })
    const { reasons } = disruptionOf(snapshot({ objects: { ...objects, node: [...(objects.node ?? []).slice(0, 2), last] } }))
    expect(reasons.map(({ subject, code }) => [subject.name, code])).toEqual([
      ['default-n0', 'DISRUPTION.BUDGET'],
      ['default-n1', 'DISRUPTION.BUDGET'],
      ['default-n2', 'DISRUPTION.DO_NOT_DISRUPT'],
    ])
  })
})

describe('a machine that goes', () => {
  const gone = (objects: NonNullable<SnapshotShape['objects']>) =>
    disruptionOf(snapshot({ objects, types: [instanceType({ spotPrice: null })] })).actions.flatMap((action) =>
      action.kind === 'deleteClaim' ? [action] : [],
    )

  it('names no pods where it has none', () => {
    expect(gone({ ...empty(1) }).map(({ claim, because, pods }) => ({ claim, because, pods }))).toEqual([
      { claim: 'default-n0', because: 'Empty', pods: undefined },
    ])
  })

  it('names the pods that move', () => {
    const moved = ['b', 'a'].map((name) => pod({ name, cpus: 0.5, nodeName: 'joiner-default-n0', phase: 'Running' }))
    const staying = ['c', 'd', 'e'].map((name) => pod({ name, cpus: 0.5, nodeName: 'joiner-default-n1', phase: 'Running' }))
    const moves = gone({ ...empty(2, [{ nodes: '100%' }]), pod: [...moved, ...staying] })
    expect(moves.map(({ claim, pods }) => [claim, pods?.map(({ key }) => key)])).toEqual([['default-n0', ['default/a', 'default/b']]])
  })

  it('by drift is let go though its size is not known, and saves nothing that anybody knows', () => {
    const claim = nodeClaim({ name: 'default-n0' })
    const conditions = [...claim.status.conditions, condition('Drifted')]
    const objects = {
      nodeClaim: [withoutLabel({ ...claim, status: { ...claim.status, conditions } }, LABEL.instanceType)],
      node: [withoutLabel(node({ claim: 'default-n0' }), LABEL.instanceType)],
      nodePool: [nodePool({ disruption: { consolidateAfter: 'Never' } })],
    }
    expect(gone(objects).map(({ because, saves }) => ({ because, saves }))).toEqual([{ because: 'Drifted', saves: undefined }])
  })
})

describe('moves that are planned from a later time on', () => {
  const objects = { ...empty(2, [{ nodes: '100%' }]), pod: [pod({ nodeName: 'joiner-default-n1' })] }
  const decidedWith = (disruptionResumesAt?: number) => {
    const { actions, reasons, wakeAt } = disruptionOf(
      snapshot({ objects, ...(disruptionResumesAt === undefined ? {} : { disruptionResumesAt: epochMs(disruptionResumesAt) }) }),
    )
    return {
      gone: actions.flatMap((action) =>
        action.kind === 'deleteClaim'
          ? [action.claim]
          : action.kind === 'startCommand'
            ? action.command.candidates.map(({ claim }) => claim)
            : [],
      ),
      said: reasons.length,
      wakeAt,
    }
  }

  it('let empty machines go, say nothing of the others, and wake at that time', () => {
    expect(decidedWith(hence(5 * SECOND))).toEqual({ gone: ['default-n0'], said: 0, wakeAt: hence(5 * SECOND) })
  })

  it('need no look of their own where no machine with pods has a claim', () => {
    const own = node({ name: 'own' })
    const alone = { ...empty(1, [{ nodes: '100%' }]), pod: [pod({ nodeName: own.name })] }
    const decided = disruptionOf(
      snapshot({ objects: { ...alone, node: [...(alone.node ?? []), own] }, disruptionResumesAt: epochMs(hence(5 * SECOND)) }),
    )
    expect(decided.actions.map(({ kind }) => kind)).toContain('deleteClaim')
    expect(decided.wakeAt).toBeUndefined()
  })

  it.each([undefined, hence(0), ago(SECOND)])('are planned now, from %s on', (disruptionResumesAt) => {
    const { gone, said } = decidedWith(disruptionResumesAt)
    expect(gone).toContain('default-n0')
    expect(gone.length + said).toBe(2)
  })
})
