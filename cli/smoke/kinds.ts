/** The kinds of machines that a smoke run can make, one machine each. */
import type { NodeClassSpec } from '../../shared/model/nodeClass.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import type { ClusterConfig } from '../../shared/wire/clusterConfig.ts'

export type MachineKind = {
  readonly about: string
  readonly spec?: Partial<NodeClassSpec>
  readonly requirements?: readonly RequirementSpec[]
  /** Why the cluster cannot have such a machine. Undefined: it can. */
  readonly whyNot?: (config: ClusterConfig) => string | undefined
}

const GPU = 'karpenter.azure.com/sku-gpu-count'

function zone(name: string, forwardDestination: string, protocol: string): object {
  const lasting = { cacheDuration: '1h', serveStaleDuration: '1h', serveStale: 'Immediate' }
  return { zone: name, queryLogging: 'Error', protocol, forwardDestination, forwardPolicy: 'Sequential', maxConcurrent: 1000, ...lasting }
}

const CLUSTER_ZONE = zone('cluster.local', 'ClusterCoreDNS', 'ForceTCP')
/** The configuration that AKS has by default. (learn.microsoft.com/azure/aks/localdns-custom of 2026-07-06.) */
const LOCAL_DNS = {
  mode: 'Required',
  vnetDNSOverrides: [zone('.', 'VnetDNS', 'PreferUDP'), CLUSTER_ZONE],
  kubeDNSOverrides: [zone('.', 'ClusterCoreDNS', 'PreferUDP'), CLUSTER_ZONE],
}

export const KINDS = {
  default: { about: 'the image family and architecture of a NodePool that names none' },
  family: { about: 'Azure Linux in place of Ubuntu', spec: { imageFamily: 'AzureLinux' } },
  arch: { about: 'arm64', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] },
  gpu: { about: 'a size with a GPU, whose driver the boot script starts', requirements: [{ key: GPU, operator: 'Gt', values: ['0'] }] },
  des: {
    about: 'a disk that a disk encryption set encrypts',
    whyNot: ({ diskEncryptionSetId }) => (diskEncryptionSetId === undefined ? 'the cluster has no disk encryption set' : undefined),
  },
  localdns: { about: 'a node with local DNS', spec: { localDns: LOCAL_DNS } },
  overlay: { about: 'a cluster with overlay addresses', whyNot: notOf('overlay') },
  cilium: { about: 'a cluster with overlay addresses and Cilium', whyNot: notOf('cilium') },
  'node-subnet': { about: 'a cluster whose pods have addresses of the subnet of the nodes', whyNot: notOf('node-subnet') },
} as const satisfies { readonly [name: string]: MachineKind }

export type KindName = keyof typeof KINDS

/** The names of all kinds, in the order of the help. */
export const KIND_NAMES: readonly string[] = Object.keys(KINDS)

export function isKind(name: string): name is KindName {
  return KIND_NAMES.includes(name)
}

type NetworkMode = 'overlay' | 'cilium' | 'node-subnet' | 'none'

function networkMode({ networkPlugin, networkPluginMode, networkDataplane }: ClusterConfig): NetworkMode {
  if (networkPlugin !== 'azure') return 'none'
  if (networkPluginMode !== 'overlay') return 'node-subnet'
  return networkDataplane === 'cilium' ? 'cilium' : 'overlay'
}

function notOf(wanted: NetworkMode): (config: ClusterConfig) => string | undefined {
  return (config) => {
    const mode = networkMode(config)
    return mode === wanted ? undefined : `the network of the cluster is ${mode}: name a cluster of this mode with --cluster`
  }
}
