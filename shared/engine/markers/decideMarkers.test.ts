import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { CLASS, driftIn, type Mark, markedClaim, markOf, POOL, STAMPS } from '../../../test/builders/marked.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import type { Condition } from '../../model/condition.ts'
import { ANNOTATION, LABEL, type Labels } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { fleetSnapshotOf } from '../cluster/fleet.ts'
import { createMarkers } from './decideMarkers.ts'

const CHANGED = nodePool({ disruption: POOL.disruption, template: { ...POOL.template, labels: { team: 'web' } } })
const NARROWED = {
  ...POOL,
  template: { ...POOL.template, requirements: [{ key: LABEL.zone, operator: 'In' as const, values: ['eastus-9'] }] },
}

describe('a claim has drifted', () => {
  it('where the template of its pool changed', () => {
    expect(driftIn(markOf(markedClaim(), { objects: { nodePool: [CHANGED] } }))).toBe(
      'True NodePoolDrifted: spec.template of nodepool default has changed since the nodeclaim was made',
    )
  })

  it('where its machine does not meet the requirements of its pool any more', () => {
    expect(driftIn(markOf(markedClaim(), { objects: { nodePool: [NARROWED] } }))).toMatch(
      /^True RequirementsDrifted: the machine no longer meets the requirements of nodepool default: key topology.kubernetes.io\/zone/,
    )
  })

  it('where the spec of its class changed, but for tags', () => {
    const tagged = nodeClass({ spec: { tags: { cost: 'x' } } })
    const changed = nodeClass({ spec: { osDiskSizeGb: 512 } })
    expect(markOf(markedClaim(), { objects: { nodeClass: [tagged] } })).toBeUndefined()
    expect(driftIn(markOf(markedClaim(), { objects: { nodeClass: [changed] } }))).toBe(
      'True NodeClassDrift: spec of aksnodeclass default has changed since the machine was launched',
    )
  })

  it('DF-04 where its size is not sold any more, once it is an hour old', () => {
    const types = [instanceType({ name: 'Standard_X1' })]
    expect(driftIn(markOf(markedClaim(), { types }))).toBe('True InstanceTypeNotFound: instance type Standard_D4as_v6 is not sold any more')
    expect(markOf(markedClaim(STAMPS, { meta: { createdAt: ago(HOUR - 1) } }), { types })).toBeUndefined()
    // The catalog is unknown.
    expect(markOf(markedClaim(), { types: [] })).toBeUndefined()
  })

  it('by the first of these reasons, and one that it says already is not said again', () => {
    const both = {
      objects: { nodePool: [{ ...CHANGED, template: { ...CHANGED.template, requirements: NARROWED.template.requirements } }] },
    }
    const mark = markOf(markedClaim(), both)
    expect(driftIn(mark)).toMatch(/^True NodePoolDrifted/)
    const said = markedClaim()
    expect(markOf({ ...said, status: { ...said.status, conditions: mark?.conditions ?? [] } }, both)).toBeUndefined()
  })
})

