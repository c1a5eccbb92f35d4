import { describe, expect, it } from 'vitest'
import type { Node } from '../../local/cluster/client/objects.ts'
import { container, DEPLOYMENT_PATH, deployment } from './clusterObjects.ts'
import { onEachCluster } from './onEachCluster.ts'
import { until } from './until.ts'
import { nodes, someClaim, whenSays } from './waits.ts'
import type { World } from './world.ts'

onEachCluster('buffers and overlays', scenarios)

const OVERLAYS = '/apis/karpenter.sh/v1alpha1/nodeoverlays'
const BUFFERS = '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers'
const TEMPLATES = '/api/v1/namespaces/default/podtemplates'
const FAMILY = 'karpenter.azure.com/sku-family'

function scenarios(world: () => World): void {
  describe('an overlay', () => {
    it('decides by its price what is cheapest, in the plan and at the launch', async () => {
      await world().make(OVERLAYS, overlay('cheap-memory', { price: '0.0001' }))
      await whenSays(world(), `${OVERLAYS}/cheap-memory`, { type: 'Ready', status: 'True' })
      await world().scale('app', 1)
      await world().settle(1)
      const [node] = await nodes(world())
      expect(node?.metadata.labels?.[FAMILY]).toBe('E')
      expect((await someClaim(world())).metadata.annotations).toMatchObject({ 'karpenter.sh/price-overlay-applied': 'true' })
    })

    it('says that it is not applied where another one of its weight speaks of the same', async () => {
      await world().make(OVERLAYS, overlay('one', { price: '0.5' }))
      await world().make(OVERLAYS, overlay('two', { priceAdjustment: '+10%' }))
      await whenSays(world(), `${OVERLAYS}/one`, { type: 'ValidationSucceeded', status: 'False', reason: 'Conflict' })
      await whenSays(world(), `${OVERLAYS}/two`, { type: 'Ready', status: 'True' })
      await world().remove(`${OVERLAYS}/two`)
      await whenSays(world(), `${OVERLAYS}/one`, { type: 'Ready', status: 'True' })
    })
  })

  describe('a buffer', () => {
    it('keeps a machine ready, which a pod takes at once, and another one then', async () => {
      await world().make(BUFFERS, buffer({ podTemplateRef: { name: 'shape' }, replicas: 1 }))
      await whenSays(world(), `${BUFFERS}/spare`, { type: 'ReadyForProvisioning', status: 'False', reason: 'PodTemplateNotFound' })
      await world().make(TEMPLATES, podTemplate('shape'))
      await whenSays(world(), `${BUFFERS}/spare`, { type: 'Provisioning', status: 'True', reason: 'FitsExistingCapacity' })
      // A node that is there and not ready may be overtaken by the second one.
      await until(async () => ((await nodes(world())).some(isReady) ? undefined : 'there is no node yet'))
      const [ready] = await nodes(world())
      await world().scale('app', 1)
      await until(async () => ((await nodes(world())).length === 2 ? undefined : 'there is no second node yet'))
      const pods = await world().get<{ items: readonly { spec: { nodeName?: string } }[] }>('/api/v1/namespaces/default/pods')
      expect(pods?.items.map(({ spec }) => spec.nodeName)).toEqual([ready?.metadata.name])
      await world().remove(`${BUFFERS}/spare`)
      await world().settle(1)
    })

    it('keeps room for a share of a workload', async () => {
      await world().make(DEPLOYMENT_PATH, deployment('idle', 2))
      const scalableRef = { apiGroup: 'apps', kind: 'Deployment', name: 'idle' }
      await world().make(BUFFERS, buffer({ scalableRef, percentage: 50 }))
      await until(async () => ((await nodes(world())).length === 3 ? undefined : 'there are no three nodes yet'))
      await world().remove(`${BUFFERS}/spare`)
      await world().settle(2)
    })
  })
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
}

function overlay(name: string, change: object): object {
  const requirements = [{ key: FAMILY, operator: 'In', values: ['E'] }]
  return { apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay', metadata: { name }, spec: { requirements, ...change } }
}

function buffer(spec: object): object {
  return { apiVersion: 'autoscaling.x-k8s.io/v1beta1', kind: 'CapacityBuffer', metadata: { name: 'spare', namespace: 'default' }, spec }
}

function podTemplate(name: string): object {
  const template = { metadata: { labels: { app: 'spare' } }, spec: { containers: [container('1500m')] } }
  return { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name, namespace: 'default' }, template }
}
