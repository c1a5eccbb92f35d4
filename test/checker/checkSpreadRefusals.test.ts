import { describe, expect, it } from 'vitest'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import { nodeClaimName, nodePoolName, vmSizeName, zoneName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { refOf } from '../../shared/model/pod.ts'
import { hence, MINUTE } from '../builders/clock.ts'
import { instanceType } from '../builders/instanceType.ts'
import { type NodeShape, node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import type { PodShape } from '../builders/pod.ts'
import { type SnapshotShape, snapshot } from '../builders/snapshot.ts'
import { checkSpreadRefusals } from './checkSpreadRefusals.ts'
import { app, inZone, spread } from './testing/shapes.ts'

const TAINT = { key: 'dedicated', effect: 'NoSchedule' } as const

type Given = {
  /** The zones in which the only size is sold. Default: the first. */
  readonly sold?: readonly string[]
  /** Nodes without claims, and how many pods of the spread run on each. */
  readonly nodes?: readonly { readonly shape: NodeShape; readonly pods: number }[]
  readonly pod?: PodShape
  readonly more?: SnapshotShape
  readonly code?: Decision['reasons'][number]['code']
  /** The zones that a new claim with one pod of the spread may be in. */
  readonly claim?: readonly string[]
}

const FIRST = { shape: { name: 'first', zone: 'eastus-1' }, pods: 1 } as const
const SECOND = { shape: { name: 'second', zone: 'eastus-2' }, pods: 0 } as const
const TAINTED = { shape: { ...SECOND.shape, taints: [TAINT] }, pods: 0 } as const

function violations({ sold = ['eastus-1'], nodes = [], pod: shape = {}, more = {}, code = 'SCHEDULING.SPREAD', claim }: Given) {
  const machines = nodes.map(({ shape: each }) => node(each))
  const running = nodes.flatMap(({ pods }, index) =>
    Array.from({ length: pods }, (_, at) => app(`on-${index}-${at}`, { nodeName: machines[index]?.name ?? '', phase: 'Running' })),
  )
  const refused = app('p', { topologySpread: [spread()], ...shape })
  const coming = app('coming')
  const { objects, ...others } = more
  const world = snapshot({
    types: [instanceType({ zones: sold })],
    ...others,
    objects: { node: machines, pod: [...running, refused, ...(claim === undefined ? [] : [coming])], ...objects },
  })
  const create: CreateClaim = {
    kind: 'createClaim',
    draft: {
      name: nodeClaimName('default-new'),
      nodePool: nodePoolName('default'),
      labels: { [LABEL.nodePool]: 'default' },
      annotations: {},
      spec: { ...nodeClaim().spec, requirements: [inZone(...(claim ?? []))] },
    },
    pods: [refOf(coming)],
    choice: { size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot' },
    alternatives: 1,
  }
  const reasons = [{ code, subject: { kind: 'pod', name: 'default/p' }, message: '' }] as const
  return checkSpreadRefusals(world, { actions: claim === undefined ? [] : [create], reasons })
}

const blocked = (until: number): SnapshotShape => ({
  unavailable: (['spot', 'on-demand'] as const).map((capacityType) => ({
    scope: { kind: 'offering', size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-2'), capacityType },
    until: hence(until),
    code: 'AZURE.ALLOCATION.ZONE',
    message: '',
  })),
})

/** True: a machine is open to the pod, so the refusal is wrong. */
const CASES: { readonly [sentence: string]: readonly [isWrong: boolean, given: Given] } = {
  'a pod of an empty cluster': [true, {}],
  'a pod where one more is within the skew': [true, { nodes: [FIRST] }],
  'a pod where a node of another zone is emptier': [false, { nodes: [FIRST, SECOND] }],
  'a pod with a larger skew': [true, { nodes: [FIRST, SECOND], pod: { topologySpread: [spread({ maxSkew: 2 })] } }],
  'a pod with just too small a skew': [
    false,
    { nodes: [{ ...FIRST, pods: 2 }, SECOND], pod: { topologySpread: [spread({ maxSkew: 2 })] } },
  ],
  'a pod that a machine in the emptier zone could take': [true, { nodes: [FIRST, SECOND], sold: ['eastus-1', 'eastus-2'] }],
  'a pod that does not count itself': [true, { nodes: [FIRST, SECOND], pod: { labels: {} } }],
  'a pod with fewer domains than it asks for': [false, { nodes: [FIRST], pod: { topologySpread: [spread({ minDomains: 2 })] } }],
  'a pod with as many domains as it asks for': [true, { nodes: [FIRST], pod: { topologySpread: [spread({ minDomains: 1 })] } }],
  'a pod that the emptier node does not admit': [true, { nodes: [FIRST, SECOND], pod: { nodeSelector: { [LABEL.zone]: 'eastus-1' } } }],
  'such a pod that counts all nodes': [
    false,
    {
      nodes: [FIRST, SECOND],
      pod: { nodeSelector: { [LABEL.zone]: 'eastus-1' }, topologySpread: [spread({ nodeAffinityPolicy: 'Ignore' })] },
    },
  ],
  'a pod whose emptier node has a taint': [false, { nodes: [FIRST, TAINTED] }],
  'such a pod that counts nodes without it': [
    true,
    { nodes: [FIRST, TAINTED], pod: { topologySpread: [spread({ nodeTaintsPolicy: 'Honor' })] } },
  ],
  'a pod over hosts': [true, { nodes: [FIRST, SECOND], pod: { topologySpread: [spread({ topologyKey: LABEL.hostname })] } }],
  'a pod that only likes to be spread': [
    true,
    { nodes: [FIRST, SECOND], pod: { topologySpread: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] } },
  ],
  'a pod with a key that no machine has': [false, { pod: { topologySpread: [spread({ topologyKey: 'example.com/rack' })] } }],
  'a pod with two rules of which one forbids it': [
    false,
    { nodes: [FIRST, SECOND], pod: { topologySpread: [spread({ topologyKey: LABEL.region }), spread()] } },
  ],
  'a pod that is too large': [false, { pod: { cpus: 5 } }],
  'a pod that no size may serve': [false, { pod: { nodeSelector: { [LABEL.arch]: 'arm64' } } }],
  'a pod that does not tolerate the NodePool': [false, { more: { objects: { nodePool: [nodePool({ template: { taints: [TAINT] } })] } } }],
  'a pod that tolerates it': [
    true,
    { pod: { tolerations: [{ operator: 'Exists' }] }, more: { objects: { nodePool: [nodePool({ template: { taints: [TAINT] } })] } } },
  ],
  'a pod that selects the label of the NodePool': [true, { pod: { nodeSelector: { [LABEL.nodePool]: 'default' } } }],
  'a pod that selects a label of the template': [
    true,
    { pod: { nodeSelector: { team: 'a' } }, more: { objects: { nodePool: [nodePool({ template: { labels: { team: 'a' } } })] } } },
  ],
  'a pod that is refused for something else': [false, { code: 'SCHEDULING.RESOURCES' }],
  'a pod in a cluster with claims': [false, { more: { objects: { nodeClaim: [nodeClaim()] } } }],
  'a pod beside claims that are decided': [
    false,
    {
      more: {
        drafts: [
          { name: nodeClaimName('default-d'), nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec: nodeClaim().spec },
        ],
      },
    },
  ],
  'a pod while an emptier zone is for sale soon': [false, { nodes: [FIRST], sold: ['eastus-1', 'eastus-2'], more: blocked(5 * MINUTE) }],
  'a pod while an emptier zone is not for sale for long': [
    true,
    { nodes: [FIRST], sold: ['eastus-1', 'eastus-2'], more: blocked(20 * MINUTE) },
  ],
  'a pod beside a new claim in the emptier zone': [true, { nodes: [FIRST, SECOND], sold: ['eastus-1', 'eastus-2'], claim: ['1'] }],
  'a pod beside a new claim that fills its zone': [false, { nodes: [SECOND], claim: ['1'] }],
  'a pod beside a new claim that may be in several zones': [false, { sold: ['eastus-1', 'eastus-2'], claim: ['1', '2'] }],
}

describe('the checker of refusals for a spread', () => {
  for (const [sentence, [isWrong, given]] of Object.entries(CASES)) {
    it(`${isWrong ? 'sees' : 'lets pass'} ${sentence}`, () => {
      const found = violations(given)
      if (!isWrong) expect(found).toEqual([])
      else
        expect(found).toEqual([
          {
            rule: 'spread',
            subject: 'pod default/p',
            message: expect.stringMatching(
              /^it is refused, but Standard_D4as_v6 is open to it: \{.*"topology.kubernetes.io\/zone":"eastus-\d"/,
            ),
          },
        ])
    })
  }

  it('lets pass a pod that has a place', () => {
    const world = snapshot({ types: [instanceType()], objects: { pod: [app('p', { topologySpread: [spread()] })] } })
    const reasons = [{ code: 'SCHEDULING.SPREAD', subject: { kind: 'pod', name: 'default/q' }, message: '' }] as const
    expect(checkSpreadRefusals(world, { actions: [], reasons })).toEqual([])
    const ofPool = [{ code: 'SCHEDULING.SPREAD', subject: { kind: 'nodePool', name: 'default/p' }, message: '' }] as const
    expect(checkSpreadRefusals(world, { actions: [], reasons: ofPool })).toEqual([])
  })
})
