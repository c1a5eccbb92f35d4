/** Objects that the scenarios make. Each pod needs a machine of its own, so that the number of machines a scenario needs is plain. */
const POOL = 'default'

export const POOL_PATH = '/apis/karpenter.sh/v1/nodepools'
export const CLASS_PATH = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'
export const DEPLOYMENT_PATH = '/apis/apps/v1/namespaces/default/deployments'

/** Machines of two CPUs, spot or not; an empty node goes at once. */
export function nodePool(capacityTypes: readonly string[] = ['spot', 'on-demand']): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: POOL },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          requirements: [
            { key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: ['2'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: capacityTypes },
          ],
        },
      },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
    },
  }
}

export function nodeClass(): object {
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default' },
    spec: { imageFamily: 'Ubuntu2204' },
  }
}

/** More than half of what a machine of the pool has. */
export function deployment(name: string, replicas: number): object {
  const labels = { app: name }
  const container = { name: 'pause', image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6', resources: { requests: { cpu: '1500m' } } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
    },
  }
}
