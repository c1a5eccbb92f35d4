import * as z from 'zod'
import { int32, ruled, type ValidationRule } from './parts.ts'

export const SIZE_TEXT = /^\d+(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)$/

const sysctl = (name: string, min: number, max: number): z.ZodOptional<z.ZodNumber> =>
  int32(`Kernel setting ${name}.`, { min, max }).optional()

const sysctls = z.looseObject({
  fsAioMaxNr: sysctl('fs.aio-max-nr', 65_536, 6_553_500),
  fsFileMax: sysctl('fs.file-max', 8192, 12_000_500),
  fsInotifyMaxUserWatches: sysctl('fs.inotify.max_user_watches', 781_250, 2_097_152),
  fsNrOpen: sysctl('fs.nr_open', 8192, 20_000_500),
  kernelThreadsMax: sysctl('kernel.threads-max', 20, 513_785),
  netCoreNetdevMaxBacklog: sysctl('net.core.netdev_max_backlog', 1000, 3_240_000),
  netCoreOptmemMax: sysctl('net.core.optmem_max', 20_480, 4_194_304),
  netCoreRmemDefault: sysctl('net.core.rmem_default', 212_992, 134_217_728),
  netCoreRmemMax: sysctl('net.core.rmem_max', 212_992, 134_217_728),
  netCoreSomaxconn: sysctl('net.core.somaxconn', 4096, 3_240_000),
  netCoreWmemDefault: sysctl('net.core.wmem_default', 212_992, 134_217_728),
  netCoreWmemMax: sysctl('net.core.wmem_max', 212_992, 134_217_728),
  netIPv4IPLocalPortRange: z
    .string()
    .regex(/^\d+ \d+$/)
    .describe('Kernel setting net.ipv4.ip_local_port_range: first and last port.')
    .optional(),
  netIPv4NeighDefaultGcThresh1: sysctl('net.ipv4.neigh.default.gc_thresh1', 128, 80_000),
  netIPv4NeighDefaultGcThresh2: sysctl('net.ipv4.neigh.default.gc_thresh2', 512, 90_000),
  netIPv4NeighDefaultGcThresh3: sysctl('net.ipv4.neigh.default.gc_thresh3', 1024, 100_000),
  netIPv4TCPFinTimeout: sysctl('net.ipv4.tcp_fin_timeout', 5, 120),
  netIPv4TCPKeepaliveIntvl: sysctl('net.ipv4.tcp_keepalive_intvl', 10, 90),
  netIPv4TCPKeepaliveProbes: sysctl('net.ipv4.tcp_keepalive_probes', 1, 15),
  netIPv4TCPKeepaliveTime: sysctl('net.ipv4.tcp_keepalive_time', 30, 432_000),
  netIPv4TCPMaxSynBacklog: sysctl('net.ipv4.tcp_max_syn_backlog', 128, 3_240_000),
  netIPv4TCPMaxTwBuckets: sysctl('net.ipv4.tcp_max_tw_buckets', 8000, 1_440_000),
  netIPv4TCPTwReuse: z.boolean().describe('Kernel setting net.ipv4.tcp_tw_reuse.').optional(),
  netNetfilterNfConntrackBuckets: sysctl('net.netfilter.nf_conntrack_buckets', 65_536, 524_288),
  netNetfilterNfConntrackMax: sysctl('net.netfilter.nf_conntrack_max', 131_072, 2_097_152),
  vmMaxMapCount: sysctl('vm.max_map_count', 65_530, 262_144),
  vmSwappiness: sysctl('vm.swappiness', 0, 100),
  vmVfsCachePressure: sysctl('vm.vfs_cache_pressure', 0, 100),
})

const firstPort = "int(self.netIPv4IPLocalPortRange.split(' ')[0])"
const lastPort = "int(self.netIPv4IPLocalPortRange.split(' ')[1])"

const RULES: readonly ValidationRule[] = [
  notAbove('netCoreRmemDefault', 'netCoreRmemMax'),
  notAbove('netCoreWmemDefault', 'netCoreWmemMax'),
  notAbove('netIPv4NeighDefaultGcThresh1', 'netIPv4NeighDefaultGcThresh2'),
  notAbove('netIPv4NeighDefaultGcThresh2', 'netIPv4NeighDefaultGcThresh3'),
  ofPorts(`!(${firstPort} < 1024 || ${firstPort} > 60999)`, 'the first port of netIPv4IPLocalPortRange lies between 1024 and 60999'),
  ofPorts(`!(${lastPort} < 32768 || ${lastPort} > 65535)`, 'the last port of netIPv4IPLocalPortRange lies between 32768 and 65535'),
  ofPorts(`${firstPort} <= ${lastPort}`, 'the first port of netIPv4IPLocalPortRange is not above the last'),
]

export const linuxOsConfig = z
  .looseObject({
    swapFileSize: z.string().regex(SIZE_TEXT).describe('Size of the swap file, as in 1Gi. Absent: none.').optional(),
    sysctls: ruled(sysctls, 'Kernel settings.', RULES).optional(),
    transparentHugePageDefrag: z
      .enum(['always', 'defer', 'defer+madvise', 'madvise', 'never'])
      .describe('When memory is defragmented for huge pages.')
      .optional(),
    transparentHugePageEnabled: z.enum(['always', 'madvise', 'never']).describe('When huge pages are used.').optional(),
  })
  .describe('Settings of the operating system.')

function notAbove(lower: string, upper: string): ValidationRule {
  return {
    rule: `!has(self.${lower}) || !has(self.${upper}) || self.${lower} <= self.${upper}`,
    message: `${lower} must not be above ${upper}`,
  }
}

function ofPorts(expression: string, message: string): ValidationRule {
  return { rule: `!has(self.netIPv4IPLocalPortRange) || (${expression})`, message }
}
