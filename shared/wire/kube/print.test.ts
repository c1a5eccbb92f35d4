import { describe, expect, it } from 'vitest'
import { evaluateRule } from '../../../test/schema/celRules.ts'
import { defined } from '../../base/values.ts'
import { nodeClaimName, nodeClassName, nodeName, nodePoolName, providerId, uid } from '../../model/ids.ts'
import type { NodeClaimDraft, NodeClaimStatus } from '../../model/nodeClaim.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import type { Trail } from '../codec.ts'
import { nodePool } from '../objects/node.ts'
import { createManifestValidator } from '../schema/validateManifest.ts'
import { nodeClaimFromKube } from './nodeClaim.ts'
import { nodePoolFromKube } from './nodePool.ts'
import { claimDraftToKube, claimStatusToKube, conditionsToKube, nodePoolStatusToKube, resourcesToKube } from './print.ts'

const validate = createManifestValidator(evaluateRule)

const DRAFT: NodeClaimDraft = {
  name: nodeClaimName('default-7xk2p'),
  nodePool: nodePoolName('default'),
  labels: { team: 'a' },
  annotations: { 'karpenter.sh/nodepool-hash': 'h' },
  spec: {
    nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: nodeClassName('default') },
    requirements: [
      { key: 'team', operator: 'Exists', values: [] },
      { key: 'karpenter.azure.com/sku-cpu', operator: 'Gte', values: ['4'], minValues: 2 },
    ],
    requests: { cpu: 1500, memory: 1_073_741_824, pods: 3 },
    taints: [{ key: 'a', effect: 'NoSchedule' }],
    startupTaints: [],
    expireAfter: durationMs(720 * 3_600_000),
    terminationGracePeriod: durationMs(90_000),
  },
}

const STATUS: NodeClaimStatus = {
  conditions: [
    {
      type: 'Launched',
      status: 'True',
      reason: 'Launched',
      message: '',
      lastTransitionAt: epochMs(1_700_000_000_000),
      observedGeneration: 1,
    },
  ],
  nodeName: nodeName('joiner-a'),
  providerId: providerId('azure:///x'),
  imageId: 'i',
  capacity: { cpu: 4000 },
  allocatable: { cpu: 3860 },
  lastPodEventAt: epochMs(1_700_000_001_000),
}

describe('a claim', () => {
  const manifest = claimDraftToKube(DRAFT, { name: 'default', uid: uid('u') })

  it('is a manifest the API server takes', () => {
    expect(validate('NodeClaim', manifest.apiVersion, { ...manifest, status: claimStatusToKube(STATUS) })).toEqual([])
  })

  it.each([
    { ...DRAFT.spec },
    { ...DRAFT.spec, terminationGracePeriod: undefined, taints: [], startupTaints: [{ key: 'b', value: 'c', effect: 'NoExecute' }] },
    { ...DRAFT.spec, expireAfter: 'Never' },
  ] as const)('is read as it was printed', (given) => {
    const spec = defined(given)
    const printed = claimDraftToKube({ ...DRAFT, spec })
    expect(nodeClaimFromKube({ ...printed, metadata: { ...printed.metadata, uid: 'u' } })).toMatchObject({ ok: true, value: { spec } })
    expect(Object.keys(printed.spec).includes('terminationGracePeriod')).toBe('terminationGracePeriod' in spec)
  })

  it('names its pool as label and owner', () => {
    expect(manifest.metadata).toEqual({
      name: 'default-7xk2p',
      labels: { team: 'a', 'karpenter.sh/nodepool': 'default' },
      annotations: DRAFT.annotations,
      ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'default', uid: 'u', blockOwnerDeletion: true }],
    })
    expect(claimDraftToKube(DRAFT).metadata.ownerReferences).toBeUndefined()
  })

  it('writes quantities and durations as people do', () => {
    expect(manifest.spec).toMatchObject({
      resources: { requests: { cpu: '1500m', memory: '1Gi', pods: '3' } },
      expireAfter: '720h',
      terminationGracePeriod: '1m30s',
      requirements: [
        { key: 'team', operator: 'Exists' },
        { operator: 'Gte', values: ['4'], minValues: 2 },
      ],
    })
  })

  it('reads back as it was meant', () => {
    const json = { ...manifest, metadata: { ...manifest.metadata, uid: 'c' }, status: claimStatusToKube(STATUS) }
    expect(nodeClaimFromKube(JSON.parse(JSON.stringify(json)))).toMatchObject({
      ok: true,
      value: { name: DRAFT.name, spec: DRAFT.spec, status: STATUS },
    })
  })

  it('without a status yet prints none', () => {
    expect(claimStatusToKube({ conditions: [], capacity: {}, allocatable: {} })).toEqual({ conditions: [] })
  })
})

