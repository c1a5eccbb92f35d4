import type { Condition } from './condition.ts'
import type { NodeClassName } from './ids.ts'
import type { Labels, Meta } from './meta.ts'

export type ImageFamily = 'Ubuntu' | 'Ubuntu2204' | 'Ubuntu2404' | 'AzureLinux'

export type NodeClass = {
  readonly name: NodeClassName
  readonly meta: Meta
  readonly spec: NodeClassSpec
  readonly status: {
    readonly conditions: readonly Condition[]
    readonly kubernetesVersion?: string
    readonly images: readonly { readonly id: string; readonly requirements: readonly unknown[] }[]
  }
}

export type NodeClassSpec = {
  readonly vnetSubnetId?: string
  readonly osDiskSizeGb: number
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
