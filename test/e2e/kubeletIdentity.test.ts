import { describe, expect, it } from 'vitest'
import { DEPLOYMENT_PATH, deployment, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { claims, nodes, whenSays, whenTold } from './waits.ts'

/** The app reads what Azure reports about the cluster with each refresh of its catalog. */
onCluster('the identity of kubelets', scenarios, { appSettings: { CATALOG_SCHEDULE: '*/2 * * * * *' } })

const LABEL = 'kubernetes.azure.com/kubelet-identity-client-id'
const NEW_CLIENT_ID = '00000000-0000-4000-8000-00000000BEEF'
const BLUE = { team: 'blue' }

type Identity = { readonly resourceId: string; readonly clientId: string; readonly objectId: string }

function scenarios(environment: () => Environment): void {
  const identityNow = (): Identity => (propertiesNow()['identityProfile'] as { kubeletidentity: Identity }).kubeletidentity

  function propertiesNow(): { readonly [name: string]: unknown } {
    const { azure } = environment().stack
    return (azure.getResource(azure.clusterResourceId)?.['properties'] ?? {}) as { readonly [name: string]: unknown }
  }

  /** As after `az aks update --assign-kubelet-identity`. */
  function assign(kubeletidentity: Identity): void {
    const { azure } = environment().stack
    const cluster = azure.getResource(azure.clusterResourceId)
    if (cluster === undefined) throw new Error('there is no cluster')
    azure.putResource({ ...cluster, properties: { ...propertiesNow(), identityProfile: { kubeletidentity } } })
  }

  async function touchPool(): Promise<void> {
    await environment().patch(`${POOL_PATH}/blue`, { metadata: { annotations: { 'example.com/touched': String(Date.now()) } } })
  }

  /** The client ids in the labels of the nodes with pods of the scenario. */
  async function labels(): Promise<readonly unknown[]> {
    const own = (await nodes(environment())).filter(({ metadata }) => metadata.labels?.['team'] === 'blue')
    return own.map(({ metadata }) => metadata.labels?.[LABEL])
  }

  describe('that the cluster has another of', () => {
    it('DR-06 drifts the node with the former one, and its replacement has the new one', async () => {
      const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never', budgets: [{ nodes: '0' }] }
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, spec: { disruption } }))
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
      await environment().settle(1)
      const before = identityNow()
      const [old] = await claims(environment())
      const name = old?.metadata.name ?? expect.fail('there is no nodeclaim')
      expect(await labels()).toEqual([before.clientId])

      assign({ ...before, clientId: NEW_CLIENT_ID })
      const drifted = { type: 'Drifted', status: 'True', reason: 'KubeletIdentityDrift' }
      const ids = new RegExp(
        `${LABEL} of the node is ${before.clientId}, and kubeletIdentityClientId of the cluster is ${NEW_CLIENT_ID}`,
        'i',
      )
      // The cluster may be at rest, for up to five minutes. A change of the pool ends the rest.
      const changes = setInterval(() => void touchPool(), 3_000)
      await whenSays(environment(), `/apis/karpenter.sh/v1/nodeclaims/${name}`, drifted, ids).finally(() => clearInterval(changes))
      await whenTold(environment(), 'NodeClaim', name, 'DisruptionBlocked', /allows no more disruptions for reason Drifted/)

      await environment().patch(`${POOL_PATH}/blue`, { spec: { disruption: { budgets: [{ nodes: '100%' }] } } })
      await until(async () => {
        const names = (await claims(environment())).map(({ metadata }) => metadata.name)
        return names.includes(name) ? `nodeclaim ${name} is not replaced` : undefined
      })
      await environment().settle(1)
      expect(await labels()).toEqual([NEW_CLIENT_ID])
      expect(environment().machinesMade()).toHaveLength(2)
      expect((await claims(environment())).flatMap(({ status }) => status?.conditions ?? []).map(({ type }) => type)).not.toContain(
        'Drifted',
      )
      assign(before)
    })
  })
}
