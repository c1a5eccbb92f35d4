import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { pod } from '../../../test/builders/pod.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import { clusterId } from '../../model/ids.ts'
import { FINALIZER, LABEL } from '../../model/labels.ts'
import { problem } from '../../model/problem.ts'
import { type DurationMs, durationMs } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { endOrphan } from './endOrphan.ts'

const NEVER = new AbortController().signal
const DRAIN = durationMs(30 * MINUTE)
const POD = { name: 'web', phase: 'Running' as const, terminationGracePeriodSeconds: 30 }

/** One step of a machine without a claim. Returns the writes in order, and the outcome. */
async function step(shape: NodeShape, over: Partial<ClusterApi> = {}, bound: { readonly drainFor?: DurationMs } = { drainFor: DRAIN }) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const orphan = instance()
  const { name } = world.objects.put('node', node(shape))
  world.objects.put('pod', pod({ ...POD, nodeName: name }))
  const did: string[] = []
  const { api, cloud } = world.ports
  const noted: Partial<ClusterApi> = {
    patchNode: (each, patch, signal) => (did.push(`patch ${Object.keys(patch).sort().join(' ')}`), api.patchNode(each, patch, signal)),
    deleteNode: (each, uid, signal) => (did.push('delete node'), api.deleteNode(each, uid, signal)),
    evict: (each, signal) => (did.push('evict'), api.evict(each, signal)),
    deletePod: (each, seconds, signal) => (did.push(`delete pod in ${seconds}`), api.deletePod(each, seconds, signal)),
  }
  const deps = {
    api: { ...api, ...noted, ...over },
    cloud: { ...cloud, terminate: async () => (did.push('terminate'), 'gone' as const) },
  }
  const { kind } = await endOrphan(deps, orphan, { now: NOW, ...bound }, NEVER)
  return { did, kind, node: world.objects.get('node', name) }
}

describe('a machine without a claim', () => {
  it('has its node held, closed and deleted, then its pods evicted', async () => {
    const { did, kind, node: after } = await step({ meta: { finalizers: ['other'] } })
    expect([did, kind]).toEqual([['patch finalizers labels taints', 'delete node', 'evict'], 'drains'])
    expect(after?.meta).toMatchObject({ finalizers: ['other', FINALIZER], deletedAt: NOW })
  })

  it('has nothing marked twice', async () => {
    const { node: closed } = await step({})
    const { taints, meta } = closed ?? expect.fail('the node is gone')
    expect((await step({ taints, meta: { ...meta, deletedAt: ago(MINUTE) } })).did).toEqual(['evict'])
  })

  it('is held before it is deleted where somebody else has closed it', async () => {
    const { node: closed } = await step({})
    const { taints, meta } = closed ?? expect.fail('the node is gone')
    const { deletedAt: _, ...undeleted } = meta
    expect((await step({ taints, meta: { ...undeleted, finalizers: [] } })).did).toEqual(['patch finalizers', 'delete node', 'evict'])
  })

  it('is not deleted while its node could not be marked', async () => {
    const raced = await step({}, { patchNode: async () => err(problem('KUBE.CONFLICT', 'no')) })
    expect([raced.did, raced.kind]).toEqual([[], 'drains'])
  })

  it.each<[sentence: string, drainedForMs: number, did: string]>([
    ['is waited for', DRAIN - MINUTE, 'evict'],
    ['is told to end in time', DRAIN - 29_000, 'delete pod in 29'],
    ['is left behind', DRAIN, 'terminate'],
  ])('whose pod %s after %i ms', async (_sentence, drainedForMs, want) => {
    const { node: closed } = await step({})
    const { taints, meta } = closed ?? expect.fail('the node is gone')
    const { did, kind } = await step({ taints, meta: { ...meta, deletedAt: ago(drainedForMs) } })
    expect([did, kind]).toEqual([[want], want === 'terminate' ? 'ended' : 'drains'])
  })

  it.each<[string, NodeShape]>([
    ['is not ready', { ready: false }],
    ['is of no pool', { name: 'joiner-default-aaaaa', meta: { labels: {} } }],
  ])('goes at once where its node %s', async (_sentence, shape) => {
    expect((await step(shape)).did).toEqual(['terminate'])
  })

  it('is only closed where the caller has a bound of its own, whatever its node is of', async () => {
    const { did, node: after } = await step({ name: 'joiner-default-aaaaa', meta: { labels: {}, finalizers: [] } }, {}, {})
    expect([did, after?.meta.deletedAt]).toEqual([['patch labels taints', 'evict'], undefined])
    expect(after?.meta.labels[LABEL.nodePool]).toBeUndefined()
  })
})