describe('a claim has drifted by its version, identity or image', () => {
  const IMAGE = '/CommunityGalleries/AKSUbuntu/images/2204gen2containerd/versions/202511.03.0'
  const OLDER = IMAGE.replace('202511.03.0', '202510.27.0')
  const status = { conditions: CLASS.status.conditions, kubernetesVersion: '1.34.2', images: [{ id: IMAGE, requirements: [] }] }
  const asked = (version: string): Labels => ({ ...STAMPS, [ANNOTATION.kubernetesVersion]: version })

  /** The drift of a claim with this image and annotations, whose node reports this kubelet, in a class with this status. */
  function driftBy(given: {
    readonly kubelet?: string
    readonly image?: string
    readonly annotations?: Labels
    readonly of?: Partial<typeof status>
    readonly node?: Partial<Parameters<typeof node>[0]>
    readonly objects?: SnapshotShape['objects']
    /** The client id in the label of the node, and the one that its cluster is configured with. */
    readonly identity?: { readonly label?: string; readonly configured?: string }
  }): string | undefined {
    const { kubelet, image = IMAGE, annotations = STAMPS, of = {}, identity: { label, configured } = {} } = given
    const made = markedClaim(annotations)
    const meta = label === undefined ? {} : { labels: { [LABEL.kubeletIdentity]: label } }
    const theNode = node({ claim: made.name, meta, ...(kubelet === undefined ? {} : { kubeletVersion: kubelet }), ...given.node })
    const nodeClass = [{ ...CLASS, status: { ...status, ...of } }]
    const objects = { nodeClass, node: [theNode], ...given.objects }
    const settings = configured === undefined ? {} : { kubeletIdentityClientId: configured }
    const claim = { ...made, status: { ...made.status, ...(image === '' ? {} : { imageId: image }) } }
    return driftIn(markOf(claim, { objects, settings }))
  }
  const [FORMER, PRESENT] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
  const replaced = { label: FORMER, configured: PRESENT }
  const LABELLED = { [LABEL.kubeletIdentity]: FORMER }

  it('where its kubelet is older than the version of its class', () => {
    expect(driftBy({ kubelet: 'v1.33.9' })).toBe(
      'True K8sVersionDrift: the node runs Kubernetes 1.33.9, and aksnodeclass default makes nodes of 1.34.2 now',
    )
  })

  it('where its machine was made for another version than the one of its class now', () => {
    expect(driftBy({ kubelet: 'v1.34.2', annotations: asked('1.34.1') })).toMatch(
      /^True K8sVersionDrift: the node was made for Kubernetes 1.34.1/,
    )
    expect(driftBy({ kubelet: 'v1.35.0', annotations: asked('1.35.0') })).toMatch(/^True K8sVersionDrift/)
  })

  it('DF-01 where its image is none of those of its class', () => {
    expect(driftBy({ image: OLDER })).toBe(
      `True ImageDrift: the machine has image ${OLDER}, and aksnodeclass default makes machines of others now`,
    )
    expect(driftBy({ image: IMAGE.toUpperCase() })).toBeUndefined()
  })

  it('DR-06 where the label of its node names another identity than its cluster is configured with', () => {
    expect(driftBy({ identity: replaced })).toBe(
      `True KubeletIdentityDrift: label kubernetes.azure.com/kubelet-identity-client-id of the node is ${FORMER}, and kubeletIdentityClientId of the cluster is ${PRESENT} now`,
    )
    expect(driftBy({ identity: { label: PRESENT.toUpperCase(), configured: PRESENT } })).toBeUndefined()
    expect(driftBy({ identity: { label: PRESENT, configured: PRESENT.toUpperCase() } })).toBeUndefined()
  })

  it("in Karpenter's order: class, version, identity, image", () => {
    const old = { kubelet: 'v1.33.9', image: OLDER, identity: replaced }
    const changed = [{ ...nodeClass({ spec: { osDiskSizeGb: 512 } }), status }]
    expect(driftBy({ ...old, objects: { nodeClass: changed } })).toMatch(/^True NodeClassDrift/)
    expect(driftBy(old)).toMatch(/^True K8sVersionDrift/)
    expect(driftBy({ ...old, kubelet: 'v1.34.2' })).toMatch(/^True KubeletIdentityDrift/)
    expect(driftBy({ ...old, kubelet: 'v1.34.2', identity: {} })).toMatch(/^True ImageDrift/)
  })

  it.each<readonly [string, Parameters<typeof driftBy>[0]]>([
    ['F7 the kubelet is newer than the control plane', { kubelet: 'v1.34.7' }],
    ['F7 the machine was made for the present version, whatever its kubelet reports', { kubelet: 'v1.33.0', annotations: asked('1.34.2') }],
    ['the version of the class is not known', { kubelet: 'v1.33.9', of: { kubernetesVersion: undefined as unknown as string } }],
    ['the version of the kubelet is not known', {}],
    ['the version of the kubelet cannot be read', { kubelet: 'unknown' }],
    ['there is no node', { annotations: asked('1.33.9'), objects: { node: [], nodeClass: [{ ...CLASS, status }] } }],
    ['the node is being deleted', { kubelet: 'v1.33.9', node: { meta: { deletedAt: ago(SECOND) } } }],
    ['no image of the class is known', { image: OLDER, of: { images: [] } }],
    ['the claim names no image', { image: '' }],
    ['the claim names an image without a version', { image: IMAGE.replace('202511.03.0', 'latest') }],
    ['DR-06 the node has no label of its identity', { identity: { configured: PRESENT } }],
    ['DR-06 that label is empty', { identity: { label: '', configured: PRESENT } }],
    ['the identity of the cluster is not known', { identity: { label: FORMER } }],
    ['the identity of the cluster is empty', { identity: { label: FORMER, configured: '' } }],
    ['a node with another identity is being deleted', { identity: replaced, node: { meta: { deletedAt: ago(SECOND), labels: LABELLED } } }],
    ['there is no node with an identity', { identity: replaced, objects: { node: [], nodeClass: [{ ...CLASS, status }] } }],
    ['the class is gone', { kubelet: 'v1.33.9', image: OLDER, identity: replaced, objects: { nodeClass: [] } }],
  ])('never where %s', (_, given) => expect(driftBy(given)).toBeUndefined())
})

