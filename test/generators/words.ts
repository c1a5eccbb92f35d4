/**
 * The labels, values and names of random clusters. They are few, so that objects often refer to each other. Many are words that every plain object
 * answers to: for Kubernetes they are keys and values as any other.
 */
import type { Taint } from '../../shared/model/taint.ts'

export const ARCH = 'kubernetes.io/arch'
export const ZONE = 'topology.kubernetes.io/zone'
export const HOST = 'kubernetes.io/hostname'
export const CAPACITY = 'karpenter.sh/capacity-type'
export const SIZE = 'node.kubernetes.io/instance-type'
export const TEAM = 'constructor'
export const TIER = 'hasOwnProperty'
export const REVISION = 'toString'
export const CPUS = 'karpenter.azure.com/sku-cpu'
export const TEAMS: readonly string[] = ['valueOf', 'constructor', 'hasOwnProperty']
export const ZONES: readonly string[] = ['eastus-1', 'eastus-2', 'eastus-3']
export const APPS: readonly string[] = ['a', 'b', 'constructor', 'valueOf']
export const NAMESPACES: readonly string[] = ['default', 'constructor']
export const TAINTS: readonly Taint[] = [
  { key: 'constructor', value: 'toString', effect: 'NoSchedule' },
  { key: 'hasOwnProperty', effect: 'NoExecute' },
  { key: 'isPrototypeOf', value: 'x', effect: 'PreferNoSchedule' },
]
