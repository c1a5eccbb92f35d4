import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OBJECT_KINDS, type ObjectKind } from '../../model/clusterObjects.ts'
import { nodeFromKube } from './node.ts'
import { nodeClaimFromKube } from './nodeClaim.ts'
import { nodePoolFromKube } from './nodePool.ts'
import { objectFromKube } from './object.ts'
import { podFromKube } from './pod.ts'

/** A valid object of each kind, with its required members only. */
const MINIMAL: { readonly [Kind in ObjectKind]: Record<string, unknown> } = {
  pod: { metadata: { name: 'p', namespace: 'ns', uid: 'u' }, spec: { containers: [] } },
  node: { metadata: { name: 'n', uid: 'u' } },
  nodeClaim: { metadata: { name: 'c', uid: 'u' }, spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] } },
  nodePool: {
    metadata: { name: 'default', uid: 'u' },
    spec: { template: { spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] } } },
  },
  nodeClass: { metadata: { name: 'default', uid: 'u' }, spec: {} },
  daemonSet: { metadata: { name: 'd', namespace: 'ns', uid: 'u' }, spec: { template: { spec: { containers: [] } } } },
  podDisruptionBudget: { metadata: { name: 'b', namespace: 'ns', uid: 'u' }, spec: {} },
  persistentVolumeClaim: { metadata: { name: 'c', namespace: 'ns', uid: 'u' }, spec: {} },
  persistentVolume: { metadata: { name: 'v', uid: 'u' }, spec: {} },
  storageClass: { metadata: { name: 's', uid: 'u' }, provisioner: 'disk.csi.azure.com' },
  csiNode: { metadata: { name: 'n', uid: 'u' }, spec: { drivers: [] } },
  volumeAttachment: { metadata: { name: 'a', uid: 'u' }, spec: { nodeName: 'n' } },
  namespace: { metadata: { name: 'ns', uid: 'u' } },
  nodeOverlay: { metadata: { name: 'o', uid: 'u' }, spec: {} },
  capacityBuffer: { metadata: { name: 'b', namespace: 'ns', uid: 'u' }, spec: {} },
  podTemplate: { metadata: { name: 't', namespace: 'ns', uid: 'u' }, template: {} },
  deployment: { metadata: { name: 'd', namespace: 'ns', uid: 'u' }, spec: {} },
  statefulSet: { metadata: { name: 's', namespace: 'ns', uid: 'u' }, spec: {} },
  replicaSet: { metadata: { name: 'r', namespace: 'ns', uid: 'u' }, spec: {} },
  replicationController: { metadata: { name: 'r', namespace: 'ns', uid: 'u' }, spec: {} },
  service: { metadata: { name: 's', namespace: 'ns', uid: 'u' } },
}

describe('every kind', () => {
  for (const kind of OBJECT_KINDS) {
    it(`${kind} is read with only what it must have`, () => expect(objectFromKube(kind, MINIMAL[kind])).toMatchObject({ ok: true }))
    it(`${kind} without metadata is refused`, () => {
      expect(objectFromKube(kind, { ...MINIMAL[kind], metadata: undefined })).toMatchObject({
        ok: false,
        error: { path: 'metadata', message: expect.stringContaining('metadata is missing') },
      })
    })
  }

  it('never throws, whatever the JSON', () => {
    const garbage = fc.jsonValue({ maxDepth: 3 })
    const key = fc.constantFrom('metadata', 'spec', 'status', 'name', 'namespace', 'uid', 'labels', 'template', 'containers', 'resources')
    const near = fc.dictionary(key, fc.oneof(garbage, fc.dictionary(key, fc.oneof(garbage, fc.dictionary(key, garbage)))))
    fc.assert(
      fc.property(fc.constantFrom(...OBJECT_KINDS), fc.oneof(garbage, near), (kind, json) => {
        expect(typeof objectFromKube(kind, json).ok).toBe('boolean')
      }),
    )
  })

  it('never throws when one member of a valid object is replaced by anything', () => {
    fc.assert(
      fc.property(fc.constantFrom(...OBJECT_KINDS), fc.nat(), fc.jsonValue({ maxDepth: 2 }), (kind, where, value) => {
        const paths = pathsOf(MINIMAL[kind])
        const json = replaced(MINIMAL[kind], paths[where % paths.length] ?? [], value)
        expect(typeof objectFromKube(kind, json).ok).toBe('boolean')
      }),
    )
  })
})

