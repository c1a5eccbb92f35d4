import { describe, expect, it } from 'vitest'
import { nodeName, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Taint } from '../../shared/model/taint.ts'
import { ago, SECOND } from '../builders/clock.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { instanceType } from '../builders/instanceType.ts'
import { type NodeShape, node } from '../builders/node.ts'
import { type NodeClaimShape, nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { DAEMON_SET, daemonPod, type PodShape, pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { type SnapshotShape, snapshot } from '../builders/snapshot.ts'
import { daemonsBefore, viewOfLaunched, viewOfNode, viewsOfClaim } from './nodeView.ts'

const DISKS = 'disk.csi.azure.com'
const TYPES = [instanceType({ name: 'other' }), { ...instanceType(), maxDataDisks: 8 }]
const READY_SOON: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'mine', effect: 'NoSchedule' },
]
const STAYS: Taint = { key: 'stays', effect: 'NoSchedule' }

function viewOf(shape: NodeShape = {}, claim: NodeClaimShape | undefined = {}, objects: SnapshotShape['objects'] = {}) {
  const made = node(shape)
  const claims = claim === undefined ? [] : [nodeClaim(claim)]
  return viewOfNode(
    snapshot({ types: TYPES, objects: { node: [made], nodeClaim: [nodeClaim({ name: 'z', size: 'other' }), ...claims], ...objects } }),
    made,
  )
}

const bare = (labels: { readonly [key: string]: string }): NodeShape => ({
  initialized: false,
  meta: { labels: { [LABEL.registered]: 'false', ...labels } },
})

describe('a node that is there', () => {
  it('has its own labels, and its name as host name', () => {
    const { labels, title } = viewOf({ meta: { labels: { rack: 'r' } } })
    expect(labels).toMatchObject({ rack: 'r', [LABEL.hostname]: nodeNameOf('default-aaaaa') })
    expect(title).toContain(nodeNameOf('default-aaaaa'))
  })

  it('has labels of its claim before it is registered', () => {
    const { labels } = viewOf(bare({ rack: 'r' }), { meta: { labels: { team: 'a' } } })
    expect(labels).toMatchObject({ team: 'a', [LABEL.registered]: 'true', [LABEL.initialized]: 'true' })
    expect(labels).not.toHaveProperty('rack')
  })

  it('is reckoned with as initialized before it is', () => {
    expect(viewOf({ initialized: false }).labels).toHaveProperty([LABEL.initialized], 'true')
  })

  it('of nobody’s is as it is', () => {
    const { labels, taints, allocatable } = viewOf({ name: 'own', taints: READY_SOON, allocatable: resources(1, 1) }, undefined)
    expect(labels).not.toHaveProperty([LABEL.initialized])
    expect({ taints, allocatable }).toEqual({ taints: READY_SOON, allocatable: resources(1, 1) })
  })

  it.each([
    { when: 'initialized', shape: {}, want: [...READY_SOON, STAYS] },
    { when: 'not initialized', shape: { initialized: false }, want: [STAYS] },
  ])('has taints when $when: $want', ({ shape, want }) => {
    expect(
      viewOf({ ...shape, taints: [...READY_SOON, STAYS] }, { spec: { taints: [STAYS], startupTaints: READY_SOON.slice(1) } }).taints,
    ).toEqual(want)
  })

  it('has the taints of its claim before it is registered', () => {
    expect(viewOf({ ...bare({}), taints: [STAYS] }, { spec: { taints: [{ key: 'claimed', effect: 'NoSchedule' }] } }).taints).toEqual([
      { key: 'claimed', effect: 'NoSchedule' },
    ])
  })

  it('has a taint when it is cordoned', () => {
    expect(viewOf({ unschedulable: true, taints: [STAYS] }).taints).toEqual([
      STAYS,
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    ])
  })

  it('has what the claim promises where it reports nothing yet', () => {
    const promised = { status: { allocatable: { cpu: 3860, memory: 7, 'nvidia.com/gpu': 1 } } }
    const reports = { allocatable: { cpu: 2000, memory: 0, 'nvidia.com/gpu': 0 } }
    expect(viewOf({ ...reports, initialized: false }, promised).allocatable).toEqual({ cpu: 2000, memory: 7, 'nvidia.com/gpu': 1 })
    expect(viewOf(reports, promised).allocatable).toEqual(reports.allocatable)
  })

  it('holds the pods that are bound to it and have not ended', () => {
    const name = nodeNameOf('default-aaaaa')
    const others = [pod({ name: 'far', nodeName: 'far' }), pod({ name: 'free' }), pod({ name: 'done', nodeName: name, phase: 'Succeeded' })]
    expect(viewOf({}, {}, { pod: [pod({ name: 'here', nodeName: name }), ...others] }).bound.map(({ key }) => key)).toEqual([
      'default/here',
    ])
  })

  it('attaches as many disks as it says, or else its size', () => {
    const csi = (name: string) => ({ name: nodeName(name), uid: uid(name), limits: { [DISKS]: 3 } })
    expect(viewOf().diskLimits).toEqual({ [DISKS]: 8 })
    expect(viewOf({}, {}, { csiNode: [csi('far')] }).diskLimits).toEqual({ [DISKS]: 8 })
    expect(viewOf({}, {}, { csiNode: [csi('far'), { ...csi(nodeNameOf('default-aaaaa')), limits: {} }] }).diskLimits).toEqual({
      [DISKS]: 8,
    })
    const any = { ...csi(nodeNameOf('default-aaaaa')), limits: { other: 1 }, unlimited: [DISKS] }
    expect(viewOf({}, {}, { csiNode: [any] }).diskLimits).toEqual({ other: 1 })
    expect(viewOf({}, {}, { csiNode: [csi(nodeNameOf('default-aaaaa'))] }).diskLimits).toEqual({ [DISKS]: 3 })
    expect(viewOf({ name: 'own' }, undefined).diskLimits).toEqual({})
    expect(viewOf({}, { size: 'other' }).diskLimits).toEqual({})
    expect(viewOf({}, { nodeClass: 'gone' }).diskLimits).toEqual({})
  })
})

