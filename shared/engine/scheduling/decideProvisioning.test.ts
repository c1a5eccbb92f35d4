import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hence, MINUTE } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { daemonSet } from '../../../test/builders/daemonSet.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod, pods } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { checkPlan } from '../../../test/checker/checkPlan.ts'
import { shuffled } from '../../../test/scenarios/shuffle.ts'
import { canonicalJson } from '../../base/json.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../model/decision.ts'
import { vmSizeName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { explainPod } from './explain/explainPod.ts'
import { decideProvisioning } from './planningState.ts'

const aPod = fc.record({
  cpus: fc.constantFrom(0.1, 0.5, 1, 1.7, 3, 6),
  memoryGib: fc.constantFrom(0.1, 1, 2, 5, 12),
  zone: fc.constantFrom(undefined, undefined, 'eastus-1', 'eastus-2'),
  capacityType: fc.constantFrom(undefined, undefined, undefined, 'on-demand'),
  isTolerant: fc.boolean(),
})

const aCluster = fc.record({
  pods: fc.array(aPod, { minLength: 1, maxLength: 40 }),
  nodes: fc.integer({ min: 0, max: 3 }),
  limit: fc.constantFrom(undefined, undefined, 8000, 20_000),
  isTainted: fc.boolean(),
  weight: fc.constantFrom(0, 10),
  daemons: fc.integer({ min: 0, max: 2 }),
})

function clusterOf(input: typeof aCluster extends fc.Arbitrary<infer Value> ? Value : never): ClusterSnapshot {
  const names = Array.from({ length: input.nodes }, (_, index) => `default-node${index}`)
  return snapshot({
    objects: {
      pod: input.pods.map((each, index) => podOf(each, index)),
      node: names.map((claim, index) => node({ claim, initialized: index > 0 })),
      nodeClaim: names.map((name, index) => nodeClaim({ name, stage: index > 0 ? 'initialized' : 'registered' })),
      daemonSet: Array.from({ length: input.daemons }, (_, index) => daemonSet({ name: `daemon-${index}` })),
      nodePool: [
        nodePool({ limits: input.limit === undefined ? {} : { cpu: input.limit } }),
        nodePool({
          name: 'other',
          weight: input.weight,
          template: { taints: input.isTainted ? [{ key: 'team', effect: 'NoSchedule' }] : [] },
        }),
      ],
    },
  })
}

function podOf(each: typeof aPod extends fc.Arbitrary<infer Value> ? Value : never, index: number): Pod {
  return pod({
    name: `p${index}`,
    cpus: each.cpus,
    memoryGib: each.memoryGib,
    nodeSelector: {
      ...(each.zone === undefined ? {} : { [LABEL.zone]: each.zone }),
      ...(each.capacityType === undefined ? {} : { [LABEL.capacityType]: each.capacityType }),
    },
    tolerations: each.isTolerant ? [{ key: 'team', operator: 'Exists' }] : [],
  })
}

describe('any cluster', () => {
  it('gets a plan the checker finds nothing in', () => {
    fc.assert(
      fc.property(aCluster, (input) => {
        const before = clusterOf(input)
        expect(checkPlan(before, decideProvisioning(before))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('gets the same bytes whatever the order of its objects', () => {
    fc.assert(
      fc.property(aCluster, fc.nat(), (input, order) => {
        const before = clusterOf(input)
        const want = canonicalJson(decideProvisioning(before))
        expect(canonicalJson(decideProvisioning(shuffled(before, order)))).toBe(want)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a claim', () => {
  it('carries what its pool says, and what its pods need with daemons once', () => {
    const pool = nodePool({
      template: {
        labels: { team: 'a' },
        annotations: { note: 'x' },
        requirements: [
          { key: 'tier', operator: 'In', values: ['gold', 'silver'] },
          { key: 'gen', operator: 'Gt', values: ['2'] },
          { key: LABEL.arch, operator: 'In', values: ['amd64'] },
        ],
        taints: [{ key: 'a', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'b', effect: 'NoExecute' }],
      },
    })
    const [claim] = claimsOf({
      objects: {
        nodePool: [pool],
        pod: pods(2, { tolerations: [{ operator: 'Exists' }] }),
        daemonSet: [daemonSet({ cpus: 1, memoryGib: 1, tolerations: [{ operator: 'Exists' }] })],
      },
    })
    expect(claim?.draft.labels).toEqual({
      team: 'a',
      tier: 'gold',
      gen: '3',
      [LABEL.nodePool]: 'default',
      [LABEL.nodeClass]: 'default',
    })
    expect(claim?.draft.annotations).toMatchObject({
      note: 'x',
      'karpenter.sh/nodepool-hash-version': 'v3',
      'joiner.dev/decision': '1',
    })
    expect(claim?.draft.spec).toMatchObject({
      requests: { cpu: 3000, memory: 3 * 1024 ** 3, pods: 3 },
      taints: pool.template.taints,
      startupTaints: pool.template.startupTaints,
      expireAfter: pool.template.expireAfter,
    })
    expect(claim?.draft.spec.requirements.map((each) => `${each.key} ${each.operator} ${each.values.length}`)).toEqual([
      'gen Gte 1',
      'karpenter.azure.com/aksnodeclass In 1',
      'karpenter.sh/capacity-type In 2',
      'karpenter.sh/nodepool In 1',
      'kubernetes.io/arch In 1',
      'node.kubernetes.io/instance-type In 7',
      'team In 1',
      'tier In 2',
      'topology.kubernetes.io/zone In 3',
    ])
  })

  it('names the cheapest sizes, and says what a launch would take now and next', () => {
    const [claim] = claimsOf({
      settings: { maxInstanceTypes: 2 },
      types: [sizeAt('c', 0.3), sizeAt('a', 0.2), sizeAt('b', 0.1)],
      objects: { pod: [pod()] },
    })
    expect(claim).toMatchObject({
      choice: { size: 'b', zone: expect.stringMatching(/^eastus-[123]$/), capacityType: 'spot', price: 33_333 },
      nextBest: { size: 'a', capacityType: 'spot' },
      alternatives: 2,
    })
    expect(claim?.draft.spec.requirements.find((each) => each.key === LABEL.instanceType)?.values).toEqual(['a', 'b'])
  })

  it('gets another name when its own is taken', () => {
    const [first] = claimsOf({ objects: { pod: [pod()] } })
    const [second] = claimsOf({ objects: { pod: [pod({ cpus: 3.9 })], nodeClaim: [nodeClaim({ name: first?.draft.name ?? '' })] } })
    expect(first?.draft.name).toMatch(/^default-[a-z0-9]{5}$/)
    expect(second?.draft.name).toMatch(/^default-[a-z0-9]{6}$/)
  })

  it('of a pool with a long name still names a machine', () => {
    const [claim] = claimsOf({ objects: { pod: [pod()], nodePool: [nodePool({ name: 'p'.repeat(63) })] } })
    expect(`joiner-${claim?.draft.name}`).toHaveLength(63)
  })
})

describe('a refusal', () => {
  it('EVT-01 says for each pool which stage refused, in one event a pod', () => {
    const decision = decideProvisioning(
      snapshot({
        objects: {
          pod: pods(3, { cpus: 100 }),
          nodePool: [
            nodePool(),
            nodePool({ name: 'tainted', template: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } }),
            nodePool({ name: 'unready', status: { conditions: [condition('Ready', { status: 'False' })], resources: {} } }),
          ],
        },
      }),
    )
    expect(decision.reasons).toHaveLength(3)
    expect(decision.reasons[0]?.per?.map((each) => [each.subject.name, each.code])).toEqual([
      ['tainted', 'SCHEDULING.TAINT'],
      ['default', 'SCHEDULING.RESOURCES'],
      ['unready', 'POOL.NOT_READY'],
    ])
    expect(decision.actions).toHaveLength(3)
    expect(decision.actions[0]).toMatchObject({
      kind: 'publish',
      event: { subject: { kind: 'pod', name: 'default/pod-0' }, type: 'Warning', reason: 'FailedScheduling' },
    })
  })

  it('for want of offerings wakes when the first of them may be asked for again', () => {
    const blocks = [3, 2].map(
      (minutes) =>
        ({
          scope: { kind: 'offering', size: vmSizeName('a') },
          until: hence(minutes * MINUTE),
          code: 'AZURE.ALLOCATION.REGION',
          message: '',
        }) as const,
    )
    const decision = decideProvisioning(snapshot({ types: [sizeAt('a', 1)], unavailable: blocks, objects: { pod: [pod()] } }))
    expect(decision.reasons[0]?.code).toBe('SCHEDULING.OFFERING')
    expect(decision.wakeAt).toBe(hence(2 * MINUTE))
  })
})

function claimsOf(shape: SnapshotShape): readonly CreateClaim[] {
  const before = snapshot(shape)
  const decision: Decision = decideProvisioning(before)
  expect(checkPlan(before, decision)).toEqual([])
  return decision.actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
}

function sizeAt(name: string, price: number) {
  return instanceType({ name, price })
}

describe('a taint that only asks to be avoided', () => {
  const soft = { key: 'rather-not', effect: 'PreferNoSchedule' } as const
  const avoided = nodePool({ name: 'avoided', weight: 10, template: { taints: [soft] } })
  const poolsFor = (shape: SnapshotShape['objects']) => claimsOf({ objects: shape ?? {} }).map(({ draft }) => draft.nodePool)

  it('keeps pods away while another pool takes them, whatever the weights', () => {
    expect(poolsFor({ pod: [pod()], nodePool: [avoided, nodePool()] })).toEqual(['default'])
  })

  it('does not keep pods from their only pool', () => {
    const objects = { pod: [pod()], nodePool: [avoided] }
    expect(poolsFor(objects)).toEqual(['avoided'])
    const input = snapshot({ objects })
    expect(checkPlan(input, decideProvisioning(input))).toEqual([])
  })

  it('does not make pods that got a place without it less choosy', () => {
    const picky = pod({ name: 'picky', nodeSelector: { team: 'a' } })
    const teamOnly = nodePool({ name: 'avoided', weight: 10, template: { taints: [soft], labels: { team: 'a' } } })
    const creates = claimsOf({ objects: { pod: [pod({ name: 'plain' }), picky], nodePool: [teamOnly, nodePool()] } })
    const poolOf = new Map(creates.flatMap(({ draft, pods: those }) => those.map(({ key }) => [key, draft.nodePool])))
    expect(Object.fromEntries(poolOf)).toEqual({ 'default/plain': 'default', 'default/picky': 'avoided' })
  })

  it('beside a taint that forbids changes nothing', () => {
    const both = nodePool({ template: { taints: [soft, { key: 'never', effect: 'NoSchedule' }] } })
    expect(poolsFor({ pod: [pod()], nodePool: [both] })).toEqual([])
  })
})

describe('a pod that asks for a size by name', () => {
  const leftOutSizes = new Map([['Standard_E8-4ds_v5', 'have constrained CPUs']])
  const asking = pod({ name: 'large', nodeSelector: { [LABEL.instanceType]: 'Standard_E8-4ds_v5' } })
  const given = snapshot({ leftOutSizes, objects: { pod: [asking] } })
  const words = /; Joiner leaves out Standard_E8-4ds_v5, since such sizes have constrained CPUs; to do: /

  it('is told that Joiner leaves out the size, by its decision', () => {
    expect(decideProvisioning(given).reasons).toMatchObject([{ subject: { name: asking.key }, message: expect.stringMatching(words) }])
  })

  it('is told so by its explanation', () => {
    expect(explainPod(given, asking.key)).toMatchObject({ ok: true, value: { kind: 'refused', message: expect.stringMatching(words) } })
  })
})
