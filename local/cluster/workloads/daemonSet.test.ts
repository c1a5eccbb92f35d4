import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DaemonSet, objectKeyOf, type Pod } from '../client/objects.ts'
import { activePods, ends, letGo, type MemoryWorkloads, memoryWorkloads, works } from '../testing/memoryWorkloads.ts'
import { testNode } from '../testing/objects.ts'
import { nodeOfDaemonPod } from './daemonPlacement.ts'
import { startDaemonSets } from './daemonSet.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const AGENT = 'kube-system/agent'
const HASH = 'controller-revision-hash'
const NODES = ['one', 'two', 'three', 'four']

function daemonSet(spec: object = {}): DaemonSet {
  return {
    metadata: {
      name: 'agent',
      namespace: 'kube-system',
      uid: 'uid-agent',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: template('one'), ...spec },
  } as unknown as DaemonSet
}

function template(image: string, spec: object = {}): object {
  return { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image }], ...spec } }
}

async function onNodes(names: readonly string[], spec: object = {}): Promise<MemoryWorkloads> {
  const world = memoryWorkloads()
  for (const name of names) world.nodes.put(testNode(name))
  await startDaemonSets(world.context)
  world.daemonSets.put(daemonSet(spec))
  await world.settle()
  return world
}

/** Makes all pods run, each on its node. */
async function allWork(world: MemoryWorkloads): Promise<void> {
  for (const pod of activePods(world)) if (pod.spec.nodeName === undefined) works(world, pod, nodeOfDaemonPod(pod))
  await world.settle()
}

async function change(world: MemoryWorkloads, spec: object): Promise<void> {
  world.edit(world.daemonSets, AGENT, { spec })
  await world.settle()
}

