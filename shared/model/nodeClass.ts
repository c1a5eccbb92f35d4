import type { Condition } from './condition.ts'
import type { NodeClassName } from './ids.ts'
import { API_GROUP, NODE_CLASS_KIND } from './labels.ts'
import type { Labels, Meta } from './meta.ts'
import type { NodeClassRef } from './nodePool.ts'

export type ImageFamily = 'Ubuntu' | 'Ubuntu2204' | 'Ubuntu2404' | 'AzureLinux'

export type NodeClass = {
  readonly name: NodeClassName
  readonly meta: Meta
  readonly spec: NodeClassSpec
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
