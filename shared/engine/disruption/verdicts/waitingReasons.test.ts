import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../test/agreement/random.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { nodeName } from '../../../model/ids.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { createCandidates } from './keptCandidates.ts'
import { createWaitingReasons, type Waiting } from './waitingReasons.ts'

const CLAIMS = ['a', 'b', 'c', 'd', 'e']
/** Two nodes state the same provider ID, and share a claim. */
const NODES = [...CLAIMS, 'b', 'd'].map((claim, index) => ({ ...node({ claim }), name: nodeName(`node-${index}`) }))

describe('reasons of machines that wait', () => {
  const nodeClaims = CLAIMS.map((name) => nodeClaim({ name }))
  const all = createCandidates()(fleetSnapshotOf(snapshot({ objects: { nodePool: [nodePool()], node: NODES, nodeClaim: nodeClaims } })))

  it('are those of a first call, whatever machines waited before', () => {
    expect(all).toHaveLength(NODES.length)
    const random = createRandom(1)
    const kept = createWaitingReasons()
    for (let look = 0; look < 300; look++) {
      const waiting: Waiting = { because: random.pick(['placing', 'turn']), machines: random.some(all, 0.7) }
      expect(kept(waiting), `look ${look}`).toEqual(createWaitingReasons()(waiting))
    }
  })
})