const places = (world: MemoryWorkloads) => activePods(world).map(nodeOfDaemonPod)
const images = (world: MemoryWorkloads) => activePods(world).map(({ spec }) => spec.containers[0]?.image)
const ending = (world: MemoryWorkloads) => [...world.pods.items()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
const statusOf = (world: MemoryWorkloads) => world.daemonSets.get(AGENT)?.status
const podOn = (world: MemoryWorkloads, node: string): Pod => {
  const pod = activePods(world).find((each) => nodeOfDaemonPod(each) === node)
  if (pod === undefined) throw new Error(`no pod on ${node}`)
  return pod
}

describe('a daemon set', () => {
  it('makes a pod for each node, as its own, with the hash of its template', async () => {
    const world = await onNodes(NODES.slice(0, 2))
    expect(places(world)).toEqual(['one', 'two'])
    for (const { metadata } of activePods(world)) {
      expect(metadata.labels).toEqual({ app: 'agent', [HASH]: expect.stringMatching(/^[a-z0-9]{10}$/) })
      expect(metadata.ownerReferences).toEqual([
        { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'uid-agent', controller: true, blockOwnerDeletion: true },
      ])
    }
  })

  it('makes one for a node that comes, and for one that fits from now on', async () => {
    const world = await onNodes(['one'], { template: template('one', { nodeSelector: { gpu: 'yes' } }) })
    expect(places(world)).toEqual([])
    world.nodes.put(testNode('two', { labels: { gpu: 'yes' } }))
    await world.settle()
    expect(places(world)).toEqual(['two'])
    world.edit(world.nodes, 'one', { metadata: { labels: { gpu: 'yes' } } })
    await world.settle()
    expect(places(world)).toEqual(['two', 'one'])
  })

  it('does nothing about the heartbeat of a node', async () => {
    const world = await onNodes(['one'])
    await allWork(world)
    const before = world.writes.length
    world.edit(world.nodes, 'one', { status: { conditions: [{ type: 'Ready', status: 'True' }] } })
    await world.settle()
    expect(world.writes).toHaveLength(before)
  })

  it('takes its pod off a node that it no longer fits, and leaves it where only new ones are kept away', async () => {
    const world = await onNodes(['one', 'two'])
    await allWork(world)
    world.edit(world.nodes, 'one', { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } })
    world.edit(world.nodes, 'two', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })
    await world.settle()
    expect(ending(world).map(nodeOfDaemonPod)).toEqual(['one'])
    expect(places(world)).toEqual(['two'])
    expect(statusOf(world)).toMatchObject({ desiredNumberScheduled: 0, currentNumberScheduled: 0, numberMisscheduled: 1, numberReady: 0 })
    letGo(world)
    await world.settle()
    expect(places(world)).toEqual(['two'])
  })

  it('makes the next pod of a node when the last is gone, and not while it ends', async () => {
    const world = await onNodes(['one'])
    await allWork(world)
    world.edit(world.pods, objectKeyOf(podOn(world, 'one')), { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    await world.settle()
    expect(places(world)).toEqual([])
    letGo(world)
    await world.settle()
    expect(places(world)).toEqual(['one'])
  })

  it.each(['Failed', 'Succeeded'] as const)('clears away a pod that ended as %s, and makes another', async (phase) => {
    const world = await onNodes(['one'])
    await allWork(world)
    const before = podOn(world, 'one')
    ends(world, before, phase)
    await world.settle()
    letGo(world)
    await world.settle()
    expect(places(world)).toEqual(['one'])
    expect(podOn(world, 'one').metadata.uid).not.toBe(before.metadata.uid)
  })

  it('keeps one pod of several on a node: the one that is bound, then the oldest', async () => {
    const world = await onNodes(['one', 'two'])
    works(world, podOn(world, 'one'), 'one')
    const twin = (of: Pod, name: string, creationTimestamp: string): Pod => ({
      ...of,
      metadata: { ...of.metadata, name, uid: name, creationTimestamp },
    })
    const { nodeName: _none, ...unbound } = podOn(world, 'one').spec
    world.pods.put({ ...twin(podOn(world, 'one'), 'older-unbound', '2025-01-01T00:00:00Z'), spec: unbound })
    const second = podOn(world, 'two')
    world.pods.put(twin(second, 'younger', '2027-01-01T00:00:00Z'))
    world.pods.put(twin(second, 'older', '2025-01-01T00:00:00Z'))
    await world.settle()
    const kept = activePods(world).map(({ metadata }) => metadata.name)
    expect(kept).toHaveLength(2)
    expect(kept).toContain('older')
    expect(kept).not.toContain('older-unbound')
  })

  it('removes a pod that waits for a node that is gone', async () => {
    const world = await onNodes(['one', 'two'])
    works(world, podOn(world, 'two'), 'two')
    for (const name of ['one', 'two']) world.nodes.remove(name)
    await world.settle()
    // The pod that was bound is left to the pod garbage collector.
    expect(places(world)).toEqual(['two'])
    expect(statusOf(world)).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 1 })
  })

  it('makes and writes nothing once it goes', async () => {
    const world = await onNodes(['one'])
    const before = world.writes.length
    world.edit(world.daemonSets, AGENT, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    world.nodes.put(testNode('two'))
    await world.settle()
    expect(world.writes).toHaveLength(before)
  })

  it('tries again later what is refused', async () => {
    const world = memoryWorkloads()
    world.nodes.put(testNode('one'))
    world.refuse('POST pods')
    const queue = await startDaemonSets(world.context)
    world.daemonSets.put(daemonSet())
    await world.settle()
    queue.close()
    expect(world.lines).toEqual([expect.stringMatching(/^daemonset kube-system\/agent: .*create a pod of daemonset.*again in 50 ms$/)])
  })
})

