import { nodeClaimName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import { NOW } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { node } from '../builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { describePlacements, type PlacementCase } from './testing/placementCases.ts'
import { apart, app, inZone, near, TWO_NODES } from './testing/shapes.ts'

const { spec, meta } = nodeClaim({ stage: 'created' })

/** A draft of the default size from an earlier decision. */
function draftOf(name: string): NodeClaimDraft {
  return { name: nodeClaimName(name), nodePool: nodePool().name, labels: meta.labels, annotations: {}, spec }
}

/** A pod nominated to claim `a`. The node of the claim exists unless `stage` is given. */
function onClaim(shape: NodeClaimShape): PlacementCase {
  return {
    pods: [pod()],
    objects: { nodeClaim: [nodeClaim({ name: 'a', ...shape })], node: shape.stage === undefined ? [node({ claim: 'a' })] : [] },
    targets: { a: ['pod'] },
  }
}

/** A pod with affinity to a pod that the plan does not mention. There are also a node without a claim and a node that is being deleted. */
function withSilent(shape: PodShape): PlacementCase {
  const leaving = node({ name: 'leaving', meta: { deletedAt: NOW } })
  return {
    pods: [app('x', { podAffinity: { required: [near(LABEL.zone, 'b')], preferred: [] } }), app('b', { labels: { app: 'b' }, ...shape })],
    objects: { node: [leaving, node({ name: 'own', zone: 'eastus-1' })] },
    claims: [{ pods: ['x'], where: [inZone('1')] }],
  }
}

describePlacements('pods and their places', {
  'a target that does not exist': { pods: [pod()], targets: { nowhere: ['pod'] }, breaks: 'target' },
  'a pod placed twice': { pods: [pod()], claims: [{ pods: ['pod'] }, { pods: ['pod'] }], breaks: 'once' },
  'a pod with a resource claim': { pods: [pod({ resourceClaims: ['gpu'] })], claims: [{ pods: ['pod'] }], breaks: 'resourceClaim' },
  'a pod placed and refused': { pods: [pod()], claims: [{ pods: ['pod'] }], refused: ['pod'], breaks: 'once' },
  'a pod placed on a node and on a claim': {
    pods: [pod()],
    objects: TWO_NODES,
    claims: [{ pods: ['pod'] }],
    targets: { 'joiner-a': ['pod'] },
    breaks: 'once',
  },
  'a pod that is not there': { pods: [pod()], claims: [{ pods: ['pod', 'gone'] }], breaks: 'once' },
  'a target by the name of its claim': { pods: [pod({ cpus: 3 })], objects: TWO_NODES, targets: { a: ['pod'] } },
  'no room on a target by the name of its claim': {
    pods: [pod({ cpus: 4 })],
    objects: TWO_NODES,
    targets: { a: ['pod'] },
    breaks: 'resources',
  },
  'no room on a target by both its names': {
    pods: [pod({ name: 'x', cpus: 3 }), pod({ name: 'y', cpus: 3 })],
    objects: TWO_NODES,
    targets: { a: ['x'], 'joiner-a': ['y'] },
    breaks: 'resources',
  },
  'a claim that is being deleted': { ...onClaim({ meta: { deletedAt: NOW } }), breaks: 'target' },
  'a claim whose machine ends': {
    ...onClaim({ status: { conditions: [condition('Ready'), condition('InstanceTerminating')] } }),
    breaks: 'target',
  },
  'a claim whose machine does not end': onClaim({ status: { conditions: [condition('InstanceTerminating', { status: 'False' })] } }),
  'a claim without a node that is being deleted': { ...onClaim({ stage: 'launched', meta: { deletedAt: NOW } }), breaks: 'target' },
  'a claim without a node': onClaim({ stage: 'launched' }),
  'a claim without a machine': onClaim({ stage: 'created' }),
  'a claim without a machine, and more than it holds': { ...onClaim({ stage: 'created' }), pods: [pod({ cpus: 5 })], breaks: 'resources' },
  'a claim of which no machine can come': { ...onClaim({ stage: 'created', size: 'gone' }), breaks: 'instanceType' },
  'a claim of which no machine can come, and nothing planned': {
    ...onClaim({ stage: 'created', size: 'gone' }),
    targets: {},
    claims: [{ pods: ['pod'] }],
  },
  'a claim that is decided': { pods: [pod()], drafts: [draftOf('a')], targets: { a: ['pod'] } },
  'a claim that is decided, and more than it holds': {
    pods: [pod({ cpus: 5 })],
    drafts: [draftOf('a')],
    targets: { a: ['pod'] },
    breaks: 'resources',
  },
  'a claim that is decided and shown, with less room than decided': {
    ...onClaim({ stage: 'launched', status: { allocatable: { pods: 1 } } }),
    drafts: [draftOf('a')],
    breaks: 'resources',
  },
  'a node of nobody’s': { pods: [pod()], objects: { node: [node({ name: 'own' })] }, targets: { own: ['pod'] } },
  'a node of nobody’s beside a claim without a machine that is being deleted': {
    pods: [pod()],
    objects: { node: [node({ name: 'own' })], nodeClaim: [nodeClaim({ name: 'a', stage: 'created', meta: { deletedAt: NOW } })] },
    targets: { own: ['pod'] },
  },
  'a node of ours beside a claim that is being deleted': {
    pods: [pod()],
    objects: {
      node: [node({ claim: 'a' })],
      nodeClaim: [nodeClaim({ name: 'b', meta: { deletedAt: NOW } }), nodeClaim({ name: 'a' })],
    },
    targets: { a: ['pod'] },
  },
  'a node of nobody’s that is being deleted': {
    pods: [pod()],
    objects: { node: [node({ name: 'own', meta: { deletedAt: NOW } })] },
    targets: { own: ['pod'] },
    breaks: 'target',
  },
  'nothing planned for a node that is being deleted': {
    pods: [pod()],
    objects: { node: [node({ name: 'own', meta: { deletedAt: NOW } })] },
    claims: [{ pods: ['pod'] }],
  },
  'a neighbour on a node that goes, which leaves it': {
    pods: [app('x', apart(LABEL.zone)), app('old', { nodeName: 'own' })],
    objects: { node: [node({ name: 'own', meta: { deletedAt: NOW } })] },
    claims: [{ pods: ['x'], where: [inZone('1')] }],
  },
  'room that a pod leaves for another place': {
    pods: [pod({ name: 'x', cpus: 3 }), pod({ name: 'old', cpus: 3, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'], 'joiner-b': ['old'] },
  },
  'a friend that a node of nobody’s will take': withSilent({}),
  'a friend that has no place': { ...withSilent({}), refused: ['b'], breaks: 'affinity' },
  'a friend that has ended': { ...withSilent({ phase: 'Succeeded' }), breaks: 'affinity' },
  'a friend that a node of ours could take, of which the plan says nothing': { ...withSilent({}), objects: TWO_NODES, breaks: 'affinity' },
  'a friend on a node that goes, which a node of nobody’s will take': withSilent({ nodeName: 'leaving' }),
})
