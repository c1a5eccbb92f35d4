import { LABEL } from '../../shared/model/labels.ts'
import { NOW } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { instanceType } from '../builders/instanceType.ts'
import { type NodePoolShape, nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { describePlacements, type PlacementCase } from './testing/placementCases.ts'
import { inZone } from './testing/shapes.ts'
import type { Rule } from './violation.ts'

/** A pod on a new machine of a pool of this shape. */
function ofPool(shape: NodePoolShape, breaks?: Rule): PlacementCase {
  return {
    pods: [pod()],
    objects: { nodePool: [nodePool({ name: 'another' }), nodePool(shape)].reverse() },
    claims: [{ pods: ['pod'] }],
    ...(breaks === undefined ? {} : { breaks }),
  }
}

/** A claim that may become either of two sizes. The catalog has three. */
function ofTwoSizes(): PlacementCase & { readonly claims: NonNullable<PlacementCase['claims']> } {
  const sizes = ['one', 'two']
  return {
    pods: [pod()],
    types: [...sizes, 'three'].map((name) => instanceType({ name })),
    claims: [{ pods: ['pod'], sizes }],
  }
}

describePlacements('claims and their pool', {
  'too few sizes for minValues': {
    pods: [pod()],
    objects: {
      nodePool: [nodePool({ template: { requirements: [{ key: LABEL.instanceType, operator: 'Exists', values: [], minValues: 2 }] } })],
    },
    claims: [{ pods: ['pod'] }],
    breaks: 'minValues',
  },
  'minValues that may be missed': {
    pods: [pod()],
    settings: { minValuesPolicy: 'BestEffort' },
    objects: {
      nodePool: [nodePool({ template: { requirements: [{ key: LABEL.instanceType, operator: 'Exists', values: [], minValues: 2 }] } })],
    },
    claims: [{ pods: ['pod'] }],
  },
  'a zone the pool does not allow': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ template: { requirements: [inZone('1')] } })] },
    claims: [{ pods: ['pod'], where: [inZone('2')] }],
    breaks: 'pool',
  },
  'an offering nobody sells': {
    pods: [pod()],
    types: [instanceType({ offerings: instanceType().offerings.map((each) => ({ ...each, available: false })) })],
    claims: [{ pods: ['pod'] }],
    breaks: 'choice',
  },
  'a pool that does not exist': { pods: [pod()], claims: [{ pods: ['pod'], pool: 'gone' }], breaks: 'pool' },
  'a pool that is not ready': ofPool({ status: { conditions: [condition('Ready', { status: 'False' })], resources: {} } }, 'pool'),
  'a pool of which nobody knows whether it is ready': ofPool({ status: { conditions: [condition('Other')], resources: {} } }, 'pool'),
  'a pool that is being deleted': ofPool({ meta: { deletedAt: NOW } }, 'pool'),
  'a pool with a number of machines of its own': ofPool({ replicas: 3 }, 'pool'),
  'a claim without the label of its pool': {
    pods: [pod()],
    claims: [{ pods: ['pod'], labels: { [LABEL.nodePool]: 'other' } }],
    breaks: 'pool',
  },
  'a claim without taints of its pool': {
    ...ofPool({ template: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } }, 'taints'),
    claims: [{ pods: ['pod'], taints: [] }],
  },
  'a claim without pods': { pods: [], claims: [{ pods: [] }], breaks: 'once' },
  'a size that is not there': {
    pods: [pod()],
    claims: [{ pods: ['pod'], sizes: ['Standard_D4as_v6', 'Standard_None'] }],
    breaks: 'instanceType',
  },
  'more sizes than a claim may name': { ...ofTwoSizes(), settings: { maxInstanceTypes: 1 }, breaks: 'instanceType' },
  'as many sizes as a claim may name': { ...ofTwoSizes(), settings: { maxInstanceTypes: 2 } },
  'as many sizes as minValues asks for': {
    ...ofTwoSizes(),
    ...ofPool({ template: { requirements: [{ key: LABEL.instanceType, operator: 'Exists', values: [], minValues: 2 }] } }),
    claims: ofTwoSizes().claims,
  },
  'sizes of one family where minValues asks for two': {
    ...ofTwoSizes(),
    ...ofPool(
      { template: { requirements: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists', values: [], minValues: 2 }] } },
      'minValues',
    ),
    claims: ofTwoSizes().claims,
  },
  'a value that the pool allows beside others': ofPool({ template: { requirements: [inZone('1', '2', '3')] } }),
  'a label that machines lack and the pool asks for': ofPool(
    { template: { requirements: [{ key: 'rack', operator: 'Exists', values: [] }] } },
    'pool',
  ),
})