describe('a new template of a daemon set', () => {
  it.each([
    [undefined, 1],
    [{ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } }, 1],
    [{ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 3 } }, 3],
    [{ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } }, 2],
    [{ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '30%' } }, 2],
    [{ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } }, 1],
  ])('with %j ends %i at a time', async (updateStrategy, atOnce) => {
    const world = await onNodes(NODES, { updateStrategy })
    await allWork(world)
    await change(world, { template: template('two') })
    for (let round = 0; round < 8 && images(world).includes('one'); round++) {
      const old = ending(world).length + images(world).filter((image) => image === 'one').length
      expect(ending(world)).toHaveLength(Math.min(atOnce, old))
      expect(statusOf(world)?.updatedNumberScheduled).toBe(images(world).filter((image) => image === 'two').length)
      letGo(world)
      await world.settle()
      // The new pods are not ready yet, so no more old pods may be deleted.
      expect(ending(world)).toEqual([])
      await allWork(world)
    }
    letGo(world)
    await world.settle()
    await allWork(world)
    expect(images(world)).toEqual(['two', 'two', 'two', 'two'])
    expect(statusOf(world)).toMatchObject({ updatedNumberScheduled: 4, numberAvailable: 4, observedGeneration: 3 })
  })

  it('replaces those that do not work first, and at once', async () => {
    const world = await onNodes(NODES)
    for (const name of ['one', 'two']) works(world, podOn(world, name), name)
    await world.settle()
    for (const name of ['three', 'four'])
      world.edit(world.pods, objectKeyOf(podOn(world, name)), { spec: { nodeName: name }, status: { phase: 'Running' } })
    await change(world, { template: template('two') })
    expect(ending(world).map(nodeOfDaemonPod)).toEqual(['three', 'four'])
  })

  it('of one that replaces on deletion waits until somebody deletes', async () => {
    const world = await onNodes(['one', 'two'], { updateStrategy: { type: 'OnDelete' } })
    await allWork(world)
    await change(world, { template: template('two') })
    expect(images(world)).toEqual(['one', 'one'])
    world.pods.remove(objectKeyOf(podOn(world, 'one')))
    await world.settle()
    expect(images(world).sort()).toEqual(['one', 'two'])
    expect(statusOf(world)).toMatchObject({ updatedNumberScheduled: 1, currentNumberScheduled: 2 })
  })
})

describe('the status of a daemon set', () => {
  it('counts nodes, and pods on them that are ready and available', async () => {
    const world = await onNodes(NODES.slice(0, 3), { minReadySeconds: 10 })
    works(world, podOn(world, 'one'), 'one', world.context.now() - 10_000)
    works(world, podOn(world, 'two'), 'two')
    await world.settle()
    expect(statusOf(world)).toEqual({
      observedGeneration: 2,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      updatedNumberScheduled: 3,
      numberReady: 2,
      numberAvailable: 1,
      numberUnavailable: 2,
    })
  })

  it('counts a pod as available once it was ready for as long as the set asks, without another change', async () => {
    const world = await onNodes(['one'], { minReadySeconds: 30 })
    await allWork(world)
    expect(statusOf(world)).toMatchObject({ numberReady: 1, numberAvailable: 0, numberUnavailable: 1 })
    world.pass(30_000)
    await vi.advanceTimersByTimeAsync(30_000)
    await world.settle()
    expect(statusOf(world)).toMatchObject({ numberReady: 1, numberAvailable: 1, numberUnavailable: 0 })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is written where there is no node at all, and once alone', async () => {
    const world = await onNodes([])
    expect(world.writes).toEqual(['PATCH daemonsets/agent'])
    world.edit(world.daemonSets, AGENT, { metadata: { labels: { touched: 'yes' } } })
    await world.settle()
    expect(world.writes).toHaveLength(1)
  })

  it('that is refused since the set is gone or has changed is nothing to tell', async () => {
    for (const code of [404, 409]) {
      const world = memoryWorkloads()
      world.refuse('PATCH daemonsets', { code, reason: 'x', message: 'y' })
      await startDaemonSets(world.context)
      world.daemonSets.put(daemonSet())
      await world.settle()
      expect(world.lines).toEqual([])
    }
  })
})
