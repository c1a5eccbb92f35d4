/** Drift by the identity of the kubelet: the cluster is configured with another one while it runs. */
import { describe, expect, it } from 'vitest'
import { findCondition, isTrue } from '../../shared/model/condition.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { DRIFT_PAUSED } from '../../shared/model/nodePool.ts'
import { MINUTE } from '../builders/clock.ts'
import { imagesOf, isReady, NOTICED_MS, OLD, reasonsOf, start } from './newNodesStory.ts'

const [FIRST, SECOND, THIRD] = ['a', 'b', 'c'].map((end) => `00000000-0000-4000-8000-00000000000${end}`) as [string, string, string]

describe('another identity of kubelets', () => {
  it('DR-06 replaces each node once, as the budget allows, and says which identity it had', async () => {
    const { simulation, configure, claimsOf, made, most, objects } = await start({
      pools: { a: { nodes: 3, disruption: { budgets: [{ nodes: '2' }] } } },
      identity: FIRST,
    })
    const identities = () => objects.all('node').map(({ meta }) => meta.labels[LABEL.kubeletIdentity])
    await simulation.runUntil(() => false, NOTICED_MS)
    expect([made(), identities()]).toEqual([3, [FIRST, FIRST, FIRST]])
    configure(SECOND)
    const drifted = () => reasonsOf(claimsOf('a')).every((reason) => reason === 'KubeletIdentityDrift')
    expect(await simulation.runUntil(drifted, NOTICED_MS)).toBeDefined()
    for (const { status } of claimsOf('a'))
      expect(findCondition(status.conditions, 'Drifted')?.message).toBe(
        `label kubernetes.azure.com/kubelet-identity-client-id of the node is ${FIRST}, and kubeletIdentityClientId of the cluster is ${SECOND} now`,
      )
    const isReplaced = () => identities().join() === [SECOND, SECOND, SECOND].join() && claimsOf('a').every(isReady)
    expect(await simulation.runUntil(isReplaced, 3 * MINUTE)).toBeDefined()
    await simulation.runUntil(() => false, NOTICED_MS)
    expect([made(), most.get('a'), reasonsOf(claimsOf('a'))]).toEqual([6, 2, [undefined, undefined, undefined]])
  }, 60_000)

  it('that is taken back before a node goes moves none', async () => {
    const { simulation, configure, claimsOf, made } = await start({
      pools: { a: { nodes: 2, disruption: { budgets: [{ nodes: '0' }] } } },
      identity: FIRST,
    })
    configure(SECOND)
    const are = (reason: string | undefined) => () => reasonsOf(claimsOf('a')).every((each) => each === reason)
    expect(await simulation.runUntil(are('KubeletIdentityDrift'), NOTICED_MS)).toBeDefined()
    configure(FIRST.toUpperCase())
    expect(await simulation.runUntil(are(undefined), NOTICED_MS)).toBeDefined()
    configure('')
    await simulation.runUntil(() => false, NOTICED_MS)
    expect([made(), reasonsOf(claimsOf('a'))]).toEqual([2, [undefined, undefined]])
  }, 60_000)

  it('comes after a new version, and before a new image', async () => {
    const { simulation, configure, claimsOf, say } = await start({
      pools: { a: { nodes: 1, disruption: { budgets: [{ nodes: '0' }] } } },
      identity: FIRST,
    })
    const isSaid = (reason: string) => simulation.runUntil(() => reasonsOf(claimsOf('a'))[0] === reason, NOTICED_MS)
    say({ ...OLD, images: imagesOf('2') })
    expect(await isSaid('ImageDrift')).toBeDefined()
    configure(SECOND)
    expect(await isSaid('KubeletIdentityDrift')).toBeDefined()
    say({ images: imagesOf('2'), kubernetesVersion: '1.35.0' })
    expect(await isSaid('K8sVersionDrift')).toBeDefined()
  }, 60_000)

  it('F7 that new nodes do not get replaces two nodes in a row, and then none, until the configuration changes', async () => {
    let stuck: string | undefined = FIRST
    const { simulation, configure, claimsOf, made, objects } = await start({
      pools: { a: { nodes: 1 } },
      identity: FIRST,
      labelled: () => stuck,
    })
    configure(SECOND)
    const isBraked = () => isTrue(objects.all('nodePool')[0]?.status.conditions ?? [], DRIFT_PAUSED)
    expect(await simulation.runUntil(isBraked, NOTICED_MS + 5 * MINUTE)).toBeDefined()
    await simulation.runUntil(() => false, NOTICED_MS)
    expect([made(), reasonsOf(claimsOf('a')), isBraked()]).toEqual([3, ['KubeletIdentityDrift'], true])
    stuck = undefined
    configure(THIRD)
    const isReplaced = () =>
      objects.all('node').every(({ meta }) => meta.labels[LABEL.kubeletIdentity] === THIRD) && claimsOf('a').every(isReady)
    expect(await simulation.runUntil(isReplaced, NOTICED_MS + 5 * MINUTE)).toBeDefined()
    expect([made(), isBraked()]).toEqual([4, false])
  }, 60_000)
})
