import { describe, expect, it } from 'vitest'
import { selecting, spreadOver, termOn } from '../../../../bench/scheduling/workloads/shapes.ts'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { instanceType, offering } from '../../../../test/builders/instanceType.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../../test/builders/pod.ts'
import { resources } from '../../../../test/builders/resources.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import { type Action, claimsMovedBy } from '../../../model/decision.ts'
import { ANNOTATION, LABEL } from '../../../model/labels.ts'

type Machine = {
  readonly name: string
  readonly size: string
  readonly cpus: number
  readonly memoryGib: number
  readonly zone?: string
  /** True if a pod on the node protects it. */
  readonly stays?: boolean
  readonly pods: readonly PodShape[]
}

function decided(machines: readonly Machine[], types: SnapshotShape['types']): readonly Action[] {
  const objects = {
    nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy: 'WhenEmptyOrUnderutilized' as const } })],
    nodeClaim: machines.map((each) => nodeClaim({ ...each, status: amountsOf(each) })),
    node: machines.map((each) => node({ claim: each.name, size: each.size, zone: each.zone ?? 'eastus-1', ...amountsOf(each) })),
    pod: machines.flatMap(({ name, pods, stays }) =>
      pods.map((shape, at) =>
        pod({
          name: `${name}-${at}`,
          annotations: stays === true ? { [ANNOTATION.doNotDisrupt]: 'true' } : {},
          ...shape,
          nodeName: nodeNameOf(name),
        }),
      ),
    ),
  }
  return disruptionOf(snapshot({ ...(types && { types }), objects })).actions
}

function amountsOf({ cpus, memoryGib }: Machine) {
  const amounts = resources(cpus, memoryGib, { pods: 110 })
  return { capacity: amounts, allocatable: amounts }
}

const ZONES = ['eastus-1', 'eastus-2']

describe('the pods of a node that goes', () => {
  it('share a new node in the zone that sells their common size for less, not in the zone that suits the first pod', () => {
    const near = { podAffinity: { required: [termOn(LABEL.zone, selecting({ app: 'partner' }))], preferred: [] } }
    const partner = {
      size: 'Standard_D4as_v6',
      cpus: 4,
      memoryGib: 16,
      stays: true,
      pods: [{ cpus: 3.5, labels: { app: 'partner' } }],
    } as const
    const actions = decided(
      [
        {
          name: 'default-a',
          size: 'Standard_D32as_v6',
          cpus: 32,
          memoryGib: 128,
          pods: [
            { cpus: 6, ...near },
            { cpus: 5.9, ...near },
          ],
        },
        { name: 'default-one', zone: 'eastus-1', ...partner },
        { name: 'default-two', zone: 'eastus-2', ...partner },
      ],
      [
        instanceType({ price: 0.9, spotPrice: null, zones: ZONES }),
        instanceType({ name: 'Standard_D8as_v6', cpus: 8, memoryGib: 32, price: 0.9, spotPrice: null, zones: ZONES }),
        instanceType({
          name: 'Standard_D16as_v6',
          cpus: 16,
          memoryGib: 64,
          offerings: [offering({ zone: 'eastus-1', price: 1.6 }), offering({ zone: 'eastus-2', price: 1 })],
        }),
        instanceType({ name: 'Standard_D32as_v6', cpus: 32, memoryGib: 128, price: 1.6, spotPrice: null, zones: ZONES }),
      ],
    )
    expect(actions.flatMap((action) => (action.kind === 'createClaim' ? [action.choice] : []))).toEqual([
      { size: 'Standard_D16as_v6', zone: 'eastus-2', capacityType: 'on-demand', price: 1_000_000 },
    ])
  })

  it('are spread over the zones that have nodes, not over zones where nodes could be made', () => {
    const here = { nodeSelector: { [LABEL.zone]: 'eastus-1' } }
    const spread = { topologySpread: [{ ...spreadOver(LABEL.zone, selecting({ app: 'b' })), nodeAffinityPolicy: 'Ignore' as const }] }
    const actions = decided(
      [
        {
          name: 'default-a',
          size: 'Standard_D16as_v6',
          cpus: 16,
          memoryGib: 64,
          pods: [
            { cpus: 1.5, ...here, ...spread },
            { cpus: 1, labels: { app: 'b' }, ...here },
            { cpus: 1, labels: { app: 'b' }, ...here },
          ],
        },
      ],
      [instanceType({ spotPrice: null }), instanceType({ name: 'Standard_D16as_v6', cpus: 16, memoryGib: 64, spotPrice: null })],
    )
    expect(actions.flatMap(claimsMovedBy)).toEqual(['default-a'])
  })

  it('get places in another order if the order by size leaves one without a place', () => {
    const size = 'Standard_D4as_v6'
    const actions = decided(
      [
        {
          name: 'default-a',
          size,
          cpus: 4,
          memoryGib: 16,
          pods: [
            { cpus: 3, memoryGib: 4 },
            { cpus: 0.5, memoryGib: 12 },
          ],
        },
        { name: 'default-b', size, stays: true, cpus: 3.5, memoryGib: 12.2, pods: [{ cpus: 0.1, memoryGib: 0.1 }] },
        { name: 'default-c', size, cpus: 64, memoryGib: 16, pods: [{ cpus: 20, memoryGib: 4.5 }] },
      ],
      undefined,
    )
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'deleteClaim', claim: 'default-a' }))
  })

  const large = { name: 'default-a', size: 'Standard_D16as_v6', cpus: 16, memoryGib: 64 } as const
  const small = { size: 'Standard_D4as_v6', cpus: 4, memoryGib: 16, stays: true } as const

  it('share a new node as they share the old one, although they would rather be apart', () => {
    const apart = { required: [], preferred: [{ weight: 1, term: termOn(LABEL.zone, selecting({ app: 'a' })) }] }
    const actions = decided(
      [{ ...large, pods: [AROUND, AROUND].map((each) => ({ ...each, labels: { app: 'a' }, podAntiAffinity: apart })) }],
      undefined,
    )
    expect(actions.flatMap((action) => (action.kind === 'createClaim' ? [action.pods.length] : []))).toEqual([2])
  })

  it.each([
    ['move to a node that they like as little as theirs', 'eastus-3', ['default-a']],
    ['stay on a node that they like better', 'eastus-1', []],
  ])('%s', (_sentence, liked, gone) => {
    const term = { matchExpressions: [{ key: LABEL.zone, operator: 'In' as const, values: [liked] }], matchFields: [] }
    const actions = decided(
      [
        { ...small, stays: false, name: 'default-a', pods: [{ cpus: 3, preferredNodeTerms: [{ weight: 1, term }] }] },
        { ...small, name: 'default-b', zone: 'eastus-2', pods: [{ cpus: 0.1 }] },
      ],
      [instanceType({ price: 0.2, spotPrice: null })],
    )
    expect(actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.claim] : []))).toEqual(gone)
  })
})

const AROUND = { cpus: 1, memoryGib: 1 }
