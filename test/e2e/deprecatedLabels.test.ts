import { describe, expect, it } from 'vitest'
import { DEPLOYMENT_PATH, deployment } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { nodes } from './waits.ts'

onCluster('labels that Kubernetes has deprecated', scenarios)

/** kube-scheduler compares labels by their own names, so nodes must have both. */
const ZONE = { old: 'failure-domain.beta.kubernetes.io/zone', new: 'topology.kubernetes.io/zone' }
const OLD = {
  'beta.kubernetes.io/arch': 'amd64',
  'beta.kubernetes.io/os': 'linux',
  'failure-domain.beta.kubernetes.io/region': 'eastus',
  [ZONE.old]: 'eastus-2',
}
const SIZE = 'beta.kubernetes.io/instance-type'

function scenarios(environment: () => Environment): void {
  describe('in the selectors of pods', () => {
    it('E2-12 choose the machine, and the scheduler binds the pods to it', async () => {
      await environment().make(DEPLOYMENT_PATH, deployment('app-old', 1, { nodeSelector: OLD }))
      await environment().settle(1)
      const [node] = await nodes(environment())
      expect(node?.metadata.labels).toMatchObject({ ...OLD, [ZONE.new]: 'eastus-2' })
      const size = node?.metadata.labels?.[SIZE]
      expect(size).toBe(node?.metadata.labels?.['node.kubernetes.io/instance-type'])
      const sameSize = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term(SIZE, [size])] } }
      await environment().make(DEPLOYMENT_PATH, deployment('app-size', 1, { affinity: { nodeAffinity: sameSize } }))
      await environment().settle(2)
      expect((await nodes(environment())).map(({ metadata }) => metadata.labels?.[SIZE])).toEqual([size, size])
    })

    it('E2-12 spread pods over zones by the old name', async () => {
      const labelSelector = { matchLabels: { app: 'app-spread' } }
      const spread = [{ maxSkew: 1, topologyKey: ZONE.old, whenUnsatisfiable: 'DoNotSchedule', labelSelector }]
      await environment().make(DEPLOYMENT_PATH, deployment('app-spread', 3, { topologySpreadConstraints: spread }))
      await environment().settle(3)
      const { pods } = await takeInventory(environment().stack)
      expect(new Set(pods.map(({ node }) => node)).size).toBe(3)
      const zones = (await nodes(environment())).map(({ metadata }) => metadata.labels?.[ZONE.old]).sort()
      expect(zones).toEqual(['eastus-1', 'eastus-2', 'eastus-3'])
    })
  })
}

function term(key: string, values: readonly (string | undefined)[]): object {
  return { matchExpressions: [{ key, operator: 'In', values }] }
}
