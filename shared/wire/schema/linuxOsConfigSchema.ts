import * as z from 'zod'
import { int32, ruled, type ValidationRule } from './parts.ts'
import { SYSCTL_NAMES } from './sysctlNames.ts'

export const SIZE_TEXT = /^\d+(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)$/

const sysctl = (field: keyof typeof SYSCTL_NAMES, min: number, max: number): z.ZodOptional<z.ZodNumber> =>
  int32(`Kernel setting ${SYSCTL_NAMES[field]}.`, { min, max }).optional()

const sysctls = z.looseObject({
  fsAioMaxNr: sysctl('fsAioMaxNr', 65_536, 6_553_500),
  fsFileMax: sysctl('fsFileMax', 8192, 12_000_500),
  fsInotifyMaxUserWatches: sysctl('fsInotifyMaxUserWatches', 781_250, 2_097_152),
  fsNrOpen: sysctl('fsNrOpen', 8192, 20_000_500),
  kernelThreadsMax: sysctl('kernelThreadsMax', 20, 513_785),
  netCoreNetdevMaxBacklog: sysctl('netCoreNetdevMaxBacklog', 1000, 3_240_000),
  netCoreOptmemMax: sysctl('netCoreOptmemMax', 20_480, 4_194_304),
  netCoreRmemDefault: sysctl('netCoreRmemDefault', 212_992, 134_217_728),
  netCoreRmemMax: sysctl('netCoreRmemMax', 212_992, 134_217_728),
  netCoreSomaxconn: sysctl('netCoreSomaxconn', 4096, 3_240_000),
  netCoreWmemDefault: sysctl('netCoreWmemDefault', 212_992, 134_217_728),
  netCoreWmemMax: sysctl('netCoreWmemMax', 212_992, 134_217_728),
  netIPv4IPLocalPortRange: z
    .string()
    .regex(/^\d+ \d+$/)
    .describe(`Kernel setting ${SYSCTL_NAMES.netIPv4IPLocalPortRange}: first and last port.`)
    .optional(),
  netIPv4NeighDefaultGcThresh1: sysctl('netIPv4NeighDefaultGcThresh1', 128, 80_000),
  netIPv4NeighDefaultGcThresh2: sysctl('netIPv4NeighDefaultGcThresh2', 512, 90_000),
  netIPv4NeighDefaultGcThresh3: sysctl('netIPv4NeighDefaultGcThresh3', 1024, 100_000),
  netIPv4TCPFinTimeout: sysctl('netIPv4TCPFinTimeout', 5, 120),
  netIPv4TCPKeepaliveIntvl: sysctl('netIPv4TCPKeepaliveIntvl', 10, 90),
  netIPv4TCPKeepaliveProbes: sysctl('netIPv4TCPKeepaliveProbes', 1, 15),
  netIPv4TCPKeepaliveTime: sysctl('netIPv4TCPKeepaliveTime', 30, 432_000),
  netIPv4TCPMaxSynBacklog: sysctl('netIPv4TCPMaxSynBacklog', 128, 3_240_000),
  netIPv4TCPMaxTwBuckets: sysctl('netIPv4TCPMaxTwBuckets', 8000, 1_440_000),
  netIPv4TCPTwReuse: z.boolean().describe(`Kernel setting ${SYSCTL_NAMES.netIPv4TCPTwReuse}.`).optional(),
  netNetfilterNfConntrackBuckets: sysctl('netNetfilterNfConntrackBuckets', 65_536, 524_288),
  netNetfilterNfConntrackMax: sysctl('netNetfilterNfConntrackMax', 131_072, 2_097_152),
  vmMaxMapCount: sysctl('vmMaxMapCount', 65_530, 262_144),
  vmSwappiness: sysctl('vmSwappiness', 0, 100),
  vmVfsCachePressure: sysctl('vmVfsCachePressure', 0, 100),
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
