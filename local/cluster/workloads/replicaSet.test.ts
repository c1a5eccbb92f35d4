import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { objectKeyOf, type Pod, type ReplicaSet } from '../client/objects.ts'
import { activePods, ends, letGo, type MemoryWorkloads, memoryWorkloads, works } from '../testing/memoryWorkloads.ts'
import { testPod } from '../testing/objects.ts'
import { startReplicaSets } from './replicaSet.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const WEB = 'default/web'

function set(spec: object = {}): ReplicaSet {
  return {
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'uid-web',
      resourceVersion: '1',
      generation: 4,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' }, annotations: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'one' }] } },
      ...spec,
    },
  } as unknown as ReplicaSet
}

async function replicated(spec: object = {}): Promise<MemoryWorkloads> {
  const world = memoryWorkloads()
  await startReplicaSets(world.context)
  world.replicaSets.put(set(spec))
  await world.settle()
  return world
}

const statusOf = (world: MemoryWorkloads) => world.replicaSets.get(WEB)?.status
const nth = (world: MemoryWorkloads, index: number): Pod => {
  const pod = activePods(world)[index]
  if (pod === undefined) throw new Error(`there is no pod ${index}`)
  return pod
}

describe('a replica set', () => {
  it('makes its pods from its template, as its own', async () => {
    const world = await replicated()
    const pods = activePods(world)
    expect(new Set(pods.map(({ metadata }) => metadata.name)).size).toBe(3)
    for (const { metadata, spec } of pods) {
      expect(metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(metadata).toMatchObject({
        namespace: 'default',
        labels: { app: 'web' },
        annotations: { a: 'b' },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-web', controller: true, blockOwnerDeletion: true },
        ],
      })
      expect(spec).toEqual({ containers: [{ name: 'main', image: 'one' }] })
    }
  })

  it('has one pod where it does not say how many', async () => {
    expect(activePods(await replicated({ replicas: undefined }))).toHaveLength(1)
  })

  it('makes another for each that ends, fails or goes', async () => {
    const world = await replicated()
    for (const pod of activePods(world)) works(world, pod)
    const [failed, done, going] = [nth(world, 0), nth(world, 1), nth(world, 2)]
    ends(world, failed, 'Failed')
    ends(world, done, 'Succeeded')
    world.edit(world.pods, objectKeyOf(going), { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    await world.settle()
    expect(activePods(world)).toHaveLength(3)
    expect([...world.pods.items()]).toHaveLength(6)
    world.pods.remove(objectKeyOf(nth(world, 0)))
    await world.settle()
    expect(activePods(world)).toHaveLength(3)
  })

  it('gives up those that do the least first, each by its uid', async () => {
    const world = await replicated({ replicas: 4 })
    for (const index of [1, 3]) works(world, nth(world, index))
    const kept = [nth(world, 1), nth(world, 3)].map(objectKeyOf)
    world.edit(world.replicaSets, WEB, { spec: { replicas: 2 } })
    await world.settle()
    expect(activePods(world).map(objectKeyOf)).toEqual(kept)
    world.edit(world.replicaSets, WEB, { spec: { replicas: 0 } })
    await world.settle()
    expect(activePods(world)).toEqual([])
    expect([...world.pods.items()].map(objectKeyOf)).toEqual(kept)
    letGo(world)
    await world.settle()
    expect(world.writes.filter((write) => write.startsWith('DELETE'))).toHaveLength(4)
  })

  it('leaves pods of others alone, and those it could take for its own', async () => {
    const world = await replicated({ replicas: 1 })
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'another', controller: true }]
    world.pods.put(testPod('stray', { labels: { app: 'web' } }))
    world.pods.put(testPod('other', { labels: { app: 'web' }, metadata: { name: 'other', namespace: 'default', ownerReferences } }))
    world.edit(world.replicaSets, WEB, { spec: { replicas: 0 } })
    await world.settle()
    expect([...world.pods.items()].map(({ metadata }) => metadata.name).sort()).toEqual(['other', 'stray'])
  })

  it('makes nothing more once it goes, and says what is left', async () => {
    const world = await replicated()
    world.edit(world.replicaSets, WEB, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    world.pods.remove(objectKeyOf(nth(world, 0)))
    await world.settle()
    expect(activePods(world)).toHaveLength(2)
    expect(statusOf(world)?.replicas).toBe(2)
  })

  it('that is refused a pod says so on itself, asks for one alone, and tries again later', async () => {
    const world = memoryWorkloads()
    world.refuse('POST pods')
    await startReplicaSets(world.context)
    world.replicaSets.put(set())
    await world.settle()
    expect(world.writes).toEqual(['POST pods'])
    expect(world.events).toEqual(['Warning FailedCreate ReplicaSet/web: Error creating: not you'])
    expect(world.lines).toEqual([
      expect.stringMatching(/^replicaset default\/web: .*create a pod of replicaset default\/web.*again in 50 ms$/),
    ])
    world.refuse(undefined)
    await vi.advanceTimersByTimeAsync(50)
    await world.settle()
    expect(activePods(world)).toHaveLength(3)
  })

  it('does not mind that a pod is gone already', async () => {
    const world = await replicated()
    world.refuse('DELETE pods', { code: 404, reason: 'NotFound', message: 'gone' })
    world.edit(world.replicaSets, WEB, { spec: { replicas: 0 } })
    await world.settle()
    expect(activePods(world)).toEqual([])
    expect(world.lines).toEqual([])
  })
})

describe('the status of a replica set', () => {
  it('counts its pods, those that are ready and those that are available', async () => {
    const world = await replicated()
    expect(statusOf(world)).toEqual({ replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 0, availableReplicas: 0, observedGeneration: 4 })
    works(world, nth(world, 0))
    works(world, nth(world, 1))
    await world.settle()
    expect(statusOf(world)).toMatchObject({ replicas: 3, readyReplicas: 2, availableReplicas: 2 })
    ends(world, nth(world, 0), 'Failed')
    await world.settle()
    expect(statusOf(world)).toMatchObject({ replicas: 3, readyReplicas: 1, availableReplicas: 1 })
  })

  it('is written of a set without pods too, and once alone while nothing changes', async () => {
    const world = await replicated({ replicas: 0 })
    expect(world.writes).toEqual(['PATCH replicasets/web'])
    expect(statusOf(world)).toMatchObject({ replicas: 0, observedGeneration: 4 })
    world.edit(world.replicaSets, WEB, { metadata: { labels: { touched: 'yes' } } })
    await world.settle()
    expect(world.writes).toHaveLength(1)
  })

  it('counts a pod as available once it was ready for as long as the set asks, and looks again by itself', async () => {
    const world = await replicated({ replicas: 1, minReadySeconds: 30 })
    works(world, nth(world, 0))
    await world.settle()
    expect(statusOf(world)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 })
    world.pass(30_000)
    await vi.advanceTimersByTimeAsync(29_999)
    await world.settle()
    expect(statusOf(world)?.availableReplicas).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await world.settle()
    expect(statusOf(world)?.availableReplicas).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
