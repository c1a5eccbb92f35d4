/** Drift by what nodes are made from: a new Kubernetes version or image comes while a cluster runs. */
import { describe, expect, it } from 'vitest'
import { ok } from '../../shared/base/result.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { isTrue } from '../../shared/model/condition.ts'
import { ANNOTATION, LABEL } from '../../shared/model/labels.ts'
import type { NodeVersions } from '../../shared/model/node.ts'
import { DRIFT_PAUSED } from '../../shared/model/nodePool.ts'
import { durationMs } from '../../shared/model/units.ts'
import { MINUTE, SECOND } from '../builders/clock.ts'
import { imagesOf, isReady, NOTICED_MS, OLD, reasonsOf, start } from './newNodesStory.ts'
import { START } from './simulation.ts'

const NEW: NodeVersions = { kubernetesVersion: '1.35.0', images: imagesOf('2') }

describe('a new Kubernetes version with new images', () => {
  it('stands in the status of the class, and each node is replaced once, as the budget allows', async () => {
    const { simulation, say, claimsOf, made, most, haveImage, objects } = await start({
      pools: { a: { nodes: 3, disruption: { budgets: [{ nodes: '2' }] } } },
    })
    expect(objects.all('nodeClass')[0]?.status).toMatchObject(OLD)
    say(NEW)
    const drifted = () => reasonsOf(claimsOf('a')).every((reason) => reason === 'K8sVersionDrift')
    expect(await simulation.runUntil(drifted, NOTICED_MS)).toBeDefined()
    expect(objects.all('nodeClass')[0]?.status).toMatchObject(NEW)
    expect(await simulation.runUntil(() => haveImage('a', '2'), 3 * MINUTE)).toBeDefined()
    expect(claimsOf('a').map(({ meta }) => meta.annotations[ANNOTATION.kubernetesVersion])).toEqual(['1.35.0', '1.35.0', '1.35.0'])
    await simulation.runUntil(() => false, NOTICED_MS)
    expect([made(), most.get('a'), reasonsOf(claimsOf('a'))]).toEqual([6, 2, [undefined, undefined, undefined]])
  }, 60_000)

  it('F7 is no drift of nodes that were made for it, whatever version their image brings', async () => {
    for (const kubelet of ['v1.34.9', 'v1.33.0']) {
      const { simulation, claimsOf, made } = await start({ pools: { a: { nodes: 2 } }, kubelet })
      await simulation.runUntil(() => false, NOTICED_MS)
      expect([kubelet, made(), reasonsOf(claimsOf('a'))]).toEqual([kubelet, 2, [undefined, undefined]])
    }
  }, 60_000)

  it('F40 that comes at noon moves no node before the window', async () => {
    const opensAt = START + 15 * MINUTE
    const closed = { nodes: '0', schedule: '0 8 * * *', duration: durationMs(15 * MINUTE), reasons: ['Drifted'] } as const
    const { simulation, clock, say, claimsOf, haveImage, made } = await start({
      pools: { a: { nodes: 2, disruption: { budgets: [{ nodes: '100%' }, closed] } } },
      tickMs: SECOND,
    })
    say({ ...OLD, images: imagesOf('2') })
    const drifted = () => reasonsOf(claimsOf('a')).every((reason) => reason === 'ImageDrift')
    expect(await simulation.runUntil(drifted, NOTICED_MS)).toBeDefined()
    await simulation.runUntil(() => clock.now() >= opensAt - SECOND, 15 * MINUTE)
    expect([made(), haveImage('a', '1')]).toEqual([2, true])
    expect(await simulation.runUntil(() => haveImage('a', '2'), NOTICED_MS)).toBeDefined()
  }, 60_000)

  it('F28 goes on at full budget in pools beside one whose replacements always fail', async () => {
    const disruption = { budgets: [{ nodes: '2' }] }
    const pools = { a: { nodes: 4, disruption }, b: { nodes: 4, disruption }, c: { nodes: 4, disruption } }
    const { simulation, world, say, most, haveImage, claimsOf } = await start({ pools })
    say(NEW)
    const toEnd = () => haveImage('b', '2') && haveImage('c', '2')
    const calm = await start({ pools })
    calm.say(NEW)
    const took = await calm.simulation.runUntil(() => calm.haveImage('b', '2') && calm.haveImage('c', '2'), NOTICED_MS + 5 * MINUTE)
    world.machines.refuse({ size: claimsOf('a')[0]?.meta.labels[LABEL.instanceType] as never }, { stage: 'boot' })
    const beside = await simulation.runUntil(toEnd, NOTICED_MS + 5 * MINUTE)
    expect([most.get('a'), most.get('b'), most.get('c'), haveImage('a', '2')]).toEqual([2, 2, 2, false])
    expect(claimsOf('a').filter(isReady)).toHaveLength(4)
    expect(took).toBeDefined()
    expect(beside).toBeLessThan((took ?? 0) + 30 * SECOND)
  }, 120_000)
})

describe('nodes that have another image than their class names when they come up', () => {
  it('F7 are replaced twice, and then stay, until their class has other images', async () => {
    let stuck: string | undefined
    const between = (deps: ClusterDeps): ClusterDeps => ({
      ...deps,
      cloud: {
        ...deps.cloud,
        async launch(request, signal) {
          const made = await deps.cloud.launch(request, signal)
          return made.ok && stuck !== undefined ? ok({ ...made.value, imageId: stuck }) : made
        },
      },
    })
    const { simulation, say, claimsOf, haveImage, made, objects } = await start({ pools: { a: { nodes: 1 } }, between })
    stuck = '/images/1'
    say({ ...OLD, images: imagesOf('2') })
    const isBraked = () => isTrue(objects.all('nodePool')[0]?.status.conditions ?? [], DRIFT_PAUSED)
    expect(await simulation.runUntil(isBraked, NOTICED_MS + 5 * MINUTE)).toBeDefined()
    await simulation.runUntil(() => false, NOTICED_MS)
    expect([made(), reasonsOf(claimsOf('a')), isBraked()]).toEqual([3, ['ImageDrift'], true])
    stuck = undefined
    say({ ...OLD, images: imagesOf('3') })
    expect(await simulation.runUntil(() => haveImage('a', '3'), NOTICED_MS + 5 * MINUTE)).toBeDefined()
    expect([made(), isBraked()]).toEqual([4, false])
  }, 60_000)
})
