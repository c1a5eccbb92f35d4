/** The labels, values and names of random clusters. They are few, so that objects often refer to each other. */
import type { Taint } from '../../shared/model/taint.ts'

export const ARCH = 'kubernetes.io/arch'
export const ZONE = 'topology.kubernetes.io/zone'
export const HOST = 'kubernetes.io/hostname'
export const CAPACITY = 'karpenter.sh/capacity-type'
export const SIZE = 'node.kubernetes.io/instance-type'
export const TEAM = 'example.com/team'
export const TIER = 'example.com/tier'
export const CPUS = 'karpenter.azure.com/sku-cpu'
export const TEAMS: readonly string[] = ['red', 'blue', 'green']
export const ZONES: readonly string[] = ['eastus-1', 'eastus-2', 'eastus-3']
export const APPS: readonly string[] = ['a', 'b', 'c', 'd']
export const NAMESPACES: readonly string[] = ['default', 'other']
export const TAINTS: readonly Taint[] = [
  { key: 'example.com/dedicated', value: 'batch', effect: 'NoSchedule' },
  { key: 'example.com/fragile', effect: 'NoExecute' },
  { key: 'example.com/rather-not', value: 'x', effect: 'PreferNoSchedule' },
]
