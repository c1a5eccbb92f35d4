import { describe, expect, it } from 'vitest'
import { nodeClaimName, nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Labels } from '../../shared/model/meta.ts'
import type { NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import type { RequirementSpec } from '../../shared/model/requirement.ts'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../shared/model/workloads.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { type SnapshotShape, snapshot } from '../builders/snapshot.ts'
import { checkPlacement } from './checkPlacement.ts'
import type { Placement } from './placement.ts'
import type { Rule } from './violation.ts'

type Case = {
  readonly drafts?: SnapshotShape['drafts']
  readonly pods: readonly Pod[]
  readonly objects?: SnapshotShape['objects']
  readonly types?: SnapshotShape['types']
  readonly settings?: SnapshotShape['settings']
  /** Pods on new claims, by requirements beside the size, which is always the same. */
  readonly claims?: readonly { readonly pods: readonly string[]; readonly where?: readonly RequirementSpec[]; readonly labels?: Labels }[]
  readonly targets?: { readonly [name: string]: readonly string[] }
  readonly breaks?: Rule
}

const SIZE = 'Standard_D4as_v6'

/** A claim that was decided earlier. */
function draft(name: string): NodeClaimDraft {
  const { spec, meta } = nodeClaim({ name, stage: 'created' })
  return { name: nodeClaimName(name), nodePool: nodePool().name, labels: meta.labels, annotations: {}, spec }
}
const inZone = (...zones: string[]): RequirementSpec => ({ key: LABEL.zone, operator: 'In', values: zones.map((each) => `eastus-${each}`) })
const app = (name: string, shape: PodShape = {}): Pod => pod({ name, labels: { app: 'a' }, ...shape })
const near = (topologyKey: string, name = 'a'): PodAffinityTerm => ({
  topologyKey,
  selector: { matchLabels: { app: name }, matchExpressions: [] },
  namespaces: [],
  matchLabelKeys: [],
  mismatchLabelKeys: [],
})
const spread = (shape: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: { matchLabels: { app: 'a' }, matchExpressions: [] },
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
  ...shape,
})
const apart = (topologyKey: string): PodShape => ({ podAntiAffinity: { required: [near(topologyKey)], preferred: [] } })
const together = (...terms: PodAffinityTerm[]): PodShape => ({ podAffinity: { required: terms, preferred: [] } })
const even = (shape: Partial<TopologySpreadConstraint> = {}): PodShape => ({ topologySpread: [spread(shape)] })
const port = (ip = '0.0.0.0'): PodShape => ({ hostPorts: [{ ip, port: 80, protocol: 'TCP' }] })
const withDisk = (name: string, claimName = name): Pod => pod({ name, volumes: [{ kind: 'claim', claimName }] })
const disk = (name: string, shape: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  key: objectKey('default', name),
  uid: uid(name),
  storageClassName: 'disk',
  deleted: false,
  ...shape,
})
const DISK: StorageClass = {
  name: 'disk',
  uid: uid('disk'),
  provisioner: 'disk.csi.azure.com',
  bindingMode: 'WaitForFirstConsumer',
  isDefault: false,
  createdAt: 0,
  allowedTopologies: [],
}
const inZone2 = { nodeTerms: [{ matchExpressions: [inZone('2')], matchFields: [] }] }
const volume = (shape: Partial<PersistentVolume> = {}): PersistentVolume => ({
  name: 'v',
  uid: uid('v'),
  driver: 'disk.csi.azure.com',
  ...shape,
})
const TWO_NODES = {
  node: [node({ claim: 'a', zone: 'eastus-1' }), node({ claim: 'b', zone: 'eastus-2' })],
  nodeClaim: [nodeClaim({ name: 'a' }), nodeClaim({ name: 'b' })],
}

/** One of machines of a team, with the label that pods here keep away from. */
const ofTeam = (team: string, shape: PodShape = { labels: { app: 'a' } }) =>
  daemonSet({ name: team, namespace: 'default', nodeSelector: { team }, ...shape })