describe('a claim has not drifted', () => {
  it('where pool and class are what it was made from', () => expect(markOf(markedClaim())).toBeUndefined())

  it('where its class is gone', () => expect(markOf(markedClaim(), { objects: { nodeClass: [] } })).toBeUndefined())

  it('PN-01 DF-02 where it is not launched, is being deleted, or is of another provider', () => {
    const objects = { nodePool: [CHANGED] }
    expect(markOf(nodeClaim({ stage: 'created' }), { objects })).toBeUndefined()
    expect(markOf(markedClaim(STAMPS, { meta: { createdAt: ago(HOUR), deletedAt: ago(SECOND) } }), { objects })).toBeUndefined()
    const foreign = markedClaim(STAMPS, { spec: { nodeClassRef: { ...nodeClassRef('default'), kind: 'EC2NodeClass' } } })
    expect(markOf(foreign, { objects })).toBeUndefined()
  })

  it('any more, once the change of its pool is taken back', () => {
    const marked = markedClaim()
    const conditions = [...marked.status.conditions, condition('Drifted')]
    const mark = markOf({ ...marked, status: { ...marked.status, conditions } })
    expect(mark?.conditions?.map(({ type }) => type)).toEqual(marked.status.conditions.map(({ type }) => type))
  })
})

describe('a claim with hashes of our version', () => {
  it('PN-06 keeps them, though pool and class are others by now', () => {
    const mark = markOf(markedClaim(), { objects: { nodePool: [CHANGED] } })
    expect([driftIn(mark)?.split(':')[0], mark?.annotations]).toEqual(['True NodePoolDrifted', undefined])
  })
})

describe('a claim with hashes of another version', () => {
  const OF_KARPENTER = {
    [ANNOTATION.nodePoolHash]: '123',
    [ANNOTATION.nodePoolHashVersion]: 'v3',
    [ANNOTATION.nodeClassHash]: '123',
    [ANNOTATION.nodeClassHashVersion]: 'v3',
  }

  it('has the hash of its pool in the version of before, which says nothing', () => {
    const before = { ...STAMPS, [ANNOTATION.nodePoolHash]: '123', [ANNOTATION.nodePoolHashVersion]: 'joiner-v1' }
    const { [ANNOTATION.nodePoolHash]: hash, [ANNOTATION.nodePoolHashVersion]: version } = STAMPS
    expect(markOf(markedClaim(before))).toMatchObject({
      annotations: { [ANNOTATION.nodePoolHash]: hash, [ANNOTATION.nodePoolHashVersion]: version },
    })
    expect(driftIn(markOf(markedClaim(before)))).toBeUndefined()
  })

  it('PN-05 DF-31 gets ours, and is held to pool and class as they are now', () => {
    expect(markOf(markedClaim(OF_KARPENTER))).toEqual({ kind: 'markClaim', claim: 'default-aaaaa', annotations: STAMPS })
  })

  it.each(['NodePoolDrifted', 'NodeClassDrift'])(
    'PN-07 keeps its verdict and its hashes where it has drifted by what nobody can compare: %s',
    (reason) => {
      const marked = markedClaim(OF_KARPENTER)
      const conditions = [...marked.status.conditions, condition('Drifted', { reason })]
      expect(markOf({ ...marked, status: { ...marked.status, conditions } })).toBeUndefined()
    },
  )

  it('keeps its verdict where it has drifted', () => {
    const marked = markedClaim(OF_KARPENTER)
    const conditions = [...marked.status.conditions, condition('Drifted', { reason: 'RequirementsDrifted' })]
    const mark = markOf({ ...marked, status: { ...marked.status, conditions } }, { objects: { nodePool: [NARROWED] } })
    expect(mark?.annotations).toBeUndefined()
  })
})

describe('a claim whose hashes nobody can compare', () => {
  it.each([
    ['DF-30 has no hash of its pool', ANNOTATION.nodePoolHash],
    ['has no hash of its class', ANNOTATION.nodeClassHash],
    ['DF-32 has no version of that hash', ANNOTATION.nodePoolHashVersion],
    ['has no version of the hash of its class', ANNOTATION.nodeClassHashVersion],
  ])('%s: it gets what it lacks, and has not drifted', (_sentence, missing) => {
    const annotations = Object.fromEntries(Object.entries(STAMPS).filter(([name]) => name !== missing))
    const mark = markOf(markedClaim(annotations))
    expect([mark?.annotations?.[missing], mark?.conditions]).toEqual([STAMPS[missing], undefined])
  })
})

