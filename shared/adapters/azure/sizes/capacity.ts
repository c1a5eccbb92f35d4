import type { Resources } from '../../../model/resources.ts'
import type { Size } from './size.ts'

const GIB = 1024 ** 3
const MIB = 1024 ** 2
const EVICTION_MEMORY_MIB = 750
/** Share of the disk at which the kubelet evicts; it takes that share off what it offers. */
const EVICTION_DISK_SHARE = 0.1

/** Share of memory AKS keeps for the node's own programs, by bracket in GiB. */
const MEMORY_BRACKETS = [
  { upTo: 4, share: 0.25 },
  { upTo: 8, share: 0.2 },
  { upTo: 16, share: 0.1 },
  { upTo: 128, share: 0.06 },
  { upTo: Number.POSITIVE_INFINITY, share: 0.02 },
] as const

/** What a machine of the size has, less what the hypervisor keeps. The fraction of a GiB is dropped first, as AKS does. */
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

/** What kubelet and eviction take off the capacity. The kubelet is told the same numbers. */
export function overheadOf(size: Size, capacity: Resources): Resources {
  return {
    cpu: reservedMilliCpu(size.cpus),
    memory: (reservedMemoryMib(size.memoryGib) + EVICTION_MEMORY_MIB) * MIB,
    'ephemeral-storage': Math.ceil((capacity['ephemeral-storage'] ?? 0) * EVICTION_DISK_SHARE),
  }
}

/** 6 % of the first core, 4 % of the second, 2 % of the third and fourth, 1 % of every further one. */
export function reservedMilliCpu(cpus: number): number {
  const shares = [60, 40, 20, 20]
  let milli = 0
  for (let core = 0; core < cpus; core++) milli += shares[core] ?? 10
  return Math.trunc(milli)
}

/** Taken from the published memory with its fraction. */
export function reservedMemoryMib(memoryGib: number): number {
  let gib = 0
  let from = 0
  for (const { upTo, share } of MEMORY_BRACKETS) {
    gib += Math.max(0, Math.min(memoryGib, upTo) - from) * share
    from = upTo
  }
  return Math.trunc(gib * 1024)
}