/** A placement, and the rule it breaks; without one, it stands beside a broken one to show where the rule ends. */
const CASES: { readonly [sentence: string]: Case } = {
  'pods that fit': { pods: [pod()], claims: [{ pods: ['pod'] }] },
  'more pods than a size has room for': { pods: [pod({ cpus: 5 })], claims: [{ pods: ['pod'] }], breaks: 'resources' },
  'no room beside the daemons': {
    pods: [pod({ cpus: 3 })],
    objects: { daemonSet: [daemonSet({ cpus: 1 })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'resources',
  },
  'a daemon that does not run there': {
    pods: [pod({ cpus: 3 })],
    objects: { daemonSet: [daemonSet({ cpus: 1, nodeSelector: { [LABEL.arch]: 'arm64' } })] },
    claims: [{ pods: ['pod'] }],
  },
  'more pods than a node has room for': {
    pods: [pod({ cpus: 3 }), pod({ name: 'old', cpus: 1, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
    breaks: 'resources',
  },
  'a zone the pod does not want': {
    pods: [pod({ nodeSelector: { [LABEL.zone]: 'eastus-1' } })],
    claims: [{ pods: ['pod'], where: [inZone('1', '2')] }],
    breaks: 'selector',
  },
  'a zone the pod wants': {
    pods: [pod({ nodeSelector: { [LABEL.zone]: 'eastus-1' } })],
    claims: [{ pods: ['pod'], where: [inZone('1')] }],
  },
  'a taint nobody tolerates': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ template: { taints: [{ key: 'a', effect: 'NoExecute' }] } })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'toleration',
  },
  'a taint that is only disliked': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ template: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } })] },
    claims: [{ pods: ['pod'] }],
  },
  'one host port twice': {
    pods: [pod({ name: 'a', ...port() }), pod({ name: 'b', ...port('1.2.3.4') })],
    claims: [{ pods: ['a', 'b'] }],
    breaks: 'hostPort',
  },
  'one host port at two addresses': {
    pods: [pod({ name: 'a', ...port('1.2.3.5') }), pod({ name: 'b', ...port('1.2.3.4') })],
    claims: [{ pods: ['a', 'b'] }],
  },
  'a host port of a daemon': {
    pods: [pod(port())],
    objects: { daemonSet: [daemonSet(port())] },
    claims: [{ pods: ['pod'] }],
    breaks: 'hostPort',
  },
  'a volume in another zone': {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d', { volumeName: 'v' })], persistentVolume: [volume(inZone2)] },
    claims: [{ pods: ['d'], where: [inZone('1', '2')] }],
    breaks: 'volume',
  },
  'a volume in the same zone': {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d', { volumeName: 'v' })], persistentVolume: [volume(inZone2)] },
    claims: [{ pods: ['d'], where: [inZone('2')] }],
  },
  'a volume that can only be made elsewhere': {
    pods: [withDisk('d')],
    objects: {
      persistentVolumeClaim: [disk('d')],
      storageClass: [{ ...DISK, allowedTopologies: [[{ key: 'topology.disk.csi.azure.com/zone', values: ['eastus-3'] }]] }],
    },
    claims: [{ pods: ['d'], where: [inZone('1')] }],
    breaks: 'volume',
  },
  'a volume claim that is not there': { pods: [withDisk('d')], claims: [{ pods: ['d'] }], breaks: 'volume' },
  'more disks than a new machine can hold': {
    pods: [withDisk('x'), withDisk('y')],
    types: [{ ...instanceType(), maxDataDisks: 1 }],
    objects: { persistentVolumeClaim: [disk('x'), disk('y')], storageClass: [DISK] },
    claims: [{ pods: ['x', 'y'] }],
    breaks: 'attachLimit',
  },
  'one disk for two pods': {
    pods: [withDisk('x'), withDisk('y', 'x')],
    types: [{ ...instanceType(), maxDataDisks: 1 }],
    objects: { persistentVolumeClaim: [disk('x')], storageClass: [DISK] },
    claims: [{ pods: ['x', 'y'] }],
  },
  'more disks than a node can hold': {
    pods: [withDisk('x'), { ...withDisk('y'), nodeName: nodeName('joiner-a') }],
    objects: {
      ...TWO_NODES,
      persistentVolumeClaim: [disk('x'), disk('y')],
      storageClass: [DISK],
      csiNode: [{ name: nodeName('joiner-a'), uid: uid('c'), limits: { 'disk.csi.azure.com': 1 } }],
    },
    targets: { 'joiner-a': ['x'] },
    breaks: 'attachLimit',
  },
  'three pods in a zone while another has none': {
    pods: ['x', 'y', 'z'].map((name) => app(name, even())),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y', 'z'] },
    breaks: 'spread',
  },
  'pods spread evenly': {
    pods: ['x', 'y', 'z'].map((name) => app(name, even())),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'z'], 'joiner-b': ['y'] },
  },
  'pods spread over zones that the claims leave open': {
    pods: ['w', 'x', 'y', 'z'].map((name) => app(name, even())),
    claims: [
      { pods: ['x', 'y'], where: [inZone('1')] },
      { pods: ['z'], where: [inZone('1', '2')] },
      { pods: ['w'], where: [inZone('2')] },
    ],
    breaks: 'spread',
  },
  'fewer domains than asked for': {
    pods: ['x', 'y'].map((name) => app(name, even({ minDomains: 3 }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
    breaks: 'spread',
  },
  'a zone the pods cannot go to does not count': {
    pods: ['x', 'y'].map((name) => app(name, { ...even(), nodeSelector: { [LABEL.zone]: 'eastus-1' } })),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'it counts when affinity is ignored': {
    pods: ['x', 'y'].map((name) => app(name, { ...even({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { [LABEL.zone]: 'eastus-1' } })),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
    breaks: 'spread',
  },
  'a tainted node counts': {
    pods: ['x', 'y'].map((name) => app(name, even())),
    objects: {
      ...TWO_NODES,
      node: [node({ claim: 'a' }), node({ claim: 'b', zone: 'eastus-2', taints: [{ key: 'a', effect: 'NoSchedule' }] })],
    },
    targets: { 'joiner-a': ['x', 'y'] },
    breaks: 'spread',
  },
  'a tainted node does not count when taints are honoured': {
    pods: ['x', 'y'].map((name) => app(name, even({ nodeTaintsPolicy: 'Honor' }))),
    objects: {
      ...TWO_NODES,
      node: [node({ claim: 'a' }), node({ claim: 'b', zone: 'eastus-2', taints: [{ key: 'a', effect: 'NoSchedule' }] })],
    },
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'each revision is spread alone': {
    pods: ['x', 'y'].map((name) => app(name, { ...even({ matchLabelKeys: ['rev'] }), labels: { app: 'a', rev: name } })),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'nobody to be near to': { pods: [app('x', together(near(LABEL.hostname, 'b')))], claims: [{ pods: ['x'] }], breaks: 'affinity' },
  'a friend that is bound elsewhere': {
    pods: [app('x', together(near(LABEL.zone, 'b'))), pod({ name: 'b', labels: { app: 'b' }, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-b': ['x'] },
    breaks: 'affinity',
  },
  'a friend in a zone that the claim may leave': {
    pods: [app('x', together(near(LABEL.zone, 'b'))), pod({ name: 'b', labels: { app: 'b' }, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    claims: [{ pods: ['x'], where: [inZone('1', '2')] }],
    breaks: 'affinity',
  },
  'the first of its kind, and those that follow it': {
    pods: ['x', 'y'].map((name) => app(name, together(near(LABEL.zone)))),
    claims: [
      { pods: ['x'], where: [inZone('1')] },
      { pods: ['y'], where: [inZone('1')] },
    ],
  },
  'a second beginning': {
    pods: ['x', 'y'].map((name) => app(name, together(near(LABEL.zone)))),
    claims: [
      { pods: ['x'], where: [inZone('1')] },
      { pods: ['y'], where: [inZone('2')] },
    ],
    breaks: 'affinity',
  },
  'two friends that no one pod is': {
    pods: [
      app('x', together(near(LABEL.zone, 'b'), near(LABEL.zone, 'c'))),
      pod({ name: 'b', labels: { app: 'b' } }),
      pod({ name: 'c', labels: { app: 'c' } }),
    ],
    claims: [{ pods: ['b', 'c', 'x'], where: [inZone('1')] }],
    breaks: 'affinity',
  },
  'two that keep apart on one node': {
    pods: [app('x', apart(LABEL.hostname)), app('y')],
    claims: [{ pods: ['x', 'y'] }],
    breaks: 'antiAffinity',
  },
  'one that keeps away from a daemon': {
    pods: [app('x', apart(LABEL.hostname))],
    objects: { daemonSet: [daemonSet({ namespace: 'default', labels: { app: 'a' } })] },
    claims: [{ pods: ['x'] }],
    breaks: 'antiAffinity',
  },
  'one that keeps away from a daemon of another new machine, and is bound first': {
    pods: [app('x', apart(LABEL.zone)), pod({ name: 'y' })],
    objects: { daemonSet: [ofTeam('one')] },
    claims: [
      { pods: ['y'], labels: { team: 'one' }, where: [inZone('1')] },
      { pods: ['x'], where: [inZone('1')] },
    ],
  },
  'two that each keep away from a daemon of the other’s machine': {
    pods: ['x', 'y'].map((name) => pod({ name, ...apart(LABEL.zone) })),
    objects: { daemonSet: [ofTeam('one'), ofTeam('two')] },
    claims: ['one', 'two'].map((team, at) => ({ pods: [at === 0 ? 'x' : 'y'], labels: { team }, where: [inZone('1')] })),
    breaks: 'antiAffinity',
  },
  'one that a daemon keeps away from': {
    pods: [app('x')],
    objects: { daemonSet: [ofTeam('one', apart(LABEL.zone))] },
    claims: [{ pods: ['x'], labels: { team: 'one' } }],
    breaks: 'antiAffinity',
  },
  'one that a daemon would keep away from that a pod keeps out': {
    pods: [app('x'), app('old', { nodeName: 'joiner-a' })],
    objects: { ...TWO_NODES, daemonSet: [ofTeam('one', apart(LABEL.zone))] },
    claims: [{ pods: ['x'], labels: { team: 'one' }, where: [inZone('1')] }],
  },
  'two that keep apart on two nodes': { pods: [app('x', apart(LABEL.hostname)), app('y')], claims: [{ pods: ['x'] }, { pods: ['y'] }] },
  'two that keep apart and may meet in a zone': {
    pods: [app('x', apart(LABEL.zone)), app('y')],
    claims: [
      { pods: ['x'], where: [inZone('1', '2')] },
      { pods: ['y'], where: [inZone('2', '3')] },
    ],
    breaks: 'antiAffinity',
  },
  'one that a bound pod keeps away from': {
    pods: [app('x'), pod({ name: 'loner', ...apart(LABEL.zone), nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'antiAffinity',
  },
  'a pool beyond its limit': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ limits: { cpu: 3000 } })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'limit',
  },
  'more machines than the pool may have': {
    pods: [pod({ name: 'x' }), pod({ name: 'y' })],
    objects: { nodePool: [nodePool({ limits: { nodes: 1 } })] },
    claims: [{ pods: ['x'] }, { pods: ['y'] }],
    breaks: 'limit',
  },
  'more machines than the pool may have, with one that is decided and not made yet': {
    pods: [pod()],
    drafts: [draft('decided')],
    objects: { nodePool: [nodePool({ limits: { nodes: 1 } })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'limit',
  },
  'as many machines as the pool may have, one of which is decided and shown by now': {
    pods: [pod()],
    drafts: [draft('decided')],
    objects: { nodeClaim: [nodeClaim({ name: 'decided', stage: 'created' })], nodePool: [nodePool({ limits: { nodes: 2 } })] },
    claims: [{ pods: ['pod'] }],
  },
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
  'a target that does not exist': { pods: [pod()], targets: { nowhere: ['pod'] }, breaks: 'target' },
  'a pod placed twice': { pods: [pod()], claims: [{ pods: ['pod'] }, { pods: ['pod'] }], breaks: 'once' },
  'a pod with a resource claim': { pods: [pod({ resourceClaims: ['gpu'] })], claims: [{ pods: ['pod'] }], breaks: 'resourceClaim' },
}

describe('the checker of placements', () => {
  for (const [sentence, each] of Object.entries(CASES)) {
    it(`${each.breaks === undefined ? 'lets pass' : 'sees'} ${sentence}`, () => {
      const given = snapshot({
        objects: { ...each.objects, pod: each.pods },
        types: each.types ?? [instanceType()],
        ...(each.drafts === undefined ? {} : { drafts: each.drafts }),
        ...(each.settings === undefined ? {} : { settings: each.settings }),
      })
      const found = checkPlacement(given, placementOf(each, given.objects.nodePool[0]?.template.taints ?? []))
      expect([...new Set(found.map(({ rule }) => rule))], JSON.stringify(found)).toEqual(each.breaks === undefined ? [] : [each.breaks])
    })
  }
})

function placementOf({ claims = [], targets = {} }: Case, taints: Placement['claims'][number]['spec']['taints']): Placement {
  const { template, name } = nodePool()
  const keys = (names: readonly string[]) => names.map((each) => objectKey('default', each))
  return {
    refused: new Set(),
    targets: new Map(Object.entries(targets).map(([target, names]) => [target, keys(names)])),
    claims: claims.map(({ pods, where = [], labels = {} }, index) => ({
      name: `new-${index}`,
      pool: name,
      pods: keys(pods),
      labels: { [LABEL.nodePool]: name, ...labels },
      spec: {
        nodeClassRef: template.nodeClassRef,
        requirements: [{ key: LABEL.instanceType, operator: 'In', values: [SIZE] }, ...where],
        requests: resources(1, 1),
        taints,
        startupTaints: [],
        expireAfter: template.expireAfter,
      },
    })),
  }
}