describe('a claim is consolidatable', () => {
  const unmarked = (more: Parameters<typeof nodeClaim>[0] = {}): NodeClaim =>
    nodeClaim({ ...more, meta: { annotations: STAMPS, ...more.meta } })
  const isSaid = (mark: Mark | undefined): boolean =>
    mark?.conditions?.some(({ type, status }) => type === 'Consolidatable' && status === 'True') ?? false

  it('CO-01 once it is quiet for as long as its pool asks, and says when that is', () => {
    const late = {
      nodePool: [POOL],
      nodeClass: [CLASS],
      nodeClaim: [unmarked({ status: { lastPodEventAt: ago(MINUTE - SECOND) } })],
      node: [node()],
    }
    expect(createMarkers()(fleetSnapshotOf(snapshot({ objects: late })))).toEqual({ actions: [], reasons: [], wakeAt: hence(SECOND) })
    expect(isSaid(markOf(unmarked({ status: { lastPodEventAt: ago(MINUTE) } })))).toBe(true)
  })

  it('CO-02 once it has been initialized for as long, where no pod ever came', () => {
    const up = (at: EpochMs) => {
      const conditions = nodeClaim().status.conditions.map((each) =>
        each.type === 'Initialized' ? { ...each, lastTransitionAt: at } : each,
      )
      return unmarked({ status: { conditions } })
    }
    expect(markOf(up(ago(MINUTE - SECOND)))).toBeUndefined()
    expect(isSaid(markOf(up(ago(MINUTE))))).toBe(true)
  })

  it('CO-03 no more when a pod left, and looks again when it may be once more', () => {
    const marked = markedClaim(STAMPS, { status: { lastPodEventAt: ago(SECOND) } })
    const { conditions = [] } = markOf(marked) ?? expect.fail('it is not marked')
    expect(conditions.some(({ type }) => type === 'Consolidatable')).toBe(false)
    const nodeClaims = [{ ...marked, status: { ...marked.status, conditions } }]
    const objects = { nodePool: [POOL], nodeClass: [CLASS], nodeClaim: nodeClaims, node: [node()] }
    const wakeAt = hence(MINUTE - SECOND)
    expect(createMarkers()(fleetSnapshotOf(snapshot({ objects })))).toEqual({ actions: [], reasons: [], wakeAt })
  })

  const became = (type: string, status: Condition['status']) => {
    const marked = markedClaim()
    const conditions = marked.status.conditions.map((each) => (each.type === type ? { ...each, status } : each))
    return { ...marked, status: { ...marked.status, conditions } }
  }
  it.each<[sentence: string, claim: NodeClaim, nodePool: NodePool]>([
    ['CO-04 when its pool never consolidates', markedClaim(), { ...POOL, disruption: { ...POOL.disruption, consolidateAfter: 'Never' } }],
    ['CO-05 when nobody knows whether it is initialized', became('Initialized', 'Unknown'), POOL],
    ['CO-06 when it is not initialized', became('Initialized', 'False'), POOL],
    ['when its pool becomes static', markedClaim(), { ...POOL, replicas: 1 }],
  ])('%s it is so no more', (_sentence, claim, nodePool) => {
    const mark = markOf(claim, { objects: { nodePool: [nodePool] } })
    expect(mark?.conditions?.map(({ type }) => type)).toEqual(['Launched', 'Registered', 'Initialized', 'ConsistentStateFound'])
  })

  it('CO-07 and is left as it is where it is of another provider', () => {
    const spec = { nodeClassRef: { ...nodeClassRef('default'), kind: 'EC2NodeClass' } }
    expect(markOf(unmarked({ spec }))).toBeUndefined()
    expect(markOf(markedClaim(STAMPS, { spec, status: { lastPodEventAt: ago(SECOND) } }))).toBeUndefined()
  })

  it('CO-08 CO-09 and has drifted, which one mark says, and takes back', () => {
    const typesIn = (mark: Mark | undefined) => mark?.conditions?.map(({ type }) => type).slice(4)
    const both = markOf(unmarked(), { objects: { nodePool: [CHANGED] } })
    expect(typesIn(both)).toEqual(['Drifted', 'Consolidatable'])
    const said = unmarked({ status: { conditions: both?.conditions ?? [], lastPodEventAt: ago(SECOND) } })
    expect(typesIn(markOf(said))).toEqual([])
  })

  it('CO-10 never where its pool is static', () => {
    expect(isSaid(markOf(unmarked()))).toBe(true)
    expect(markOf(unmarked(), { objects: { nodePool: [{ ...POOL, replicas: 1 }] } })).toBeUndefined()
  })

  it('no more when a pod comes', () => {
    const mark = markOf(markedClaim(), { objects: { pod: [pod({ nodeName: node().name, scheduledAt: ago(SECOND) })] } })
    expect(mark?.conditions?.some(({ type }) => type === 'Consolidatable')).toBe(false)
  })

  it('never where its pool never consolidates or is static, or before it is initialized', () => {
    const never = { ...POOL, disruption: { ...POOL.disruption, consolidateAfter: 'Never' as const } }
    expect(markOf(unmarked(), { objects: { nodePool: [never] } })).toBeUndefined()
    expect(markOf(unmarked(), { objects: { nodePool: [{ ...POOL, replicas: 1 }] } })).toBeUndefined()
    expect(markOf(unmarked({ stage: 'registered' }))).toBeUndefined()
  })
})

