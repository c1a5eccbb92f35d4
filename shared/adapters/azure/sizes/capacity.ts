import type { Resources } from '../../../model/resources.ts'
import { isAtLeast } from '../images/imageFamily.ts'
import type { Size } from './size.ts'

const GIB = 1024 ** 3
const MIB = 1024 ** 2
/** The share of the disk below which the kubelet evicts pods. The kubelet subtracts it from allocatable. */
const EVICTION_DISK_SHARE = 0.1

/** The share of memory that AKS reserves for the system before Kubernetes 1.29, by bracket in GiB. */
const MEMORY_BRACKETS = [
  { upTo: 4, share: 0.25 },
  { upTo: 8, share: 0.2 },
  { upTo: 16, share: 0.1 },
  { upTo: 128, share: 0.06 },
  { upTo: Number.POSITIVE_INFINITY, share: 0.02 },
] as const

/** The capacity of a machine of the size, minus the memory of the hypervisor. The fraction of a GiB is dropped first, as in AKS. */
export function capacityOf(
  size: Size,
  node: { readonly osDiskSizeGb: number; readonly maxPods: number; readonly memoryOverhead: number },
): Resources {
  const memory = Math.trunc(size.memoryGib) * GIB
  const gpus: Resources = size.gpu === undefined ? {} : { [`${size.gpu.vendor}.com/gpu`]: size.gpus }
  return {
    cpu: size.cpus * 1000,
    memory: memory - Math.ceil(memory * node.memoryOverhead),
    'ephemeral-storage': node.osDiskSizeGb * 1_000_000_000,
    pods: node.maxPods,
    ...gpus,
  }
}

/** The overhead: the reservation of the kubelet plus the eviction thresholds. The kubelet gets the same numbers. */
export function overheadOf(size: Size, capacity: Resources, kubernetesVersion: string): Resources {
  const reservedMib = reservedMemoryMib(size.memoryGib, capacity['pods'] ?? 0, kubernetesVersion)
  return {
    cpu: reservedMilliCpu(size.cpus),
    memory: (reservedMib + evictionMemoryMib(kubernetesVersion)) * MIB,
    'ephemeral-storage': Math.ceil((capacity['ephemeral-storage'] ?? 0) * EVICTION_DISK_SHARE),
  }
}

/** The reserved CPU: 6 % of the first core, 4 % of the second, 2 % of the third and fourth, 1 % of each further core. */
export function reservedMilliCpu(cpus: number): number {
  const shares = [60, 40, 20, 20]
  let milli = 0
  for (let core = 0; core < cpus; core++) milli += shares[core] ?? 10
  return Math.trunc(milli)
}

/**
 * The first minor version of Kubernetes whose nodes reserve memory by the number of their pods. Source: Node resource reservations in AKS
 * (learn.microsoft.com/azure/aks/node-resource-reservations), read on 2026-11-29. The page writes MB. The node gets MiB, which is the larger amount.
 */
const BY_PODS_MINOR = 29

/** The free memory below which the kubelet evicts pods. */
export function evictionMemoryMib(kubernetesVersion: string): number {
  return isAtLeast(kubernetesVersion, BY_PODS_MINOR) ? 100 : 750
}

/** The reserved memory in MiB. It is computed from the published memory with its fraction. */
export function reservedMemoryMib(memoryGib: number, maxPods: number, kubernetesVersion: string): number {
  if (!isAtLeast(kubernetesVersion, BY_PODS_MINOR)) return bracketMemoryMib(memoryGib)
  return Math.trunc(Math.min(20 * maxPods + 50, memoryGib * 1024 * 0.25))
}

function bracketMemoryMib(memoryGib: number): number {
  let gib = 0
  let from = 0
  for (const { upTo, share } of MEMORY_BRACKETS) {
    gib += Math.max(0, Math.min(memoryGib, upTo) - from) * share
    from = upTo
  }
  return Math.trunc(gib * 1024)
}
