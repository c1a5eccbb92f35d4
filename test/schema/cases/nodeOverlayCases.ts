import { labelRows } from './labelRows.ts'
import { bounds, casesOf, type ManifestCase } from './manifestCase.ts'
import { conditionFields, conditionRequired, conditionRows, operatorRows, quantityRows, requirementFields } from './sharedFields.ts'

const base = { metadata: { name: 'overlay' }, spec: { requirements: [] } }
const MEASURED = ['cpu', 'memory', 'ephemeral-storage', 'pods']

export const NODE_OVERLAY_CASES: readonly ManifestCase[] = casesOf({
  kind: 'NodeOverlay',
  apiVersion: 'karpenter.sh/v1alpha1',
  base,
  fields: {
    spec: { takes: [], refuses: ['a'] },
    status: { takes: [{}], refuses: ['a'] },
    ...requirementFields('spec.requirements'),
    'spec.price': { takes: ['0', '1', '0.05', '10.0'], refuses: ['', '-1', '+1', '.5', '1.', '1,5', 'free', '1e3', 1] },
    'spec.priceAdjustment': {
      takes: ['+1', '-1', '+0.5', '-.5', '+10%', '+1000%', '+.5%', '-10%', '-99.9%', '-100%'],
      refuses: ['', '1', '10%', '-101%', '-.5%', '+1.', '+', '-100.5%', '+1%%', '+-1', 1],
    },
    'spec.weight': bounds(1, 10_000),
    'spec.capacity': { takes: [{ 'example.com/device': 1, hugepages: '2Gi' }], refuses: ['1'] },
    ...conditionFields('status.conditions', { loose: false }),
  },
  rows: {
    'the least there can be': {},
    'a member nobody knows, which is dropped': { change: { 'spec.future': { a: 1 } } },
    'minValues, which is not known here and dropped': {
      change: { 'spec.requirements': [{ key: 'a', operator: 'In', values: ['1'], minValues: 99 }] },
    },
    ...labelRows({
      title: 'a requirement on',
      at: 'spec.requirements[0].key',
      takesNodePool: true,
      change: (key) => ({ 'spec.requirements': [{ key, operator: 'Exists' }] }),
    }),
    ...operatorRows('spec.requirements', { notInNeedsValues: true, hasMinValues: false }),
    ...quantityRows('spec.capacity'),
    ...Object.fromEntries(
      MEASURED.map((name) => [
        `capacity of ${name}`,
        { change: { 'spec.capacity': { 'example.com/device': 1, [name]: 1 } }, at: 'spec.capacity', says: 'capacity cannot set' },
      ]),
    ),
    'capacity of a resource that ends like another': { change: { 'spec.capacity': { 'example.com/cpu': 1 } } },
    'a price': { change: { 'spec.price': '1' } },
    'a price and an adjustment': { change: { 'spec.price': '1', 'spec.priceAdjustment': '+1' }, at: 'spec', says: 'not both' },
    'a price instead of an adjustment': { change: { 'spec.price': '1' }, from: { 'spec.priceAdjustment': '+1' } },
    'a price beside an adjustment': {
      change: { 'spec.price': '1', 'spec.priceAdjustment': '+1' },
      from: { 'spec.priceAdjustment': '+1' },
      at: 'spec',
      says: 'not both',
    },
    ...conditionRows('status.conditions', { keyed: true, loose: false }),
  },
  required: {
    spec: {},
    'spec.requirements': {},
    'spec.requirements[0].key': { 'spec.requirements': [{ key: 'a', operator: 'Exists' }] },
    'spec.requirements[0].operator': { 'spec.requirements': [{ key: 'a', operator: 'Exists' }] },
    ...conditionRequired('status.conditions', { loose: false }),
  },
})
