import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createRecordedTelemetry } from '../../adapters/memory/telemetry.ts'
import { clusterId } from '../../model/ids.ts'
import type { Doorbell } from '../../model/message.ts'
import { problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import { type ClusterState, createClusterState } from '../state/clusterState.ts'
import { hintUnhealthy } from './hintUnhealthy.ts'

const SIGNAL = new AbortController().signal
const CLUSTER = clusterId('demo')

/** The claims that get a hint, in a cluster of a ready claim with a ready node, and the `unwell` claims with nodes that are not ready. */
async function hintsFor(
  because: Doorbell['because'],
  unwell = ['default-b'],
  now = NOW,
  invalid: ReturnType<ClusterState['invalid']> = [],
): Promise<readonly string[]> {
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
  const sent: string[] = []
  const queue = { ring: async () => {}, send: async ({ claim }: { readonly claim: string }) => void sent.push(claim) }
  const clock = { now: () => now, sleep: async () => {} }
  await hintUnhealthy(
    { cluster: CLUSTER, clock, queue, telemetry: createRecordedTelemetry(), settings: settings() },
    state,
    [{ kind: 'doorbell', cluster: CLUSTER, because, eventAt: NOW, urgent: true }],
    SIGNAL,
  )
  return sent
}

describe('a ready claim whose node is unwell', () => {
  it('is looked at on each resync, and not on every change', async () => {
    expect(await hintsFor('resync')).toEqual(['default-b'])
    expect(await hintsFor('changes')).toEqual([])
  })

  it('is not looked at if it cannot be read, whatever other object has its name', async () => {
    const unreadable = { key: 'default-b', problem: problem('INPUT.INVALID', 'spec is missing') }
    expect(await hintsFor('resync', undefined, NOW, [{ ...unreadable, kind: 'nodeClaim' }])).toEqual([])
    expect(await hintsFor('resync', undefined, NOW, [{ ...unreadable, kind: 'pod' }])).toEqual(['default-b'])
  })

  it('is not asked for more often than looks are done, and each in its turn', async () => {
    const zone = Array.from({ length: 500 }, (_, index) => `default-${index}`)
    const seen = new Set<string>()
    for (let round = 0; round < 60; round++) {
      const hints = await hintsFor('resync', zone, epochMs(NOW + round * 30_017))
      expect(hints).toHaveLength(64)
      for (const hint of hints) seen.add(hint)
    }
    expect(seen.size).toBe(500)
  })
})
