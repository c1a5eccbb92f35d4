/** Objects of the scenarios. Each pod needs a machine of its own, so the number of machines of a scenario is known. */
const POOL = 'default'

export const POOL_PATH = '/apis/karpenter.sh/v1/nodepools'
export const CLASS_PATH = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'
export const DEPLOYMENT_PATH = '/apis/apps/v1/namespaces/default/deployments'
export const DAEMON_SET_PATH = '/apis/apps/v1/namespaces/default/daemonsets'
export const JOB_PATH = '/apis/batch/v1/namespaces/default/jobs'
export const BUDGET_PATH = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
export const CLAIM_PATH = '/apis/karpenter.sh/v1/nodeclaims'
export const ATTACHMENT_PATH = '/apis/storage.k8s.io/v1/volumeattachments'

/** A pool of machines with two CPUs, spot or on demand. An empty node is removed at once. */
export function nodePool(capacityTypes: readonly string[] = ['spot', 'on-demand']): object {
  return poolNamed(POOL, { capacityTypes })
}

export type PoolOptions = {
  readonly capacityTypes?: readonly string[]
  readonly cpus?: readonly string[]
  readonly nodeClass?: string
  readonly labels?: { readonly [key: string]: string }
  /** Fields of the pool's spec and of its template's spec, beside those that make the machines small. */
  readonly spec?: object
  readonly template?: object
}

export function poolNamed(name: string, options: PoolOptions = {}): object {
  const { capacityTypes = ['spot', 'on-demand'], cpus = ['2'], nodeClass: className = 'default', labels = {}, spec, template } = options
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        metadata: { labels },
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: className },
          requirements: [
            { key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: cpus },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: capacityTypes },
          ],
          ...template,
        },
      },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
      ...spec,
    },
  }
}

export function nodeClass(name = 'default', spec: object = {}): object {
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name },
    spec: { imageFamily: 'Ubuntu2204', ...spec },
  }
}

/** A deployment whose pods each need more than half of a machine of the pool. */
export function deployment(name: string, replicas: number, pod: object = {}, annotations: object = {}): object {
  const labels = { app: name }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: { terminationGracePeriodSeconds: 0, containers: [container('1500m')], ...pod },
      },
    },
  }
}

export function container(cpu: string): object {
  return { name: 'pause', image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6', resources: { requests: { cpu } } }
}
