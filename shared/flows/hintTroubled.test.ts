import { describe, expect, it } from 'vitest'
import { NOW } from '../../test/builders/clock.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { clusterId } from '../model/ids.ts'
import type { Doorbell } from '../model/message.ts'
import { createClusterState } from './clusterState.ts'
import { hintTroubled } from './hintTroubled.ts'

const SIGNAL = new AbortController().signal
const CLUSTER = clusterId('demo')

/** Two ready claims, the node of one not ready; which claims are looked at again. */
async function hintsFor(because: Doorbell['because']): Promise<readonly string[]> {
  const state = createClusterState()
  const objects = [nodeClaim(), nodeClaim({ name: 'default-b' })].map(
    (object) => ({ kind: 'nodeClaim', object, key: object.name }) as const,
  )
  const nodes = [node(), node({ claim: 'default-b', ready: false })].map((object) => ({ kind: 'node', object, key: object.name }) as const)
  const changes = [...objects, ...nodes].map((each, index) => ({ ...each, seq: index + 1, at: NOW, op: 'put' }) as const)
  state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes } })
  const sent: string[] = []
  const queue = { ring: async () => {}, send: async ({ claim }: { readonly claim: string }) => void sent.push(claim) }
  const clock = { now: () => NOW, sleep: async () => {} }
  await hintTroubled(
    { cluster: CLUSTER, clock, queue },
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
})
