import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capacityBuffer, podTemplate } from '../../test/builders/capacityBuffer.ts'
import { daemonSet } from '../../test/builders/daemonSet.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { nodeOverlay } from '../../test/builders/nodeOverlay.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod, REPLICA_SET } from '../../test/builders/pod.ts'
import type { Change } from '../model/change.ts'
import { OBJECT_KINDS, type ObjectByKind } from '../model/clusterObjects.ts'
import { clusterId, nodeName, objectKey, uid } from '../model/ids.ts'
import type { Pod } from '../model/pod.ts'
import { epochMs } from '../model/units.ts'
import { type Envelope, parseEnvelope, printEnvelope } from './envelope.ts'

const STANDARD: Pod['tolerations'] = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}))

const requirement = { key: 'a', operator: 'In', values: ['b'], minValues: 1 } as const
const selector = { matchLabels: { a: 'b' }, matchExpressions: [requirement] }
const affinityTerm = {
  topologyKey: 'zone',
  selector,
  namespaces: ['n'],
  namespaceSelector: selector,
  matchLabelKeys: ['k'],
  mismatchLabelKeys: ['m'],
}

const FULL_POD: Pod = pod({
  nodeName: 'n',
  deletedAt: epochMs(5),
  nominatedNodeName: nodeName('m'),
  nominatedAt: epochMs(4),
  unschedulableSince: epochMs(6),
  schedulerName: 'mine',
  schedulingGates: ['g'],
  owner: REPLICA_SET,
  nodeSelector: { a: 'b' },
  requiredNodeTerms: [{ matchExpressions: [requirement], matchFields: [] }],
  preferredNodeTerms: [{ weight: 5, term: { matchExpressions: [], matchFields: [requirement] } }],
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }, { operator: 'Exists' }],
  topologySpread: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      selector,
      minDomains: 2,
      nodeAffinityPolicy: 'Ignore',
      nodeTaintsPolicy: 'Honor',
      matchLabelKeys: ['h'],
    },
  ],
  podAffinity: { required: [affinityTerm], preferred: [] },
  podAntiAffinity: { required: [], preferred: [{ weight: 1, term: affinityTerm }] },
  hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' }],
  volumes: [
    { kind: 'claim', claimName: 'c' },
    { kind: 'ephemeral', claimName: 'e', storageClassName: 's' },
    { kind: 'csi', driver: 'd' },
    { kind: 'other', type: 'iscsi' },
  ],
  resourceClaims: ['r'],
  schedulingGroup: 'gang',
  priority: 7,
  priorityClassName: 'high',
  preemptionPolicy: 'Never',
  terminationGracePeriodSeconds: 30,
  annotations: { a: 'b' },
})

const key = objectKey('ns', 'x')
const id = uid('u')

