import type { Resources } from '../../shared/model/resources.ts'

export const MIB = 1024 ** 2
export const GIB = 1024 ** 3

/** Resources from CPUs (fractions allowed) and GiB. Other resources are taken as given. */
export function resources(cpus: number, memoryGib: number, others: Resources = {}): Resources {
  return { cpu: Math.round(cpus * 1000), memory: Math.round(memoryGib * GIB), ...others }
}