describe('marks that are kept', () => {
  it('are what they would be worked out anew, as time goes and pools change', () => {
    const kept = createMarkers()
    const made = markedClaim(STAMPS, { meta: { createdAt: NOW }, status: { imageId: '/old' } })
    const ofStatus = (status: Partial<NodeClass['status']>): NodeClass => ({ ...CLASS, status: { ...CLASS.status, ...status } })
    const labels = { [LABEL.kubeletIdentity]: 'former' }
    const objects = {
      nodePool: [POOL],
      nodeClass: [CLASS],
      nodeClaim: [made],
      node: [node({ kubeletVersion: 'v1.34.1', meta: { labels } })],
    }
    const sold = fleetSnapshotOf(snapshot({ objects }))
    const configured = (kubeletIdentityClientId: string) => ({ ...sold, settings: { ...sold.settings, kubeletIdentityClientId } })
    const unsold = {
      ...sold,
      instanceTypes: fleetSnapshotOf(snapshot({ objects, types: [instanceType({ name: 'Standard_X1' })] })).instanceTypes,
    }
    const verdicts = [
      unsold,
      { ...unsold, takenAt: epochMs(NOW + HOUR) },
      { ...sold, takenAt: epochMs(NOW + HOUR) },
      { ...sold, objects: { ...sold.objects, nodePool: [CHANGED] } },
      { ...sold, objects: { ...sold.objects, nodePool: [NARROWED] } },
      { ...sold, objects: { ...sold.objects, nodeClass: [nodeClass({ spec: { osDiskSizeGb: 512 } })] } },
      { ...sold, objects: { ...sold.objects, nodeClass: [ofStatus({ kubernetesVersion: '1.35.0' })] } },
      { ...sold, objects: { ...sold.objects, nodeClass: [ofStatus({ images: [{ id: '/new', requirements: [] }] })] } },
      sold,
      configured('present'),
      configured('former'),
      configured('present'),
      sold,
    ].map((sight) => {
      const decided = kept(sight)
      expect(decided).toEqual(createMarkers()(sight))
      const [mark] = decided.actions
      return mark?.kind === 'markClaim' ? driftIn(mark)?.split(':')[0] : undefined
    })
    const [missed, changed, narrowed, ofClass] = ['InstanceTypeNotFound', 'NodePoolDrifted', 'RequirementsDrifted', 'NodeClassDrift']
    const ofIdentity = ['KubeletIdentityDrift', undefined, 'KubeletIdentityDrift', undefined]
    const told = [undefined, missed, undefined, changed, narrowed, ofClass, 'K8sVersionDrift', 'ImageDrift', undefined, ...ofIdentity]
    expect(verdicts).toEqual(told.map((reason) => reason && `True ${reason}`))
  })
})

describe('many claims', () => {
  it('are marked a few hundred a decision, in the order of their names', () => {
    const claims = Array.from({ length: 450 }, (_, index) => markedClaim({}, { name: `c-${String(index).padStart(3, '0')}` }))
    const seen = fleetSnapshotOf(snapshot({ objects: { nodePool: [POOL], nodeClass: [CLASS], nodeClaim: claims } }))
    const { actions, wakeAt } = createMarkers()(seen)
    expect(actions.map((action) => action.kind === 'markClaim' && action.claim)).toEqual(claims.slice(0, 200).map(({ name }) => name))
    expect(wakeAt).toBe(hence(SECOND))
  })
})
