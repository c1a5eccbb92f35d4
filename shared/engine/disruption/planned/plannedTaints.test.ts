import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { DEFAULT_SIZE, nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../../test/builders/snapshot.ts'
import type { Decision } from '../../../model/decision.ts'
import { LABEL, TAINT_KEY } from '../../../model/labels.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { Taint } from '../../../model/taint.ts'
import { durationMs, type EpochMs } from '../../../model/units.ts'
import { decide } from '../../loadedCluster.ts'

/** A machine of four CPUs. `asks`: the CPUs of its pod, none without. */
type Machine = { readonly asks?: number; readonly isDrifted?: true; readonly plannedAt?: EpochMs; readonly labels?: Record<string, string> }

type Given = {
  readonly machines: readonly Machine[]
  /** The number of nodes that the budget lets go at a time. */
  readonly budget?: string
  readonly most?: number
  readonly annotations?: Record<string, string>
  readonly policy?: 'WhenEmpty' | 'WhenEmptyOrUnderutilized'
  /** CPUs of a waiting pod. */
  readonly waiting?: number
}

/** The pool makes machines of one size and price only, so no replacement is cheaper. */
const ONE_SIZE: NodePool['template']['requirements'] = [
  { key: LABEL.instanceType, operator: 'In', values: [DEFAULT_SIZE] },
  { key: LABEL.capacityType, operator: 'In', values: ['on-demand'] },
]

/** A cluster in which the move of the first machine is under way. It uses up a budget of one node. */
function decided({ machines, budget = '1', most = 10, annotations = {}, policy = 'WhenEmptyOrUnderutilized', waiting }: Given): Decision {
  const claims = machines.map(({ isDrifted }, index) => {
    const claim = nodeClaim({ name: `default-n${index}` })
    const conditions = [...claim.status.conditions, condition('Drifted')]
    return isDrifted === undefined ? claim : { ...claim, status: { ...claim.status, conditions } }
  })
  const pods = machines.flatMap(({ asks }, index) =>
    asks === undefined ? [] : [pod({ name: `p${index}`, cpus: asks, nodeName: nodeNameOf(`default-n${index}`), phase: 'Running' })],
  )
  const disruption = { consolidationPolicy: policy, consolidateAfter: durationMs(0), budgets: [{ nodes: budget }] }
  const [first] = claims
  if (first === undefined) throw new Error('no machine')
  const command = disruptionCommand([first], { method: 'delete', replacements: [], startedAt: NOW })
  return decide(
    snapshot({
      settings: settings({ mostPlannedTaints: most }),
      commands: [command],
      objects: {
        nodePool: [nodePool({ disruption, meta: { annotations }, template: { requirements: ONE_SIZE } })],
        nodeClaim: claims,
        node: machines.map(({ plannedAt, labels }, index) =>
          node({
            claim: `default-n${index}`,
            taints: plannedAt === undefined ? [] : [planned(plannedAt)],
            ...(labels === undefined ? {} : { meta: { labels } }),
          }),
        ),
        pod: waiting === undefined ? pods : [...pods, pod({ name: 'waiting', cpus: waiting })],
      },
    }),
  )
}

function planned(at: EpochMs): Taint {
  return { key: TAINT_KEY.disruptionPlanned, value: `${Math.floor(at / 1_000)}`, effect: 'PreferNoSchedule' }
}

/** The taints that the decision writes: `+n1` for a node that gets one, `-n1` for a node that loses it. */
function written({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) =>
    action.kind === 'taintPlanned' ? [`${action.plannedAt === undefined ? '-' : '+'}${action.node.replace('joiner-default-', '')}`] : [],
  )
}

const GOING: Machine = {}
const FULL: Machine = { asks: 3.5 }
const SMALL: Machine = { asks: 0.5 }

/** With a budget of two nodes, one small pod moves now and one next. */
const BEGINNING = [GOING, SMALL, SMALL, { asks: 1 }, { ...FULL, plannedAt: ago(MINUTE) }]

describe('the taint of nodes that are planned to go', () => {
  it.each<[sentence: string, given: Given, want: readonly string[]]>([
    ['is put on nodes whose pods fit elsewhere, and not on the node that gets them', { machines: [GOING, SMALL, { asks: 1 }] }, ['+n1']],
    ['is put on no node that has no move', { machines: [GOING, FULL, FULL] }, []],
    [
      'is put on empty nodes and drifted nodes first',
      { machines: [GOING, SMALL, {}, { ...FULL, isDrifted: true }], most: 2 },
      ['+n2', '+n3'],
    ],
    ['is put on no node without the setting', { machines: [GOING, SMALL, SMALL], most: 0 }, []],
    ['is put on no more nodes than the setting says', { machines: [GOING, {}, {}, {}], most: 2 }, ['+n1', '+n2']],
    ['stays where it is rather than moving to an equal node', { machines: [GOING, {}, {}, { plannedAt: ago(MINUTE) }], most: 1 }, []],
    ['is put on no node of which somebody else manages the taints', { machines: [GOING, { labels: managed(1) }, {}] }, ['+n2']],
    ['is put on no node where the budget allows nothing at all', { machines: [GOING, SMALL, SMALL], budget: '0' }, []],
    ['is put on no node that goes now', { machines: [GOING, {}, {}], budget: '2' }, ['+n2']],
    ['is put on the nodes of the next moves when moves begin', { machines: BEGINNING, budget: '2', most: 2 }, ['+n2']],
    ['is left alone when moves begin, and counts then', { machines: BEGINNING, budget: '2', most: 1 }, []],
    ['is not written again', { machines: [GOING, { plannedAt: ago(MINUTE) }, FULL] }, []],
    ['is renewed after half an hour', { machines: [GOING, { plannedAt: ago(31 * MINUTE) }, FULL] }, ['+n1']],
    ['is removed from a node that is not planned to go', { machines: [GOING, FULL, { ...FULL, plannedAt: ago(MINUTE) }] }, ['-n2']],
    ['is removed from all nodes without the setting', { machines: [GOING, { plannedAt: ago(MINUTE) }], most: 0 }, ['-n1']],
    [
      'is removed while moves are frozen',
      { machines: [GOING, { plannedAt: ago(MINUTE) }], annotations: { 'joiner.dev/freeze-disruption': 'true' } },
      ['-n1'],
    ],
    [
      'is removed from a node that the new policy of its pool keeps',
      { machines: [GOING, { ...SMALL, plannedAt: ago(MINUTE) }, SMALL], policy: 'WhenEmpty' },
      ['-n1'],
    ],
    [
      'is left alone by a decision that moves nothing because pods wait',
      { machines: [GOING, { ...FULL, plannedAt: ago(59 * MINUTE) }], waiting: 3 },
      [],
    ],
    ['but no longer than an hour', { machines: [GOING, { ...FULL, plannedAt: ago(60 * MINUTE) }], waiting: 3 }, ['-n1']],
    ['is removed together with the move of its node', { machines: [GOING, { plannedAt: ago(MINUTE) }], budget: '2' }, []],
  ])('%s', (_sentence, given, want) => {
    expect(written(decided(given))).toEqual(want)
  })
})

function managed(index: number): Record<string, string> {
  return { ...node({ claim: `default-n${index}` }).meta.labels, [LABEL.doNotSyncTaints]: 'true' }
}
