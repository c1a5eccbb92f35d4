import type { Condition } from './condition.ts'
import type { NodeClassName } from './ids.ts'
import { API_GROUP, type Labels, type Meta, NODE_CLASS_KIND } from './labels.ts'
import type { NodeClassRef, UnknownValues } from './nodePool.ts'

export type ImageFamily = 'Ubuntu' | 'Ubuntu2204' | 'Ubuntu2404' | 'AzureLinux'

export type NodeClass = {
  readonly name: NodeClassName
  readonly meta: Meta
  readonly spec: NodeClassSpec
  /** See `UnknownValues`. */
  readonly unknownValues?: UnknownValues
  readonly status: {
    readonly conditions: readonly Condition[]
    /** Version of new nodes, without a leading `v`. Undefined if it is not known. */
    readonly kubernetesVersion?: string
    /** Images of new machines, best first. Empty if they are not known. */
    readonly images: readonly NodeImage[]
    /** Whether nodes run a DNS server of their own. Undefined until it is decided. */
    readonly localDnsState?: 'Enabled' | 'Disabled'
  }
}

/** `requirements`: the machines that the image is for, as a NodePool writes requirements. */
export type NodeImage = { readonly id: string; readonly requirements: readonly unknown[] }

export type NodeClassSpec = {
  readonly vnetSubnetId?: string
  readonly osDiskSizeGb: number
  /** Undefined: the OS disk is ephemeral where it fits in a place of the size, and managed elsewhere. */
  readonly osDiskType?: 'Managed'
  readonly imageFamily: ImageFamily
  readonly fipsMode?: 'FIPS' | 'Disabled'
  readonly tags: Labels
  readonly maxPods?: number
  readonly kubelet: KubeletSettings
  readonly gpuMode: 'Driver' | 'None'
  readonly encryptionAtHost?: boolean
  readonly trustedLaunch?: { readonly vtpm?: boolean; readonly secureBoot?: boolean }
  readonly artifactStreaming?: boolean
  readonly localDns?: unknown
  readonly linuxOsConfig?: unknown
}

export type KubeletSettings = {
  readonly cpuManagerPolicy?: string
  readonly cpuCfsQuota?: boolean
  readonly cpuCfsQuotaPeriod?: string
  readonly imageGcHighThresholdPercent?: number
  readonly imageGcLowThresholdPercent?: number
  readonly topologyManagerPolicy?: string
  readonly allowedUnsafeSysctls?: readonly string[]
  readonly containerLogMaxSize?: string
  readonly containerLogMaxFiles?: number
  readonly podPidsLimit?: number
  readonly failSwapOn?: boolean
}

/** Reports whether Joiner is responsible for a class, and so for pools and claims that refer to it. Other classes belong to their own provider. */
export function isOurs({ group, kind }: Pick<NodeClassRef, 'group' | 'kind'>): boolean {
  return group === API_GROUP.azure && kind === NODE_CLASS_KIND
}

/** Reports whether the spec of a claim refers to this class of Joiner. */
export function refersTo({ nodeClassRef }: { readonly nodeClassRef: NodeClassRef }, name: NodeClassName): boolean {
  return isOurs(nodeClassRef) && nodeClassRef.name === name
}

/** Returns why the reference cannot lead to a class of Joiner, whatever its name: it names a class of another provider. Otherwise undefined. */
export function foreignClass(ref: Pick<NodeClassRef, 'group' | 'kind'>): string | undefined {
  if (isOurs(ref)) return undefined
  const { group, kind } = ref
  const wanted = `${API_GROUP.azure} ${NODE_CLASS_KIND}`
  return `spec.template.spec.nodeClassRef is a ${kind} of group ${group || '""'}, which Joiner does not handle; use a class of ${wanted}, or leave the nodepool to the provider of its class`
}

/** The network that AKS makes in the resource group of the nodes, unless the cluster has a network of its user. */
export const MANAGED_NETWORK = /^aks-vnet-\d+$/i
const MANAGED_SUBNET = 'aks-subnet'
const FORM = /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Network\/virtualNetworks\/([^/]+)\/subnets\/([^/]+)$/i

/** The subnet of the nodes in a network that AKS made. */
export function managedSubnetOf(networkId: string): string {
  return `${networkId}/subnets/${MANAGED_SUBNET}`
}

/**
 * Reports whether AKS made the subnet, and so keeps its security group and route table on it. A user may put a network into the resource group of the
 * nodes, or a subnet into the network of AKS: AKS keeps nothing on these. Azure ignores the case of ids.
 */
export function isManagedSubnet(id: string, nodeResourceGroup: string): boolean {
  const [, group = '', network = '', subnet = ''] = FORM.exec(id) ?? []
  return group.toLowerCase() === nodeResourceGroup.toLowerCase() && MANAGED_NETWORK.test(network) && subnet.toLowerCase() === MANAGED_SUBNET
}

/**
 * Whether nodes of the class run a DNS server of their own. `Preferred` keeps the state of the status, and is otherwise Disabled: no version that
 * Joiner knows turns it on (docs/adr/0032). An unknown mode is Disabled.
 */
export function localDnsState({ spec, status }: Pick<NodeClass, 'spec' | 'status'>): NonNullable<NodeClass['status']['localDnsState']> {
  const mode = localDnsMode(spec.localDns)
  if (mode === 'Required') return 'Enabled'
  return mode === 'Preferred' ? (status.localDnsState ?? 'Disabled') : 'Disabled'
}

/** Reports whether the class only prefers local DNS, and so has none. */
export function isLocalDnsLeftOff(nodeClass: Pick<NodeClass, 'spec' | 'status'>): boolean {
  return localDnsMode(nodeClass.spec.localDns) === 'Preferred' && localDnsState(nodeClass) === 'Disabled'
}

export function localDnsMode(localDns: unknown): unknown {
  return typeof localDns === 'object' && localDns !== null && 'mode' in localDns ? localDns.mode : undefined
}