const OBJECTS: { readonly [Kind in keyof ObjectByKind]: readonly ObjectByKind[Kind][] } = {
  pod: [pod(), pod({ tolerations: STANDARD }), FULL_POD],
  node: [node()],
  nodeClaim: [nodeClaim()],
  nodePool: [nodePool(), nodePool({ weight: 5, replicas: 2, limits: { cpu: 0 }, disruption: { consolidateAfter: 'Never', budgets: [] } })],
  nodeClass: [nodeClass()],
  daemonSet: [daemonSet()],
  podDisruptionBudget: [
    { key, uid: id, selector, disruptionsAllowed: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', conditions: [] },
    { key, uid: id, disruptionsAllowed: 0, unhealthyPodEvictionPolicy: 'IfHealthyBudget', conditions: [] },
  ],
  persistentVolumeClaim: [
    { key, uid: id, volumeName: 'v', storageClassName: '', deleted: true },
    { key, uid: id, deleted: false, isBinding: true, isLost: true },
  ],
  persistentVolume: [{ name: 'v', uid: id, driver: 'd', nodeTerms: [{ matchExpressions: [requirement], matchFields: [] }], deleted: true }],
  storageClass: [
    {
      name: 's',
      uid: id,
      provisioner: 'p',
      bindingMode: 'Immediate',
      isDefault: true,
      createdAt: 5,
      allowedTopologies: [[{ key: 'zone', values: ['1'] }]],
    },
  ],
  csiNode: [
    { name: nodeName('n'), uid: id, limits: { d: 16 } },
    { name: nodeName('m'), uid: id, limits: {}, unlimited: ['d'] },
  ],
  volumeAttachment: [
    { name: 'csi-1', uid: id, node: nodeName('n'), volumeName: 'v' },
    { name: 'csi-2', uid: id, node: nodeName('n') },
  ],
  namespace: [{ name: 'ns', uid: id, labels: { a: 'b' } }],
  nodeOverlay: [
    nodeOverlay(),
    nodeOverlay({ requirements: [requirement], price: '0.5', capacity: { 'example.com/device': 1 }, weight: 3 }),
    nodeOverlay({ priceAdjustment: '-10%' }),
  ],
  capacityBuffer: [
    capacityBuffer({ podTemplate: 't', replicas: 2, limits: { cpu: 1000 } }),
    capacityBuffer({
      scalable: { apiGroup: 'apps', kind: 'Deployment', name: 'web' },
      percentage: 20,
      status: { podTemplate: 't', podTemplateGeneration: 1, replicas: 2, strategy: 's', conditions: [] },
    }),
  ],
  podTemplate: [podTemplate('t')],
  deployment: [{ key, uid: id, apiVersion: 'apps/v1', kind: 'Deployment', replicas: 3, selector, pod: pod() }],
  statefulSet: [{ key, uid: id, apiVersion: 'apps/v1', kind: 'StatefulSet', replicas: 1 }],
  replicaSet: [{ key, uid: id, apiVersion: 'apps/v1', kind: 'ReplicaSet', replicas: 0, selector }],
  replicationController: [{ key, uid: id, apiVersion: 'v1', kind: 'ReplicationController', replicas: 2, selector, pod: pod() }],
  service: [
    { key, uid: id, selector: { app: 'web' } },
    { key, uid: id },
  ],
}

const puts = OBJECT_KINDS.flatMap((kind) => OBJECTS[kind].map((object) => ({ op: 'put', kind, object })))
const CHANGES = [
  ...puts,
  { op: 'delete', kind: 'node' },
  { op: 'invalid', kind: 'nodePool', problem: { code: 'POOL.INVALID', message: 'm', path: 'p', fields: { n: 1, t: 'x', f: true } } },
].map((change, index) => ({ ...change, seq: index + 1, at: epochMs(index), key: `k${index}` })) as Change[]

const envelope = (body: Envelope['body']): Envelope => ({ cluster: clusterId('blue'), term: 3, sentAt: epochMs(9), body })
const posted = (value: Envelope): unknown => JSON.parse(JSON.stringify(printEnvelope(value)))

describe('an envelope', () => {
  it('of changes of every kind survives printing and parsing', () => {
    const sent = envelope({ kind: 'changes', changes: CHANGES })
    expect(parseEnvelope(posted(sent))).toEqual({ ok: true, value: { envelope: sent, rejected: [] } })
  })

  it('of a snapshot survives printing and parsing', () => {
    const sent = envelope({ kind: 'snapshot', seq: 4, part: 1, parts: 2, changes: CHANGES.slice(0, 2) })
    expect(parseEnvelope(posted(sent))).toEqual({ ok: true, value: { envelope: sent, rejected: [] } })
  })

  it('keeps the good changes beside bad ones, each with its number, field and rule', () => {
    const good = posted(envelope({ kind: 'changes', changes: CHANGES.slice(0, 2) })) as { body: { changes: unknown[] } }
    const bad = [
      { ...(good.body.changes[0] as object), seq: 7, key: 'shop/web', object: { phase: 'Sleeping' } },
      { seq: 8, op: 'put', kind: 'teapot', at: 1, key: 'x' },
      { seq: 9, op: 'move', kind: 'pod', at: 1, key: 'x' },
      { op: 'delete', kind: 'pod', at: 1 },
      'nonsense',
    ]
    const result = parseEnvelope({ ...good, body: { ...good.body, changes: [good.body.changes[0], ...bad, good.body.changes[1]] } })
    expect(result).toMatchObject({
      ok: true,
      value: {
        envelope: { body: { changes: [{ seq: 1 }, { seq: 2 }] } },
        rejected: [
          { seq: 7, problem: { code: 'INPUT.INVALID', path: 'object.key', message: 'change 7 of shop/web: object.key is missing' } },
          { seq: 8, problem: { path: 'kind', message: expect.stringContaining('must be one of pod, node') } },
          { seq: 9, problem: { path: 'op', message: expect.stringContaining('must be one of put, delete, invalid') } },
          { seq: 0, problem: { path: 'seq', message: expect.stringContaining('seq is missing') } },
          { seq: 0, problem: { message: expect.stringContaining('must be an object') } },
        ],
      },
    })
  })

  it('leaves out what has its usual value', () => {
    const { body } = posted(envelope({ kind: 'changes', changes: CHANGES.slice(0, 2) })) as { body: { changes: { object: object }[] } }
    expect(Object.keys(body.changes[1]?.object ?? {}).sort()).toEqual([
      'createdAt',
      'key',
      'owner',
      'phase',
      'requests',
      'uid',
      'unschedulableSince',
    ])
  })

  it('shares the usual tolerations of pods in memory', () => {
    const two = [1, 2].map((seq) => ({ ...CHANGES[1], seq })) as Change[]
    const result = parseEnvelope(posted(envelope({ kind: 'changes', changes: two })))
    const [first, second] = result.ok
      ? result.value.envelope.body.changes.map((change) => (change.op === 'put' && change.kind === 'pod' ? change.object : undefined))
      : []
    expect(first?.tolerations).toBe(second?.tolerations)
    expect(first?.tolerations).toEqual(STANDARD)
  })
})

describe('an envelope is refused', () => {
  const good = posted(envelope({ kind: 'changes', changes: [] })) as object
  const table: { [name: string]: { json: unknown; want: object } } = {
    'of a newer version': { json: { ...good, v: 3 }, want: { code: 'INPUT.UNSUPPORTED_VERSION', path: 'v' } },
    'without a version': { json: { ...good, v: undefined }, want: { code: 'INPUT.INVALID', path: 'v' } },
    'for a cluster that cannot be': { json: { ...good, cluster: 'No Such' }, want: { code: 'INPUT.INVALID', path: 'cluster' } },
    'without a term': { json: { ...good, term: undefined }, want: { path: 'term', message: 'envelope: term is missing' } },
    'with a body of no kind': { json: { ...good, body: { kind: 'rumour' } }, want: { path: 'body.kind' } },
    'with a part that is no number': {
      json: { ...good, body: { kind: 'snapshot', seq: 1, part: 'one', parts: 1, changes: [] } },
      want: { path: 'body.part' },
    },
    'that is a list': { json: [], want: { message: 'envelope: must be an object' } },
  }
  for (const [name, { json, want }] of Object.entries(table))
    it(name, () => expect(parseEnvelope(json)).toMatchObject({ ok: false, error: want }))

  it('but nothing makes it throw', () => {
    const garbage = fc.jsonValue({ maxDepth: 3 })
    const near = fc.record({
      v: fc.constant(1),
      cluster: fc.constant('blue'),
      term: fc.integer(),
      sentAt: fc.integer(),
      body: fc.record({ kind: fc.constant('changes'), changes: fc.array(garbage) }),
    })
    const change = fc.record({
      seq: fc.integer(),
      at: fc.integer(),
      key: fc.string(),
      op: fc.constant('put'),
      kind: fc.constantFrom(...OBJECT_KINDS),
      object: fc.dictionary(fc.constantFrom('key', 'uid', 'spec', 'meta', 'pod', 'status'), garbage),
    })
    const closer = fc.array(change).map((changes) => ({ v: 1, cluster: 'blue', term: 1, sentAt: 1, body: { kind: 'changes', changes } }))
    fc.assert(fc.property(fc.oneof(garbage, near, closer), (json) => void expect(typeof parseEnvelope(json).ok).toBe('boolean')))
  })
})
