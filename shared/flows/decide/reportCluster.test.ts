import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { resources } from '../../../test/builders/resources.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { SILENT } from '../../../test/builders/telemetry.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'
import { reportCluster } from './reportCluster.ts'

const NOTHING: Decision = { actions: [], reasons: [] }

/** Each measure as one line: its name, its fields, its value. */
function measured(shape: Parameters<typeof snapshot>[0], decided = NOTHING): readonly string[] {
  const lines: string[] = []
  const given = snapshot(shape)
  const measure = (name: string, value: number, fields: LogFields = {}): void => {
    const what = Object.entries(fields).flatMap(([field, text]) => (field === 'cluster' ? [] : [text]))
    lines.push([name, ...what, value].join(' '))
  }
  reportCluster({ cluster: given.cluster, telemetry: { ...SILENT, measure } }, given, decided)
  return lines
}

describe('the machines of a cluster', () => {
  const claims = [
    nodeClaim({ name: 'default-a' }),
    nodeClaim({ name: 'default-b' }),
    nodeClaim({ name: 'default-c', capacityType: 'spot' }),
    nodeClaim({ name: 'other-d', nodePool: 'other' }),
    nodeClaim({ name: 'default-e', stage: 'created' }),
  ]

  it('are counted by pool and capacity type, with what they cost; what is not launched costs nothing', () => {
    expect(measured({ objects: { nodeClaim: claims }, types: [instanceType({ price: 0.4, spotPrice: 0.1 })] })).toEqual([
      'nodepool.nodes default on-demand 2',
      'nodepool.cost.hourly default on-demand 0.8',
      'nodepool.nodes default spot 1',
      'nodepool.cost.hourly default spot 0.1',
      'nodepool.nodes other on-demand 1',
      'nodepool.cost.hourly other on-demand 0.4',
    ])
  })
})

it('a pool with limits tells the largest share that is used', () => {
  const pool = nodePool({ limits: resources(8, 64) })
  const used = { ...pool, status: { ...pool.status, resources: resources(4, 48) } }
  expect(measured({ objects: { nodePool: [used] } })).toEqual(['nodepool.limit.used default 0.75'])
})

it('pods without a place are counted by the reason', () => {
  const reasons = ['a', 'b'].map((name) => ({ code: 'POD.VOLUME', subject: { kind: 'pod', name }, message: '' }) as const)
  expect(measured({}, { ...NOTHING, reasons })).toEqual(['karpenter_scheduler_unschedulable_pods_count POD.VOLUME 2'])
})

it('objects that a decision leaves out are counted by kind, and each is an error that names it', () => {
  const leftOut = ['a', 'b'].map((name) => ({ kind: 'pod', name, failure: 'f' }) as const)
  expect(measured({}, { ...NOTHING, leftOut })).toEqual(['decision.left_out pod 2'])
  const errors: string[] = []
  const telemetry: Telemetry = { ...SILENT, error: (message, fields) => void errors.push(`${fields?.code} ${message}`) }
  reportCluster({ cluster: snapshot().cluster, telemetry }, snapshot(), { ...NOTHING, leftOut })
  expect(errors).toHaveLength(2)
  expect(errors[0]).toMatch(/^INTERNAL\.LEFT_OUT the decision fails with pod a, which is left out of it; to do: /)
})

const FOREIGN = { ...nodeClassRef('default'), kind: 'EC2NodeClass' }
const priced = (price: number | null) => [instanceType({ price, spotPrice: 0.1 })]
const A = nodeClaim({ name: 'a', capacityType: 'on-demand' })
const B = nodeClaim({ name: 'b', capacityType: 'on-demand' })
const SPOT = nodeClaim({ name: 's', capacityType: 'spot' })

/** The lines of one measure. */
function of(name: string, shape: Parameters<typeof snapshot>[0]): readonly string[] {
  return measured(shape).flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []))
}

const costs = (shape: Parameters<typeof snapshot>[0]) => of('nodepool.cost.hourly', shape)

describe('CL-21 the cost of a pool', () => {
  const fleets: { readonly [when: string]: readonly [Parameters<typeof snapshot>[0], readonly string[]] } = {
    'of a first machine': [{ types: priced(0.4), objects: { nodeClaim: [A] } }, ['default on-demand 0.4']],
    'of a second one': [{ types: priced(0.4), objects: { nodeClaim: [A, B] } }, ['default on-demand 0.8']],
    'of a spot machine beside it': [
      { types: priced(0.4), objects: { nodeClaim: [A, SPOT] } },
      ['default on-demand 0.4', 'default spot 0.1'],
    ],
    'of another pool': [
      { types: priced(0.4), objects: { nodeClaim: [A, nodeClaim({ name: 'o', nodePool: 'other', capacityType: 'on-demand' })] } },
      ['default on-demand 0.4', 'other on-demand 0.4'],
    ],
    'after its price changed': [{ types: priced(0.3), objects: { nodeClaim: [A, B] } }, ['default on-demand 0.6']],
    'whose price nobody knows': [{ types: priced(null), objects: { nodeClaim: [A] } }, ['default on-demand 0']],
    'of machines of two classes, whose disks differ in price': [
      {
        types: { default: priced(0.4), large: priced(0.5) },
        objects: { nodeClaim: [A, nodeClaim({ name: 'l', nodeClass: 'large', capacityType: 'on-demand' })] },
      },
      ['default on-demand 0.9'],
    ],
    'without machines': [{ objects: { nodeClaim: [] } }, []],
    'of machines of another provider': [{ objects: { nodeClaim: [nodeClaim({ spec: { nodeClassRef: FOREIGN } })] } }, []],
  }
  it.each(Object.entries(fleets))('%s', (_when, [shape, want]) => expect(costs(shape)).toEqual(want))
})

describe('MET-02 the limits of a pool', () => {
  const used = (...pools: readonly NodePool[]) => of('nodepool.limit.used', { objects: { nodePool: pools } })
  const half = { limits: { cpu: 8000, nodes: 10 }, status: { conditions: [], resources: { cpu: 4000 }, nodes: 1 } }

  it('are told as the share of the fullest one', () => expect(used(nodePool(half))).toEqual(['default 0.5']))
  it('are not told where there are none', () => expect(used(nodePool())).toEqual([]))
  it('are not told of a pool of another provider', () =>
    expect(used(nodePool({ ...half, template: { nodeClassRef: FOREIGN } }))).toEqual([]))
})
