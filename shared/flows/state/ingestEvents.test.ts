import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { Change } from '../../model/change.ts'
import { clusterId } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { createRecentNodes } from '../queue/claimRequests.ts'
import { type EventBatch, type IngestDeps, ingestEvents } from './ingestEvents.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('demo')

function world(): MemoryWorld {
  return createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
}

const putNode = (object: Node): Change => ({ seq: 1, at: NOW, key: object.name, op: 'put', kind: 'node', object })
const putClaim = (object: NodeClaim): Change => ({ seq: 1, at: NOW, key: object.name, op: 'put', kind: 'nodeClaim', object })

function changesOf(changes: readonly Change[]): EventBatch {
  return { term: 1, body: { kind: 'changes', changes }, unreadable: [] }
}

function snapshotOf(changes: readonly Change[]): EventBatch {
  return { term: 1, body: { kind: 'snapshot', seq: 1, part: 0, parts: 1, changes }, unreadable: [] }
}

/** The claims that a batch adds, and the number of all keys that it adds. */
async function sentFor(batch: EventBatch, deps?: Partial<IngestDeps>) {
  const { ports, work } = world()
  await ingestEvents({ ...ports, settings: settings(), ...deps }, CLUSTER, batch, NEVER)
  const news = work.flatMap((each) => (each.key === 'claim' ? [each] : []))
  return { claims: news.map(({ claim }) => claim).sort(), news, keys: work.length }
}

/** Similar nodes and claims with nothing to do. */
function healthy(count: number): readonly Change[] {
  return Array.from({ length: count }, (_, index) => `default-${index}`).flatMap((name) => [
    putNode(node({ claim: name })),
    putClaim(nodeClaim({ name, status: { conditions: [condition('Ready')] } })),
  ])
}

const WITH_WORK: { readonly [sentence: string]: Change } = {
  'a node that joined': putNode(node({ meta: { labels: { [LABEL.registered]: '' } } })),
  'a node that may be ready for pods': putNode(node({ initialized: false })),
  'a node that is not ready any more': putNode(node({ ready: false })),
  'a node that somebody deletes': putNode(node({ meta: { deletedAt: ago(SECOND) } })),
  'a node that is gone': { seq: 1, at: NOW, key: node().name, op: 'delete', kind: 'node' },
  'a claim made by hand': putClaim(nodeClaim({ stage: 'created' })),
  'a claim that somebody deletes': putClaim(nodeClaim({ meta: { deletedAt: ago(SECOND) } })),
  'a claim that is gone': { seq: 1, at: NOW, key: 'default-aaaaa', op: 'delete', kind: 'nodeClaim' },
}

const WITHOUT_WORK: { readonly [sentence: string]: Change } = {
  'a claim that a decision made, whose maker follows it': putClaim(
    nodeClaim({ stage: 'created', meta: { annotations: { [ANNOTATION.decision]: 'd' } } }),
  ),
  'a claim on its way': putClaim(nodeClaim({ stage: 'launched' })),
  'a claim that is being drained': putClaim(
    nodeClaim({ meta: { deletedAt: ago(SECOND) }, status: { conditions: [condition('Drained', { status: 'Unknown' })] } }),
  ),
  'a node of a pool of AKS': putNode(node({ name: 'aks-system-vmss000000', ready: false })),
  'a claim that cannot be understood': {
    seq: 1,
    at: NOW,
    key: 'default-aaaaa',
    op: 'invalid',
    kind: 'nodeClaim',
    problem: { code: 'INPUT.INVALID', message: 'no' },
  },
}

describe('keys that a post of the shim adds', () => {
  it.each([1, 10, 5_000])('are the decision alone for a snapshot of %i healthy nodes and their claims', async (count) => {
    expect(await sentFor(snapshotOf(healthy(count)))).toMatchObject({ claims: [], keys: 1 })
  })

  it.each([1, 10, 5_000])('are the decision alone when %i healthy nodes and their claims change', async (count) => {
    expect(await sentFor(changesOf(healthy(count)))).toMatchObject({ claims: [], keys: 1 })
  })

  for (const [sentence, change] of Object.entries(WITH_WORK)) {
    it(`name the claim of ${sentence}, among any number of healthy ones`, async () => {
      for (const batch of [changesOf([...healthy(100), change]), snapshotOf([change, ...healthy(100)])]) {
        const sent = await sentFor(batch)
        expect(sent.claims).toEqual(['default-aaaaa'])
        expect(sent.news[0]?.isFollowed).toBe(false)
      }
    })
  }

  for (const [sentence, change] of Object.entries(WITHOUT_WORK)) {
    it(`do not name ${sentence}`, async () => {
      expect(await sentFor(changesOf([change]))).toMatchObject({ claims: [], keys: 1 })
    })
  }

  it('name a claim once a batch, however often it changed', async () => {
    const annotated = Array.from({ length: 40 }, (_, index) =>
      putClaim(nodeClaim({ meta: { deletedAt: ago(SECOND), annotations: { note: String(index) } } })),
    )
    expect((await sentFor(changesOf(annotated))).claims).toEqual(['default-aaaaa'])
  })

  it('take a node along that can run pods, and look at one that starts once its registration waits no longer', async () => {
    const joins = (name: string, ready: boolean) => putNode(node({ claim: name, initialized: false, ready }))
    const clock = createVirtualClock(NOW)
    const { ports, work } = createMemoryWorld({ clock, cluster: CLUSTER })
    const deps = { ...ports, settings: settings(), asked: createRecentNodes(clock) }
    const unregistered = putNode(node({ claim: 'b', initialized: false, ready: false, meta: { labels: { [LABEL.registered]: '' } } }))
    for (let n = 0; n < 3; n++) await ingestEvents(deps, CLUSTER, changesOf([joins('a', true), unregistered]), NEVER)
    const added = work.flatMap((each) => (each.key === 'claim' ? [each] : []))
    expect(added.map(({ claim, known, at }) => [claim, known?.isComing, known?.node?.name, at - NOW])).toEqual([
      ['a', true, 'joiner-a', 0],
      ['b', true, undefined, 11_000],
    ])
  })

  it('look at everything where one of several changes of a claim is about more than its node', async () => {
    const both = [putClaim(nodeClaim({ meta: { deletedAt: ago(SECOND) } })), putNode(node({ initialized: false }))]
    for (const changes of [both, both.toReversed()]) {
      const { news } = await sentFor(changesOf(changes))
      expect(news.map(({ known }) => known)).toEqual([undefined])
    }
  })
})
