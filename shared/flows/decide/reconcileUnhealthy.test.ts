import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { type AddedWork, createMemoryWorkQueue } from '../../adapters/memory/workQueue.ts'
import { problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import { type ClusterState, createClusterState } from '../state/clusterState.ts'
import { reconcileUnhealthy } from './reconcile.ts'

/** The claims that are added, in a cluster of a ready claim with a ready node, and the `unwell` claims with nodes that are not ready. */
function addedFor(unwell = ['default-b'], now = NOW, invalid: ReturnType<ClusterState['invalid']> = []): readonly string[] {
  const loaded = createClusterState()
  const state = { ...loaded, invalid: () => invalid }
  const objects = [nodeClaim(), ...unwell.map((name) => nodeClaim({ name }))].map(
    (object) => ({ kind: 'nodeClaim', object, key: object.name }) as const,
  )
  const nodes = [node(), ...unwell.map((claim) => node({ claim, ready: false }))].map(
    (object) => ({ kind: 'node', object, key: object.name }) as const,
  )
  const changes = [...objects, ...nodes].map((each, index) => ({ ...each, seq: index + 1, at: NOW, op: 'put' }) as const)
  state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes } })
  const added: AddedWork[] = []
  const clock = { now: () => now, sleep: async () => {} }
  reconcileUnhealthy({ clock, queue: createMemoryWorkQueue(added, clock), settings: settings() }, state)
  return added.flatMap((each) => (each.key === 'claim' ? [each.claim] : []))
}

describe('a ready claim whose node is unwell', () => {
  it('is added', () => {
    expect(addedFor()).toEqual(['default-b'])
  })

  it('is not added if it cannot be read, whatever other object has its name', () => {
    const unreadable = { key: 'default-b', problem: problem('INPUT.INVALID', 'spec is missing') }
    expect(addedFor(undefined, NOW, [{ ...unreadable, kind: 'nodeClaim' }])).toEqual([])
    expect(addedFor(undefined, NOW, [{ ...unreadable, kind: 'pod' }])).toEqual(['default-b'])
  })

  it('is added no more often than claims run, and each in its turn', () => {
    const zone = Array.from({ length: 500 }, (_, index) => `default-${index}`)
    const seen = new Set<string>()
    for (let round = 0; round < 60; round++) {
      const added = addedFor(zone, epochMs(NOW + round * 30_017))
      expect(added).toHaveLength(64)
      for (const each of added) seen.add(each)
    }
    expect(seen.size).toBe(500)
  })
})
