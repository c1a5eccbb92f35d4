import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName, nodeName } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { durationMs, later } from '../../model/units.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal
/** No size of the catalog. */
const UNSOLD = nodeClaim({ stage: 'created', size: 'Standard_None', meta: { createdAt: NOW } })
const RUN = { claim: UNSOLD.name, because: 'news', isFollowed: false, attempt: 0 } as const

/** Runs a claim for which nothing can be bought. All pods were meant for it, but the ones named `other`. */
async function told(pods: readonly ReturnType<typeof pod>[], change: Partial<ClusterDeps> = {}) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), instanceTypes: catalog() })
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodeClaim', UNSOLD)
  const until = later(NOW, durationMs(60_000))
  const claimOf = ({ key }: (typeof pods)[number]) => (key.includes('other') ? nodeClaimName('default-other') : UNSOLD.name)
  const nominations = pods.map((each) => ({ pod: each.uid, claim: claimOf(each), until }))
  await world.ports.ledger.save({ ...emptyLedger(clusterId('test')), nominations }, undefined, NEVER)
  const readClusterState = () => Promise.resolve({ objects: () => snapshot({ objects: { pod: pods } }).objects })
  await stepClaim({ ...world.ports, settings: settings(), readClusterState, ...change }, RUN, NEVER)
  const ofPods = world.objects.events.map(({ event }) => event).filter(({ subject }) => subject.kind === 'pod')
  return { world, events: ofPods.map(({ subject, reason, message }) => ({ pod: subject.name, reason, message })) }
}

describe('LF-01 a claim that no capacity is there for', () => {
  it('tells the pods that still wait for it, and no others', async () => {
    const { events } = await told([
      pod({ name: 'waits' }),
      pod({ name: 'other' }),
      pod({ name: 'bound', nodeName: nodeName('n') }),
      pod({ name: 'done', phase: 'Succeeded' }),
      pod({ name: 'going', deletedAt: NOW }),
    ])
    expect(events).toEqual([{ pod: 'default/waits', reason: 'InsufficientCapacityError', message: expect.stringContaining(UNSOLD.name) }])
  })

  it('tells ten of many', async () => {
    const pods = Array.from({ length: 30 }, (_, index) => pod({ name: `p-${index}` }))
    expect((await told(pods)).events).toHaveLength(10)
  })

  it('ends and asks for a decision also if the pods cannot be told', async () => {
    const load = () => Promise.reject(new Fault('load', problem('STORE.UNAVAILABLE', 'no')))
    const { world, events } = await told([pod({ name: 'waits' })], { ledger: { load, save: load } })
    expect(events).toEqual([])
    expect(world.objects.get('nodeClaim', UNSOLD.name)?.meta.deletedAt).toBeDefined()
    expect(world.work).toContainEqual(expect.objectContaining({ key: 'decide', because: 'capacity' }))
  })
})
