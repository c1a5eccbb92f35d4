import type { Resources } from '../../shared/model/resources.ts'

export const MIB = 1024 ** 2
export const GIB = 1024 ** 3

/** Resources from whole CPUs (fractions allowed) and GiB; other names are taken as they are. */
export function resources(cpus: number, memoryGib: number, others: Resources = {}): Resources {
  return { cpu: Math.round(cpus * 1000), memory: Math.round(memoryGib * GIB), ...others }
}
