import { anyText, bounds, casesOf, type ManifestCase } from './manifestCase.ts'
import { conditionFields, conditionRequired, conditionRows, quantityRows } from './sharedFields.ts'

const base = { metadata: { name: 'buffer', namespace: 'default' }, spec: {} }
const TEMPLATE = { 'spec.podTemplateRef': { name: 'a' } }
const SCALABLE = { 'spec.scalableRef': { apiGroup: 'apps', kind: 'Deployment', name: 'a' } }
const NAMES = { takes: ['a', 'A b'], refuses: ['', 1] }

export const CAPACITY_BUFFER_CASES: readonly ManifestCase[] = casesOf({
  kind: 'CapacityBuffer',
  apiVersion: 'autoscaling.x-k8s.io/v1beta1',
  base,
  fields: {
    spec: { takes: [], refuses: ['a'] },
    status: { takes: [{}], refuses: ['a'] },
    'spec.provisioningStrategy': anyText,
    'spec.replicas': bounds(0),
    'spec.percentage': bounds(0),
    'spec.podTemplateRef': { takes: [{ name: 'a' }], refuses: ['a'], given: { 'spec.replicas': 1 } },
    'spec.podTemplateRef.name': { ...NAMES, given: { 'spec.replicas': 1 } },
    'spec.scalableRef': { takes: [{ kind: 'Deployment', name: 'a' }], refuses: ['a'] },
    'spec.scalableRef.apiGroup': { ...anyText, given: SCALABLE },
    'spec.scalableRef.kind': { ...NAMES, given: SCALABLE },
    'spec.scalableRef.name': { ...NAMES, given: SCALABLE },
    'status.replicas': { takes: [0, -1, 2_147_483_647], refuses: [2_147_483_648, 0.5, '1'] },
    'status.podTemplateGeneration': { takes: [0, -1, 9_007_199_254_740_991], refuses: [0.5, '1'] },
    'status.podTemplateRef': { takes: [{ name: 'a' }], refuses: ['a'] },
    'status.podTemplateRef.name': NAMES,
    'status.provisioningStrategy': anyText,
    ...conditionFields('status.conditions', { loose: false }),
  },
  rows: {
    'the least there can be': {},
    'a member nobody knows, which is dropped': { change: { 'spec.future': { a: 1 } } },
    ...quantityRows('spec.limits'),
    ...conditionRows('status.conditions', { keyed: true, loose: false }),
    'a template and replicas': { change: { ...TEMPLATE, 'spec.replicas': 0 } },
    'a template and limits': { change: { ...TEMPLATE, 'spec.limits': {} } },
    'a template alone': { change: TEMPLATE, at: 'spec', says: 'needs replicas or limits' },
    'a template and a percentage': { change: { ...TEMPLATE, 'spec.percentage': 10 }, at: 'spec', says: 'needs replicas or limits' },
    'a workload': { change: SCALABLE },
    'a workload and a percentage': { change: { ...SCALABLE, 'spec.percentage': 10 } },
    'a template and a workload': { change: { ...TEMPLATE, ...SCALABLE, 'spec.replicas': 1 }, at: 'spec', says: 'not both' },
    'a workload instead of a template': { change: SCALABLE, from: { ...TEMPLATE, 'spec.replicas': 1 } },
    'a workload beside a template': {
      change: { ...TEMPLATE, ...SCALABLE, 'spec.replicas': 1 },
      from: { ...TEMPLATE, 'spec.replicas': 1 },
      at: 'spec',
      says: 'not both',
    },
    'replicas taken from a template': {
      change: TEMPLATE,
      from: { ...TEMPLATE, 'spec.replicas': 1 },
      at: 'spec',
      says: 'needs replicas or limits',
    },
  },
  required: {
    spec: {},
    'spec.podTemplateRef.name': { ...TEMPLATE, 'spec.replicas': 1 },
    'spec.scalableRef.kind': SCALABLE,
    'spec.scalableRef.name': SCALABLE,
    'status.podTemplateRef.name': { 'status.podTemplateRef': { name: 'a' } },
    ...conditionRequired('status.conditions', { loose: false }),
  },
})
