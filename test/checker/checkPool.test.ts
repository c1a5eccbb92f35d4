import { LABEL } from '../../shared/model/labels.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'
import { inZone } from './testing/shapes.ts'

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
})