describe('refusals name object, field and rule', () => {
  const pod = (spec: object, metadata: object = {}): unknown => ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u', ...metadata },
    spec: { containers: [], ...spec },
  })
  const pool = (spec: object, rest: object = {}): unknown => ({
    metadata: { name: 'default', uid: 'u' },
    spec: { template: { spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, ...spec } }, ...rest },
  })
  const table: { [name: string]: { kind: ObjectKind; json: unknown; want: { code?: string; path?: string; message: string } } } = {
    'an impossible quantity': {
      kind: 'pod',
      json: pod({ containers: [{ name: 'a', resources: { requests: { memory: '1 Gi' } } }] }),
      want: { code: 'POD.INVALID', path: 'spec.containers[0].resources.requests["memory"]', message: 'pod/shop/web' },
    },
    'a toleration of an unknown operator': {
      kind: 'pod',
      json: pod({ tolerations: [{ operator: 'Exists' }, { key: 'a', operator: 'Like' }] }),
      want: { code: 'POD.INVALID', path: 'spec.tolerations[1].operator', message: 'must be one of Exists, Equal, Lt, Gt' },
    },
    'an unknown operator of node affinity': {
      kind: 'pod',
      json: pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'in' }] }] },
          },
        },
      }),
      want: {
        path: 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
        message: 'must be one of In',
      },
    },
    'the first of two items': {
      kind: 'pod',
      json: pod({ schedulingGates: [{ name: 1 }, { name: 'b' }], tolerations: [{ key: 'a' }] }),
      want: { path: 'spec.schedulingGates[0].name', message: 'must be a text' },
    },
    'the first of two texts': {
      kind: 'nodePool',
      json: pool({ requirements: [{ key: 'a', operator: 'In', values: [1, 'b', 'c'] }] }),
      want: {
        path: 'spec.template.spec.requirements[0].values[0]',
        message: 'spec.template.spec.requirements[0].values[0] must be a text',
      },
    },
    'a quantity that is neither text nor number': {
      kind: 'pod',
      json: pod({ containers: [{ resources: { requests: { cpu: true } } }] }),
      want: { path: 'spec.containers[0].resources.requests["cpu"]', message: 'requests["cpu"] must be a quantity' },
    },
    'a budget with a wrong duration': {
      kind: 'nodePool',
      json: pool({}, { disruption: { budgets: [{ duration: '3 days' }] } }),
      want: { path: 'spec.disruption.budgets[0].duration', message: 'is no duration (' },
    },
    'a time that is none': {
      kind: 'pod',
      json: pod({}, { creationTimestamp: 'soon' }),
      want: { path: 'metadata.creationTimestamp', message: 'must be a time' },
    },
    'a pool without a node class': {
      kind: 'nodePool',
      json: pool({ nodeClassRef: undefined }),
      want: {
        code: 'POOL.INVALID',
        path: 'spec.template.spec.nodeClassRef',
        message: 'nodepool/default: spec.template.spec.nodeClassRef is missing',
      },
    },
    'a pool with a wrong duration': {
      kind: 'nodePool',
      json: pool({ expireAfter: '3 days' }),
      want: { path: 'spec.template.spec.expireAfter', message: 'neither a duration nor Never' },
    },
    'a class with an image family that is no text': {
      kind: 'nodeClass',
      json: { metadata: { name: 'default', uid: 'u' }, spec: { imageFamily: 22 } },
      want: { code: 'NODECLASS.INVALID', path: 'spec.imageFamily', message: 'nodeclass/default: spec.imageFamily must be one of Ubuntu' },
    },
    'no object at all': { kind: 'node', json: [], want: { message: 'node/?: must be an object' } },
  }
  for (const [name, { kind, json, want }] of Object.entries(table)) {
    it(name, () => {
      const message = expect.stringContaining(want.message)
      const result = objectFromKube(kind, json)
      expect(result).toMatchObject({ ok: false, error: { ...want, message } })
    })
  }
})

