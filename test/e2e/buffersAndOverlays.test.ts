import { describe, expect, it } from 'vitest'
import type { Node } from '../../local/cluster/client/objects.ts'
import { container, DEPLOYMENT_PATH, deployment } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { nodes, someClaim, whenSays } from './waits.ts'

onCluster('buffers and overlays', scenarios)

const OVERLAYS = '/apis/karpenter.sh/v1alpha1/nodeoverlays'
const BUFFERS = '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers'
const TEMPLATES = '/api/v1/namespaces/default/podtemplates'
const FAMILY = 'karpenter.azure.com/sku-family'

function scenarios(environment: () => Environment): void {
  describe('an overlay', () => {
    it('decides by its price what is cheapest, in the plan and at the launch', async () => {
      await environment().make(OVERLAYS, overlay('cheap-memory', { price: '0.0001' }))
      await whenSays(environment(), `${OVERLAYS}/cheap-memory`, { type: 'Ready', status: 'True' })
      await environment().scale('app', 1)
      await environment().settle(1)
      const [node] = await nodes(environment())
      expect(node?.metadata.labels?.[FAMILY]).toBe('E')
      expect((await someClaim(environment())).metadata.annotations).toMatchObject({ 'karpenter.sh/price-overlay-applied': 'true' })
    })

    it('says that it is not applied where another one of its weight speaks of the same', async () => {
      await environment().make(OVERLAYS, overlay('one', { price: '0.5' }))
      await environment().make(OVERLAYS, overlay('two', { priceAdjustment: '+10%' }))
      await whenSays(environment(), `${OVERLAYS}/one`, { type: 'ValidationSucceeded', status: 'False', reason: 'Conflict' })
      await whenSays(environment(), `${OVERLAYS}/two`, { type: 'Ready', status: 'True' })
      await environment().remove(`${OVERLAYS}/two`)
      await whenSays(environment(), `${OVERLAYS}/one`, { type: 'Ready', status: 'True' })
    })
  })

  describe('a buffer', () => {
    it('BU-06 keeps a machine ready, which a pod takes at once, and another one then', async () => {
      await environment().make(BUFFERS, buffer({ podTemplateRef: { name: 'shape' }, replicas: 1 }))
      await whenSays(environment(), `${BUFFERS}/spare`, { type: 'ReadyForProvisioning', status: 'False', reason: 'PodTemplateNotFound' })
      await environment().make(TEMPLATES, podTemplate('shape'))
      await whenSays(environment(), `${BUFFERS}/spare`, { type: 'Provisioning', status: 'True', reason: 'FitsExistingCapacity' })
      // Waits for a ready node: a node that is not ready yet could be overtaken by the second node.
      await until(async () => ((await nodes(environment())).some(isReady) ? undefined : 'there is no node yet'))
      const [ready] = await nodes(environment())
      await environment().scale('app', 1)
      await until(async () => ((await nodes(environment())).length === 2 ? undefined : 'there is no second node yet'))
      const pods = await environment().get<{ items: readonly { spec: { nodeName?: string } }[] }>('/api/v1/namespaces/default/pods')
      expect(pods?.items.map(({ spec }) => spec.nodeName)).toEqual([ready?.metadata.name])
      await environment().remove(`${BUFFERS}/spare`)
      await environment().settle(1)
    })

    it('BU-06 keeps room for a share of a workload', async () => {
      await environment().make(DEPLOYMENT_PATH, deployment('idle', 2))
      const scalableRef = { apiGroup: 'apps', kind: 'Deployment', name: 'idle' }
      await environment().make(BUFFERS, buffer({ scalableRef, percentage: 50 }))
      await until(async () => ((await nodes(environment())).length === 3 ? undefined : 'there are no three nodes yet'))
      await environment().remove(`${BUFFERS}/spare`)
      await environment().settle(2)
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
