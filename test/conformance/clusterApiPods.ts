import { describe, expect, it } from 'vitest'
import { nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import { type Labels, POD_ANNOTATION } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { ClusterApiHarness, MakeClusterApi } from './clusterApiHarness.ts'
import { codeOf, fresh, SIGNAL, valueOf } from './harness.ts'

const NODE = nodeName('node-a')

export function describeClusterPods(name: string, make: MakeClusterApi): void {
  async function onePod(harness: ClusterApiHarness, labels: Labels = {}): Promise<Pod> {
    await harness.makeNode(NODE)
    await harness.makePod({ name: 'app', node: NODE, labels })
    const [pod] = await harness.api.listPodsOn(NODE, SIGNAL)
    return pod ?? expect.fail('no pod')
  }

  describe(`pods of ${name}`, () => {
    it('are listed by node', async () => {
      const harness = await fresh(make)
      const pod = await onePod(harness)
      await harness.makeNode('node-b')
      await harness.makePod({ name: 'elsewhere', node: nodeName('node-b') })
      expect(pod).toMatchObject({ key: 'default/app', nodeName: NODE })
      expect(await harness.api.listPodsOn(NODE, SIGNAL)).toHaveLength(1)
      expect(await harness.api.listPodsOn(NODE, SIGNAL, 'recent')).toEqual([pod])
      expect(await harness.api.listPodsOn(nodeName('node-c'), SIGNAL)).toEqual([])
    })

    it('are listed by the node that they are nominated for', async () => {
      const harness = await fresh(make)
      await onePod(harness)
      await harness.makePod({ name: 'coming', node: NODE, isNominated: true })
      expect(await harness.api.listPodsNominatedFor(NODE, SIGNAL)).toMatchObject([{ key: 'default/coming', nominatedNodeName: NODE }])
      expect(await harness.api.listPodsOn(NODE, SIGNAL)).toHaveLength(1)
      expect(await harness.api.listPodsNominatedFor(nodeName('node-b'), SIGNAL)).toEqual([])
    })

    it('have the text of the scheduler while it does not bind them', async () => {
      const harness = await fresh(make)
      const running = await onePod(harness)
      await harness.makePod({ name: 'odd', node: NODE, isNominated: true, refusal: '0/1 nodes are available' })
      const [odd = expect.fail('no pod')] = await harness.api.listPodsNominatedFor(NODE, SIGNAL)
      expect(await harness.api.getSchedulerMessage(odd, SIGNAL)).toBe('0/1 nodes are available')
      expect(await harness.api.getSchedulerMessage({ ...odd, uid: uid('earlier') }, SIGNAL)).toBeUndefined()
      expect(await harness.api.getSchedulerMessage({ ...odd, key: objectKey('default', 'gone') }, SIGNAL)).toBeUndefined()
      expect(await harness.api.getSchedulerMessage(running, SIGNAL)).toBeUndefined()
    })

    it('are evicted', async () => {
      const harness = await fresh(make)
      const pod = await onePod(harness)
      expect(valueOf(await harness.api.evict(pod, SIGNAL))).toBe('evicted')
      const left = (await harness.api.listPodsOn(NODE, SIGNAL))[0]
      expect(left === undefined || left.deletedAt !== undefined).toBe(true)
    })

    it('are gone when another pod has the name', async () => {
      const harness = await fresh(make)
      const pod = await onePod(harness)
      expect(valueOf(await harness.api.evict({ ...pod, uid: uid('earlier') }, SIGNAL))).toBe('gone')
      await harness.api.deletePod({ ...pod, uid: uid('earlier') }, 0, SIGNAL)
      expect(await harness.hasPod(pod.key)).toBe(true)
      await harness.api.deletePod(pod, 0, SIGNAL)
      await harness.api.deletePod(pod, 0, SIGNAL)
      expect(await harness.hasPod(pod.key)).toBe(false)
      expect(valueOf(await harness.api.evict(pod, SIGNAL))).toBe('gone')
    })

    it('get a deletion cost, and lose it', async () => {
      const harness = await fresh(make)
      const pod = await onePod(harness)
      const costOf = async () => (await harness.api.listPodsOn(NODE, SIGNAL))[0]?.annotations[POD_ANNOTATION.deletionCost]
      for (const cost of ['-7', '-7', undefined, undefined]) {
        expect(codeOf(await harness.api.setDeletionCost(pod, cost, SIGNAL))).toBe('ok')
        expect(await costOf()).toBe(cost)
      }
      expect(codeOf(await harness.api.setDeletionCost({ ...pod, uid: uid('earlier') }, '-7', SIGNAL))).toMatch(/^KUBE\.(CONFLICT|INVALID)$/)
      expect(await costOf()).toBeUndefined()
      expect(codeOf(await harness.api.setDeletionCost({ ...pod, key: objectKey('default', 'gone') }, '-7', SIGNAL))).toBe('ok')
    })

    it('stay while a budget needs them', async () => {
      const harness = await fresh(make)
      const pod = await onePod(harness, { app: 'web' })
      await harness.makeBudget({ name: 'web', labels: { app: 'web' }, disruptionsAllowed: 0 })
      const outcome = await harness.api.evict(pod, SIGNAL)
      expect(codeOf(outcome)).toBe('KUBE.EVICTION_BLOCKED')
      if (!outcome.ok) expect(outcome.error.retryAfterMs).toBeGreaterThan(0)
      expect(await harness.hasPod(pod.key)).toBe(true)
    })

    it('take from the budget that covers them', async () => {
      const harness = await fresh(make)
      const pod = await onePod(harness, { app: 'web' })
      await harness.makePod({ name: 'second', node: NODE, labels: { app: 'web' } })
      await harness.makeBudget({ name: 'web', labels: { app: 'web' }, disruptionsAllowed: 1 })
      const second = (await harness.api.listPodsOn(NODE, SIGNAL)).find(({ key }) => key === 'default/second')
      expect(codeOf(await harness.api.evict(pod, SIGNAL))).toBe('ok')
      if (second !== undefined) expect(codeOf(await harness.api.evict(second, SIGNAL))).toBe('KUBE.EVICTION_BLOCKED')
    })

    it('are left alone by the budget of others', async () => {
      const harness = await fresh(make)
      const pod = await onePod(harness, { app: 'web' })
      await harness.makeBudget({ name: 'db', labels: { app: 'db' }, disruptionsAllowed: 0 })
      expect(codeOf(await harness.api.evict(pod, SIGNAL))).toBe('ok')
    })
  })
}