describe('a machine that is launched', () => {
  const launched = (shape: NodeClaimShape = {}) => viewOfLaunched(snapshot({ types: TYPES }), nodeClaim({ stage: 'launched', ...shape }))

  it('is on its way with the labels and taints of its claim', () => {
    const { name, title, labels, taints, bound, mayJoinLater, isNew, diskLimits } = launched({
      meta: { labels: { rack: 'r' } },
      spec: { taints: [STAYS] },
    })
    expect(labels).toMatchObject({
      rack: 'r',
      [LABEL.registered]: 'true',
      [LABEL.initialized]: 'true',
      [LABEL.hostname]: 'default-aaaaa',
    })
    expect(title).toContain('default-aaaaa')
    expect({ name, taints, bound, mayJoinLater, isNew, diskLimits }).toEqual({
      name: 'default-aaaaa',
      taints: [STAYS],
      bound: [],
      mayJoinLater: true,
      isNew: false,
      diskLimits: { [DISKS]: 8 },
    })
  })

  it('has the room that the claim states, or else its size', () => {
    expect(launched().allocatable).toEqual(resources(3.86, 13, { pods: 110 }))
    expect(launched({ status: { allocatable: {} } }).allocatable).toMatchObject({ cpu: 3900 })
    expect(launched({ size: 'gone', status: { allocatable: {} } }).allocatable).toEqual({})
  })
})

describe('the machines that a claim may become', () => {
  it('are one for each offering of each size, and new', () => {
    const { spec, meta } = nodeClaim()
    const views = viewsOfClaim(snapshot({ types: TYPES }), 'c', { ...spec, taints: [STAYS] }, meta.labels)
    expect(views.map(({ labels }) => [labels[LABEL.zone], labels[LABEL.capacityType]].join(' '))).toHaveLength(6)
    expect(views[0]).toMatchObject({
      name: 'c',
      taints: [STAYS],
      bound: [],
      isNew: true,
      mayJoinLater: false,
      labels: { [LABEL.hostname]: 'c' },
      allocatable: { cpu: 3900 },
      diskLimits: { [DISKS]: 8 },
    })
    expect(new Set(views.map(({ title }) => title)).size).toBe(6)
    const [other] = viewsOfClaim(snapshot({ types: TYPES }), 'c', { ...spec, requirements: [] }, {})
    expect(other?.diskLimits).toEqual({})
  })
})

describe('the daemons of a machine', () => {
  const name = nodeNameOf('default-aaaaa')
  const cpuOf = (objects: SnapshotShape['objects'], shape: NodeShape = {}) =>
    viewOf(shape, {}, objects).daemons.map(({ requests }) => requests['cpu'])
  const own = (shape: PodShape) => daemonPod(name, { owner: { ...DAEMON_SET, uid: daemonSet().uid }, ...shape })

  it('are those that its labels and taints let run', () => {
    expect(
      cpuOf({ daemonSet: [daemonSet({ cpus: 1 }), daemonSet({ name: 'far', cpus: 2, nodeSelector: { [LABEL.zone]: 'far' } })] }),
    ).toEqual([1000])
    expect(cpuOf({ daemonSet: [daemonSet({ cpus: 1 })] }, { taints: [STAYS] })).toEqual([])
    expect(cpuOf({ daemonSet: [daemonSet({ cpus: 1, tolerations: [{ operator: 'Exists' }] })] }, { taints: [STAYS] })).toEqual([1000])
  })

  it('leave out those that need a device which nobody reckons with', () => {
    expect(cpuOf({ daemonSet: [daemonSet({ cpus: 1, resourceClaims: ['gpu'] })] })).toEqual([])
  })

  it('ask for what the newest pod of their set asks for', () => {
    const old = own({ name: 'old', cpus: 0.3, createdAt: ago(9 * SECOND) })
    const fresh = own({ name: 'new', cpus: 0.4, createdAt: ago(SECOND) })
    const foreign = daemonPod(name, { name: 'foreign', cpus: 0.7, createdAt: ago(0) })
    const stray = pod({ name: 'stray', cpus: 0.8, createdAt: ago(0), owner: { ...DAEMON_SET, kind: 'ReplicaSet', uid: daemonSet().uid } })
    for (const pods of [
      [old, fresh],
      [fresh, old],
    ])
      expect(cpuOf({ daemonSet: [daemonSet({ cpus: 1 })], pod: [...pods, foreign, stray] })).toEqual([400])
    expect(cpuOf({ daemonSet: [daemonSet({ cpus: 1, createdAt: ago(0) })], pod: [old] })).toEqual([300])
  })

  it('are known by their set, whatever their template says', () => {
    const [daemon] = viewOf({}, {}, { daemonSet: [daemonSet()] }).daemons
    expect(daemon?.owner).toMatchObject({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'kube-system/agent', uid: daemonSet().uid })
  })

  it('come before other pods to a new machine only', () => {
    const { spec, meta } = nodeClaim()
    const objects = { daemonSet: [daemonSet()] }
    const [fresh] = viewsOfClaim(snapshot({ types: TYPES, objects }), 'c', spec, meta.labels)
    expect(fresh === undefined ? [] : daemonsBefore(fresh)).toHaveLength(1)
    expect(daemonsBefore(viewOf({}, {}, objects))).toEqual([])
  })
})
