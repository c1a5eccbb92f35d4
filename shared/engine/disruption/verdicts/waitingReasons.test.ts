import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../test/agreement/random.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { Reason } from '../../../model/decision.ts'
import { nodeName } from '../../../model/ids.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { createCandidates } from './keptCandidates.ts'
import { createWaitingReasons, mergedReasons, type Waiting } from './waitingReasons.ts'

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
      const among = random.some(all, 0.7)
      const without = new Set(random.some(among, 0.3))
      const waiting: Waiting = { because: random.pick(['placing', 'turn']), among, without }
      const reasons = kept(waiting)
      expect(reasons, `look ${look}`).toEqual(createWaitingReasons()(waiting))
      const names = new Set(among.filter((each) => !without.has(each)).map(({ claim }) => claim.name))
      const merged = mergedReasons([], { lasting: [], waiting: reasons }, new Set())
      expect(merged.map(({ subject }) => subject.name)).toEqual([...names].sort())
    }
  })

  it.each([0, 3])('come after others, of which %s last', (count) => {
    const reasonsOf = (claims: readonly string[], code: 'DISRUPTION.CALM' | 'DISRUPTION.POLICY'): readonly Reason[] =>
      claims.map((name) => ({ code, subject: { kind: 'nodeClaim', name }, message: '' }))
    const lasting = reasonsOf(['x', 'y', 'z', '0', '1', '2'].slice(0, count), 'DISRUPTION.POLICY')
    const among = all.filter(({ claim }) => claim.name !== 'e' && (count === 0 || claim.name === 'b'))
    const without = new Set(among.filter(({ claim }) => claim.name === 'a' || claim.name === 'c'))
    const waiting = createWaitingReasons()({ because: 'turn', among, without })
    const few = reasonsOf(['c', 'd', 'c'], 'DISRUPTION.CALM')
    const merged = mergedReasons(few, { lasting, waiting }, new Set(['d']))
    const told = merged.map(({ subject, code }) => `${subject.name} ${code}`)
    expect(told).toEqual([
      'b DISRUPTION.DEADLINE',
      'c DISRUPTION.CALM',
      ...['x', 'y', 'z'].slice(0, count).map((name) => `${name} DISRUPTION.POLICY`),
    ])
  })
})
