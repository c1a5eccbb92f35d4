import type { Change, Row } from './manifestCase.ts'

/** Names under each restricted domain that users may use. */
const ALLOWED: { readonly [domain: string]: readonly string[] } = {
  'karpenter.sh': ['capacity-type'],
  'karpenter.azure.com': [
    'aksnodeclass',
    'sku-name',
    'sku-family',
    'sku-series',
    'sku-version',
    'sku-cpu',
    'sku-memory',
    'sku-networking-accelerated',
    'sku-storage-premium-capable',
    'sku-storage-ultra-ssd',
    'sku-storage-ephemeralos-maxsize',
    'sku-gpu-name',
    'sku-gpu-manufacturer',
    'sku-gpu-count',
    'placement-scope',
  ],
  'kubernetes.azure.com': [
    'mode',
    'scalesetpriority',
    'priority',
    'fips_enabled',
    'os-sku',
    'cluster',
    'sku-cpu',
    'sku-memory',
    'ebpf-dataplane',
    'ebpf-host-routing',
    'network-policy',
    'hostedvm',
  ],
}

/** Claims carry this label. The published definitions refuse it. */
const OURS_ALONE = 'karpenter.azure.com/capacity-reservation-id'

const FREE = [
  'team',
  'example.com/team',
  'example.com/karpenter.sh',
  'karpenter.sh.example.com/a',
  'kubernetes.io/arch',
  'kubernetes.io/os',
]
const FREE_BUT_CLOSE = ['topology.kubernetes.io/zone', 'node.kubernetes.io/instance-type', 'example.com/agentpool', 'karpenterxsh/a']

const REFUSED: { readonly [key: string]: string } = {
  ...Object.fromEntries(
    Object.keys(ALLOWED).flatMap((domain) => [
      ...[`${domain}/custom`, domain, `my.${domain}/custom`, `x${domain}/custom`].map((key) => [
        key,
        `the domain ${domain} are restricted`,
      ]),
    ]),
  ),
  'my.karpenter.sh/capacity-type': 'the domain karpenter.sh are restricted',
  'karpenter.sh/registered': 'the domain karpenter.sh are restricted',
  'karpenter.azure.com/sku-hyperv-generation': 'the domain karpenter.azure.com are restricted',
  'kubernetes.azure.com/role': 'the domain kubernetes.azure.com are restricted',
  'kubernetes.io/hostname': 'kubernetes.io/hostname is restricted',
  agentpool: 'AKS sets them',
  storageprofile: 'AKS sets them',
  storagetier: 'AKS sets them',
  accelerator: 'AKS sets them',
}

/** Rows for the label keys that a place accepts. `change` puts a key into the place. `at` is the place that a refusal names. */
export function labelRows(place: {
  readonly title: string
  readonly at: string
  readonly takesNodePool: boolean
  readonly change: (key: string) => Change
}): { readonly [name: string]: Row } {
  const { title, at, takesNodePool, change } = place
  const allowed = Object.entries(ALLOWED).flatMap(([domain, names]) => names.map((name) => `${domain}/${name}`))
  const nodePool: Row = { change: change('karpenter.sh/nodepool') }
  return {
    ...Object.fromEntries([...allowed, ...FREE, ...FREE_BUT_CLOSE].map((key) => [`${title} ${key}`, { change: change(key) }])),
    ...Object.fromEntries(Object.entries(REFUSED).map(([key, says]) => [`${title} ${key}, refused`, { change: change(key), at, says }])),
    [`${title} ${OURS_ALONE}`]: { change: change(OURS_ALONE), isLooser: true },
    [`${title} karpenter.sh/nodepool`]: takesNodePool ? nodePool : { ...nodePool, at, says: 'karpenter.sh/nodepool is restricted' },
  }
}
