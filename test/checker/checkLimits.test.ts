import { nodeClaimName } from '../../shared/model/ids.ts'
import type { NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'

/** A claim that was decided earlier. */
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
})
