// Objects other than those of the charts, as users and other programs make them.

export const NODE_CLASS = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: { imageFamily: 'Ubuntu2204', osDiskSizeGB: 128 },
}

export const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default', annotations: { kept: 'yes' } },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
      },
    },
  },
}

export const SPOT_NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'joiner-default-spot1',
    labels: { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot', 'kubernetes.io/os': 'linux' },
  },
}

/** The definitions of the monitors of both operators, with the fields that the chart sets. */
export const MONITOR_DEFINITIONS: readonly object[] = ['monitoring.coreos.com', 'azmonitoring.coreos.com'].flatMap((group) => [
  monitorDefinition(group, 'PodMonitor'),
  monitorDefinition(group, 'ServiceMonitor'),
])

function monitorDefinition(group: string, kind: string): object {
  const singular = kind.toLowerCase()
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: monitorSpec() } } },
        },
      ],
    },
  }
}

function monitorSpec(): object {
  const text = { type: 'string' }
  const texts = { type: 'array', items: text }
  const expression = { type: 'object', properties: { key: text, operator: text, values: texts } }
  const endpoints = {
    type: 'array',
    items: { type: 'object', properties: { port: text, path: text, interval: { type: 'string', pattern: '^[0-9]+(ms|s|m|h)$' } } },
  }
  const matchLabels = { type: 'object', additionalProperties: text }
  return {
    type: 'object',
    properties: {
      selector: { type: 'object', properties: { matchLabels, matchExpressions: { type: 'array', items: expression } } },
      podMetricsEndpoints: endpoints,
      endpoints,
    },
  }
}

export function node(name: string, labels: { readonly [key: string]: string } = {}): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
}

/** A pod that is bound to the node and ends at once when it is deleted. */
export function pod(name: string, nodeName: string): object {
  const spec = { nodeName, terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'pause' }] }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }
}

/** A bootstrap token as the app makes it, with the `changed` members. */
export function token(id: string, changed: { readonly [key: string]: string | undefined } = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      expiration: new Date(Date.now() + 600_000).toISOString(),
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'false',
      'auth-extra-groups': 'system:bootstrappers:joiner,system:bootstrappers:joiner:joiner-default-aaaaa',
      ...changed,
    },
  }
}

export const NODE_OVERLAY = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: { name: 'cheap' },
  spec: { requirements: [{ key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['E'] }], price: '0.1' },
}
export const BUFFER = {
  apiVersion: 'autoscaling.x-k8s.io/v1beta1',
  kind: 'CapacityBuffer',
  metadata: { name: 'spare' },
  spec: { podTemplateRef: { name: 'shape' }, replicas: 1 },
}
