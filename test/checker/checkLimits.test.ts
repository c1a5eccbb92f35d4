import { nodeClaimName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import { NOW } from '../builders/clock.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { GIB } from '../builders/resources.ts'
import { describePlacements } from './testing/placementCases.ts'
import { TWO_NODES } from './testing/shapes.ts'

/** A draft from an earlier decision. */
function draft(name: string): NodeClaimDraft {
  const { spec, meta } = nodeClaim({ name, stage: 'created' })
  return { name: nodeClaimName(name), nodePool: nodePool().name, labels: meta.labels, annotations: {}, spec }
}

describePlacements('limits of pools', {
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
  'as much as the limit': { pods: [pod()], objects: { nodePool: [nodePool({ limits: { cpu: 4000 } })] }, claims: [{ pods: ['pod'] }] },
  'more memory than the limit': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ limits: { cpu: 4000, memory: 16 * GIB - 1 } })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'limit',
  },
  'a limit of what machines do not have': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ limits: { 'nvidia.com/gpu': 0 } })] },
    claims: [{ pods: ['pod'] }],
  },
  'a pool beyond its limit that does not grow': {
    pods: [pod()],
    objects: { ...TWO_NODES, nodePool: [nodePool({ limits: { cpu: 4000 } })] },
    targets: { 'joiner-a': ['pod'] },
  },
  'a pool that machines fill which are there': {
    pods: [pod()],
    objects: { ...TWO_NODES, nodePool: [nodePool({ limits: { cpu: 11_000 } })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'limit',
  },
  'a pool that machines fill to its limit': {
    pods: [pod()],
    objects: { ...TWO_NODES, nodePool: [nodePool({ limits: { cpu: 12_000, nodes: 3 } })] },
    claims: [{ pods: ['pod'] }],
  },
  'machines of another pool': {
    pods: [pod()],
    drafts: [{ ...draft('decided'), nodePool: nodePool({ name: 'other' }).name }],
    objects: {
      nodeClaim: [nodeClaim({ name: 'a', nodePool: 'other' })],
      nodePool: [nodePool({ limits: { nodes: 1 } }), nodePool({ name: 'other', limits: { nodes: 1 } })],
    },
    claims: [{ pods: ['pod'] }],
  },
  'machines that go': {
    pods: [pod()],
    objects: { nodeClaim: [nodeClaim({ name: 'a', meta: { deletedAt: NOW } })], nodePool: [nodePool({ limits: { nodes: 1 } })] },
    claims: [{ pods: ['pod'] }],
  },
  'a machine that is asked for, as large as it may become': {
    pods: [pod()],
    types: [instanceType(), instanceType({ name: 'large', cpus: 8 })],
    objects: {
      nodeClaim: [
        nodeClaim({ name: 'a', stage: 'created', spec: { requirements: [{ key: LABEL.instanceType, operator: 'Exists', values: [] }] } }),
      ],
      nodePool: [nodePool({ limits: { cpu: 11_000 } })],
    },
    claims: [{ pods: ['pod'] }],
    breaks: 'limit',
  },
  'a claim that may become something larger': {
    pods: [pod()],
    types: [instanceType({ name: 'large', cpus: 8 }), instanceType()],
    objects: { nodePool: [nodePool({ limits: { cpu: 7000 } })] },
    claims: [{ pods: ['pod'], sizes: ['Standard_D4as_v6', 'large'] }],
    breaks: 'limit',
  },
  'the cores of one that is decided and not made yet': {
    pods: [pod()],
    drafts: [draft('decided')],
    objects: { nodePool: [nodePool({ limits: { cpu: 7000 } })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'limit',
  },
  'the cores of one that is decided and shown by now': {
    pods: [pod()],
    drafts: [draft('decided')],
    objects: { nodeClaim: [nodeClaim({ name: 'decided', stage: 'created' })], nodePool: [nodePool({ limits: { cpu: 8000 } })] },
    claims: [{ pods: ['pod'] }],
  },
})