describe('parts', () => {
  it('a condition has a reason and a time to the second', () => {
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: '',
      message: 'm',
      lastTransitionAt: epochMs(1_700_000_000_123),
      observedGeneration: 2,
    } as const
    expect(conditionsToKube([condition])).toEqual([
      { type: 'Ready', status: 'True', reason: 'Ready', message: 'm', lastTransitionTime: '2023-11-14T22:13:20Z', observedGeneration: 2 },
    ])
  })
  it('the status of a pool reads back as it was meant', () => {
    const status = { conditions: STATUS.conditions, resources: { cpu: 4000, nodes: 1 }, nodes: 1 }
    const ref = { group: 'g', kind: 'k', name: 'n' }
    const json = {
      metadata: { name: 'p', uid: 'u' },
      spec: { template: { spec: { nodeClassRef: ref, requirements: [] } } },
      status: nodePoolStatusToKube(status),
    }
    expect(nodePoolFromKube(json)).toMatchObject({ ok: true, value: { status } })
  })
  it('each resource has its own unit', () => {
    expect(resourcesToKube({ cpu: 100, memory: 1024, 'ephemeral-storage': 1_000_000, pods: 110, 'nvidia.com/gpu': 1 })).toEqual({
      cpu: '100m',
      memory: '1Ki',
      'ephemeral-storage': '1000000',
      pods: '110',
      'nvidia.com/gpu': '1',
    })
  })
})

describe('a pool', () => {
  const ref = { group: 'g', kind: 'k', name: 'n' }
  it('has the values the API server fills in', () => {
    const json = { metadata: { name: 'p', uid: 'u' }, spec: { template: { spec: { nodeClassRef: ref, requirements: [] } } } }
    expect(nodePoolFromKube(json)).toMatchObject({
      ok: true,
      value: {
        template: { expireAfter: 2_592_000_000 },
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 0, budgets: [{ nodes: '10%' }] },
        limits: {},
      },
    })
  })
  it.each([
    [
      'are there and empty',
      { labels: {}, annotations: {} },
      { taints: [], startupTaints: [] },
      ['labels', 'annotations', 'taints', 'startupTaints'],
    ],
    ['have a member', { labels: { a: 'b' } }, { taints: [{ key: 'k', effect: 'NoSchedule' }] }, undefined],
    ['are null', { labels: null }, { taints: null }, undefined],
    ['are not there', {}, {}, undefined],
  ])('tells fields of its template that %s, also when it is stored', (_sentence, metadata, fields, emptyFields) => {
    const template = { metadata, spec: { nodeClassRef: ref, requirements: [], ...fields } }
    const read = nodePoolFromKube({ metadata: { name: 'p', uid: 'u' }, spec: { template } })
    if (!read.ok) throw new Error(read.error.message)
    expect(read.value.template.emptyFields).toEqual(emptyFields)
    const trail: Trail = { failure: undefined }
    expect(nodePool.read(JSON.parse(JSON.stringify(nodePool.write(read.value))), trail)).toEqual(read.value)
  })
  it('keeps a limit of zero, which is not the same as none', () => {
    const json = {
      metadata: { name: 'p', uid: 'u' },
      spec: { limits: { cpu: '0' }, template: { spec: { nodeClassRef: ref, requirements: [] } } },
    }
    expect(nodePoolFromKube(json)).toMatchObject({ ok: true, value: { limits: { cpu: 0 } } })
  })
})