describe('what is not said', () => {
  const budgetOf = (budget: object) =>
    objectFromKube('nodePool', {
      metadata: { name: 'default', uid: 'u' },
      spec: { template: { spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' } } }, disruption: { budgets: [budget] } },
    })

  it('of a budget is a tenth of the nodes, for any reason and at any time', () => {
    expect(budgetOf({})).toMatchObject({ ok: true, value: { disruption: { budgets: [{ nodes: '10%' }] } } })
  })

  it('of the age of an object is the beginning of time', () => {
    expect(objectFromKube('node', { metadata: { name: 'n', uid: 'u' } })).toMatchObject({
      value: { meta: { createdAt: 0, generation: 0 } },
    })
  })

  it('of a quantity may be a number', () => {
    const json = { metadata: { name: 'n', uid: 'u' }, status: { capacity: { cpu: 2 } } }
    expect(objectFromKube('node', json)).toMatchObject({ value: { capacity: { cpu: 2_000 } } })
  })
})

describe('what is read outside of the cluster', () => {
  it.each([
    ['nodepool', 'POOL.INVALID', nodePoolFromKube],
    ['pod', 'POD.INVALID', podFromKube],
    ['node', 'INPUT.INVALID', nodeFromKube],
    ['nodeclaim', 'INPUT.INVALID', nodeClaimFromKube],
  ] as const)('is refused by its kind: %s', (kind, code, read) => {
    expect(read({ metadata: { name: 'a', namespace: '' } })).toMatchObject({
      ok: false,
      error: { code, object: `${kind}/a`, message: expect.stringContaining(`${kind}/a: `) },
    })
  })
})

describe('what does not matter makes no difference', () => {
  const node = (heartbeat: string, resourceVersion: string): unknown => ({
    metadata: {
      name: 'n',
      uid: 'u',
      resourceVersion,
      annotations: { 'csi.volume.kubernetes.io/nodeid': resourceVersion, 'karpenter.sh/x': 'kept' },
    },
    spec: { providerID: 'azure:///x', taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: heartbeat }] },
    status: {
      images: [{ names: [resourceVersion] }],
      conditions: [
        { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: heartbeat, lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  })

  it('a heartbeat leaves a node equal', () => {
    const first = objectFromKube('node', node('2026-01-01T00:00:10Z', '1'))
    expect(first).toEqual(objectFromKube('node', node('2026-01-01T00:05:10Z', '2')))
    expect(first).toMatchObject({
      ok: true,
      value: { meta: { annotations: { 'karpenter.sh/x': 'kept' } }, conditions: [{ type: 'Ready' }] },
    })
  })

  it('a node of ours keeps its version until it is initialized, so that it can be written under guard', () => {
    const joining = (labels: object, taints: readonly object[]) => {
      const read = objectFromKube('node', { metadata: { name: 'n', uid: 'u', resourceVersion: '7', labels }, spec: { taints } })
      return read.ok && 'meta' in read.value ? read.value.meta.resourceVersion : expect.fail('not read')
    }
    const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' }
    const pool = { 'karpenter.sh/nodepool': 'default' }
    expect(joining({}, [unregistered])).toBe('7')
    expect(joining(pool, [])).toBe('7')
    expect(joining({ ...pool, 'karpenter.sh/initialized': 'true' }, [])).toBe('')
    expect(joining({}, [])).toBe('')
  })

  it('the status of running containers leaves a pod equal', () => {
    const pod = (count: number): unknown => ({
      metadata: { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: String(count), managedFields: [{ count }] },
      spec: { containers: [{ name: 'a', image: 'pause' }] },
      status: { phase: 'Running', containerStatuses: [{ name: 'a', restartCount: count }] },
    })
    expect(podFromKube(pod(1))).toEqual(podFromKube(pod(2)))
  })
})

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]]
  return [[], ...Object.entries(value).flatMap(([key, member]) => pathsOf(member).map((path) => [key, ...path]))]
}

function replaced(value: unknown, [step, ...rest]: string[], by: unknown): unknown {
  if (step === undefined) return by
  return { ...(value as object), [step]: replaced((value as Record<string, unknown>)[step], rest, by) }
}
