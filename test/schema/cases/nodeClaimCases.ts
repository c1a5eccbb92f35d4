import { labelRows } from './labelRows.ts'
import { anyText, casesOf, type ManifestCase } from './manifestCase.ts'
import { CLASS_REF } from './nodePoolCases.ts'
import {
  conditionFields,
  conditionRequired,
  conditionRows,
  DURATIONS,
  DURATIONS_OR_NEVER,
  INSTANTS,
  operatorRows,
  quantityRows,
  requirementFields,
  taintFields,
} from './sharedFields.ts'

const base = { metadata: { name: 'claim' }, spec: { nodeClassRef: CLASS_REF, requirements: [] } }
const REF = 'spec.nodeClassRef'
const IMMUTABLE = { from: {}, at: 'spec', says: 'cannot be changed' }
const ZONE = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['1'] }

export const NODE_CLAIM_CASES: readonly ManifestCase[] = casesOf({
  kind: 'NodeClaim',
  apiVersion: 'karpenter.sh/v1',
  base,
  fields: {
    spec: { takes: [], refuses: ['a'] },
    status: { takes: [{}], refuses: ['a'] },
    'spec.expireAfter': DURATIONS_OR_NEVER,
    'spec.terminationGracePeriod': DURATIONS,
    ...requirementFields('spec.requirements'),
    ...taintFields('spec.taints'),
    ...taintFields('spec.startupTaints'),
    [REF]: { takes: [CLASS_REF], refuses: ['default'] },
    [`${REF}.group`]: { takes: ['a'], refuses: ['', 'a/b', 1] },
    [`${REF}.kind`]: { takes: ['a'], refuses: ['', 1] },
    [`${REF}.name`]: { takes: ['a'], refuses: ['', 1] },
    'spec.resources': { takes: [{}], refuses: ['1'] },
    'status.nodeName': anyText,
    'status.providerID': anyText,
    'status.imageID': anyText,
    'status.lastPodEventTime': INSTANTS,
    ...conditionFields('status.conditions', { loose: true }),
  },
  rows: {
    'the least there can be': {},
    'a member nobody knows, which is dropped': { change: { 'spec.future': { a: 1 } } },
    ...labelRows({
      title: 'a requirement on',
      at: 'spec.requirements[0].key',
      takesNodePool: true,
      change: (key) => ({ 'spec.requirements': [{ key, operator: 'Exists' }] }),
    }),
    ...operatorRows('spec.requirements', { notInNeedsValues: false, hasMinValues: true }),
    ...quantityRows('spec.resources.requests'),
    ...quantityRows('status.capacity'),
    ...quantityRows('status.allocatable'),
    ...conditionRows('status.conditions', { keyed: true, loose: true }),
    'the same spec again': { from: {} },
    'the same spec with its default written out': { change: { 'spec.expireAfter': '720h' }, from: {} },
    'labels added later': { change: { 'metadata.labels': { a: 'b' } }, from: {} },
    'another time to expire': { ...IMMUTABLE, change: { 'spec.expireAfter': '1h' } },
    'another class': { ...IMMUTABLE, change: { 'spec.nodeClassRef.name': 'other' } },
    'a requirement added later': { ...IMMUTABLE, change: { 'spec.requirements': [ZONE] } },
    'a requirement taken away later': { ...IMMUTABLE, from: { 'spec.requirements': [ZONE] } },
    'a taint added later': { ...IMMUTABLE, change: { 'spec.taints': [{ key: 'a', effect: 'NoSchedule' }] } },
    'resources added later': { ...IMMUTABLE, change: { 'spec.resources': { requests: { cpu: '1' } } } },
  },
  required: {
    spec: {},
    'spec.requirements': {},
    [REF]: {},
    [`${REF}.group`]: {},
    [`${REF}.kind`]: {},
    [`${REF}.name`]: {},
    'spec.requirements[0].key': { 'spec.requirements': [{ key: 'a', operator: 'Exists' }] },
    'spec.requirements[0].operator': { 'spec.requirements': [{ key: 'a', operator: 'Exists' }] },
    'spec.taints[0].key': { 'spec.taints': [{ key: 'a', effect: 'NoSchedule' }] },
    'spec.taints[0].effect': { 'spec.taints': [{ key: 'a', effect: 'NoSchedule' }] },
    'spec.startupTaints[0].key': { 'spec.startupTaints': [{ key: 'a', effect: 'NoSchedule' }] },
    'spec.startupTaints[0].effect': { 'spec.startupTaints': [{ key: 'a', effect: 'NoSchedule' }] },
    ...conditionRequired('status.conditions', { loose: true }),
  },
})
