import { bounds, type Change, type Field, flag, type Row } from './manifestCase.ts'

const AT = 'spec.linuxOSConfig.sysctls'

const LIMITS: { readonly [name: string]: readonly [min: number, max: number] } = {
  fsAioMaxNr: [65_536, 6_553_500],
  fsFileMax: [8192, 12_000_500],
  fsInotifyMaxUserWatches: [781_250, 2_097_152],
  fsNrOpen: [8192, 20_000_500],
  kernelThreadsMax: [20, 513_785],
  netCoreNetdevMaxBacklog: [1000, 3_240_000],
  netCoreOptmemMax: [20_480, 4_194_304],
  netCoreRmemDefault: [212_992, 134_217_728],
  netCoreRmemMax: [212_992, 134_217_728],
  netCoreSomaxconn: [4096, 3_240_000],
  netCoreWmemDefault: [212_992, 134_217_728],
  netCoreWmemMax: [212_992, 134_217_728],
  netIPv4NeighDefaultGcThresh1: [128, 80_000],
  netIPv4NeighDefaultGcThresh2: [512, 90_000],
  netIPv4NeighDefaultGcThresh3: [1024, 100_000],
  netIPv4TCPFinTimeout: [5, 120],
  netIPv4TCPKeepaliveIntvl: [10, 90],
  netIPv4TCPKeepaliveProbes: [1, 15],
  netIPv4TCPKeepaliveTime: [30, 432_000],
  netIPv4TCPMaxSynBacklog: [128, 3_240_000],
  netIPv4TCPMaxTwBuckets: [8000, 1_440_000],
  netNetfilterNfConntrackBuckets: [65_536, 524_288],
  netNetfilterNfConntrackMax: [131_072, 2_097_152],
  vmMaxMapCount: [65_530, 262_144],
  vmSwappiness: [0, 100],
  vmVfsCachePressure: [0, 100],
}

export const SYSCTL_FIELDS: { readonly [path: string]: Field } = {
  ...Object.fromEntries(Object.entries(LIMITS).map(([name, [min, max]]) => [`${AT}.${name}`, bounds(min, max)])),
  [AT]: { takes: [{}], refuses: ['vm.swappiness=1'] },
  [`${AT}.netIPv4TCPTwReuse`]: flag,
  [`${AT}.netIPv4IPLocalPortRange`]: {
    takes: ['1024 60999', '1024 32768', '32768 65535', '60999 60999'],
    refuses: ['1024', '1024-60999', '1024  60999', ' 1024 60999', '', 'a b', '-1 60999', 1024],
  },
}

const set = (value: object): Change => ({ [AT]: value })

function ordered(lower: string, upper: string, value: number): { readonly [name: string]: Row } {
  const says = `${lower} must not be above ${upper}`
  return {
    [`${lower} as high as ${upper}`]: { change: set({ [lower]: value, [upper]: value }) },
    [`${lower} below ${upper}`]: { change: set({ [lower]: value, [upper]: value + 1 }) },
    [`${lower} above ${upper}`]: { change: set({ [lower]: value + 1, [upper]: value }), at: AT, says },
  }
}

const ports = (range: string): Change => set({ netIPv4IPLocalPortRange: range })
const FIRST = 'the first port of netIPv4IPLocalPortRange lies'
const LAST = 'the last port of netIPv4IPLocalPortRange lies'

export const SYSCTL_ROWS: { readonly [name: string]: Row } = {
  ...ordered('netCoreRmemDefault', 'netCoreRmemMax', 212_992),
  ...ordered('netCoreWmemDefault', 'netCoreWmemMax', 212_992),
  ...ordered('netIPv4NeighDefaultGcThresh1', 'netIPv4NeighDefaultGcThresh2', 2000),
  ...ordered('netIPv4NeighDefaultGcThresh2', 'netIPv4NeighDefaultGcThresh3', 2000),
  'the first and third threshold, which nobody compares': {
    change: set({ netIPv4NeighDefaultGcThresh1: 2000, netIPv4NeighDefaultGcThresh3: 1500 }),
  },
  'a first port of 1023': { change: ports('1023 60999'), at: AT, says: FIRST },
  'a first port of 61000': { change: ports('61000 65535'), at: AT, says: FIRST },
  'a first port too large for any integer': { change: ports('99999999999999999999 65535'), at: AT, says: FIRST },
  'a last port of 32767': { change: ports('1024 32767'), at: AT, says: LAST },
  'a last port of 65536': { change: ports('1024 65536'), at: AT, says: LAST },
  'ports the wrong way': { change: ports('50000 40000'), at: AT, says: 'is not above the last' },
}
