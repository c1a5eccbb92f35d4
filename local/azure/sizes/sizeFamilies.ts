import type { VmSize } from './vmSize.ts'

/** A series of sizes that differ only in their amounts. */
type SizeFamily = {
  /** `{n}` stands for the number of CPUs. */
  readonly pattern: string
  readonly family: string
  readonly cpus: readonly number[]
  readonly gibPerCpu: number
  readonly usdPerCpu: number
  /** The spot price as a share of the on-demand price. Undefined: no spot. */
  readonly spotShare?: number
  /** Default: all zones. */
  readonly zones?: readonly string[]
  readonly isArm64?: true
  readonly generations: 'V1,V2' | 'V2'
  /** GiB of cache disk for each CPU. */
  readonly cacheGibPerCpu?: number
  readonly tempGibPerCpu?: number
  readonly nvmeGibPerCpu?: number
  readonly gpusPerCpus?: { readonly [cpus: number]: number }
}

const ALL = ['1', '2', '3']
const SMALL = [2, 4, 8, 16]
const WIDE = [2, 4, 8, 16, 32]

/** Series of a typical region, with the public sizes and list prices of mid 2026, in dollars per CPU and hour. */
const SERIES: readonly SizeFamily[] = [
  {
    pattern: 'B{n}s_v2',
    family: 'standardBsv2Family',
    cpus: SMALL,
    gibPerCpu: 4,
    usdPerCpu: 0.0416,
    generations: 'V1,V2',
  },
  {
    pattern: 'B{n}as_v2',
    family: 'standardBasv2Family',
    cpus: SMALL,
    gibPerCpu: 4,
    usdPerCpu: 0.0376,
    generations: 'V1,V2',
  },
  {
    pattern: 'D{n}s_v3',
    family: 'standardDSv3Family',
    cpus: SMALL,
    gibPerCpu: 4,
    usdPerCpu: 0.048,
    spotShare: 0.42,
    generations: 'V1,V2',
    cacheGibPerCpu: 25,
    tempGibPerCpu: 8,
  },
  {
    pattern: 'D{n}s_v5',
    family: 'standardDSv5Family',
    cpus: WIDE,
    gibPerCpu: 4,
    usdPerCpu: 0.048,
    spotShare: 0.38,
    generations: 'V1,V2',
  },
  {
    pattern: 'D{n}as_v5',
    family: 'standardDASv5Family',
    cpus: WIDE,
    gibPerCpu: 4,
    usdPerCpu: 0.043,
    spotShare: 0.36,
    generations: 'V1,V2',
  },
  {
    pattern: 'D{n}ds_v5',
    family: 'standardDDSv5Family',
    cpus: WIDE,
    gibPerCpu: 4,
    usdPerCpu: 0.0565,
    spotShare: 0.35,
    generations: 'V1,V2',
    cacheGibPerCpu: 25,
    tempGibPerCpu: 37.5,
  },
  {
    pattern: 'D{n}as_v6',
    family: 'standardDav6Family',
    cpus: [...WIDE, 48],
    gibPerCpu: 4,
    usdPerCpu: 0.0454,
    spotShare: 0.17,
    generations: 'V2',
  },
  {
    pattern: 'D{n}ads_v6',
    family: 'standardDadv6Family',
    cpus: WIDE,
    gibPerCpu: 4,
    usdPerCpu: 0.057,
    spotShare: 0.17,
    generations: 'V2',
    nvmeGibPerCpu: 55,
  },
  {
    pattern: 'D{n}ds_v6',
    family: 'StandardDdsv6Family',
    cpus: [2, 4, 8, 16, 64],
    gibPerCpu: 4,
    usdPerCpu: 0.0623,
    spotShare: 0.25,
    zones: ['1', '2'],
    generations: 'V2',
    nvmeGibPerCpu: 55,
  },
  {
    pattern: 'D{n}ps_v5',
    family: 'standardDPSv5Family',
    cpus: SMALL,
    gibPerCpu: 4,
    usdPerCpu: 0.0385,
    spotShare: 0.4,
    isArm64: true,
    generations: 'V2',
  },
  {
    pattern: 'D{n}ps_v6',
    family: 'StandardDpsv6Family',
    cpus: SMALL,
    gibPerCpu: 4,
    usdPerCpu: 0.0351,
    spotShare: 0.3,
    isArm64: true,
    generations: 'V2',
  },
  {
    pattern: 'E{n}as_v5',
    family: 'standardEASv5Family',
    cpus: SMALL,
    gibPerCpu: 8,
    usdPerCpu: 0.0565,
    spotShare: 0.34,
    generations: 'V1,V2',
  },
  {
    pattern: 'E{n}s_v5',
    family: 'standardESv5Family',
    cpus: WIDE,
    gibPerCpu: 8,
    usdPerCpu: 0.063,
    spotShare: 0.35,
    generations: 'V1,V2',
  },
  {
    pattern: 'E{n}as_v6',
    family: 'standardEav6Family',
    cpus: SMALL,
    gibPerCpu: 8,
    usdPerCpu: 0.0596,
    spotShare: 0.19,
    generations: 'V2',
  },
  {
    pattern: 'F{n}s_v2',
    family: 'standardFSv2Family',
    cpus: [...WIDE, 72],
    gibPerCpu: 2,
    usdPerCpu: 0.0423,
    spotShare: 0.41,
    generations: 'V1,V2',
    cacheGibPerCpu: 16,
    tempGibPerCpu: 8,
  },
  {
    pattern: 'F{n}als_v6',
    family: 'StandardFalsv6Family',
    cpus: SMALL,
    gibPerCpu: 2,
    usdPerCpu: 0.0605,
    spotShare: 0.2,
    generations: 'V2',
  },
  {
    pattern: 'L{n}s_v3',
    family: 'standardLSv3Family',
    cpus: [8, 16],
    gibPerCpu: 8,
    usdPerCpu: 0.087,
    spotShare: 0.32,
    zones: ['1', '3'],
    generations: 'V1,V2',
    tempGibPerCpu: 10,
  },
  {
    pattern: 'NC{n}as_T4_v3',
    family: 'Standard NCASv3_T4 Family',
    cpus: [4, 8, 16, 64],
    gibPerCpu: 6.875,
    usdPerCpu: 0.0753,
    spotShare: 0.3,
    zones: ['1', '2'],
    generations: 'V1,V2',
    cacheGibPerCpu: 9,
    tempGibPerCpu: 22,
    gpusPerCpus: { 4: 1, 8: 1, 16: 1, 64: 4 },
  },
  {
    pattern: 'NC{n}ads_A100_v4',
    family: 'StandardNCADSA100v4Family',
    cpus: [24, 48],
    gibPerCpu: 9.1667,
    usdPerCpu: 0.153,
    spotShare: 0.3,
    zones: ['3'],
    generations: 'V2',
    cacheGibPerCpu: 10.6,
    tempGibPerCpu: 2.6,
    gpusPerCpus: { 24: 1, 48: 2 },
  },
]

/** Returns the sizes that the emulator has without any file. */
export function builtInSizes(): VmSize[] {
  return SERIES.flatMap((series) => series.cpus.map((cpus) => sizeOf(series, cpus)))
}

function sizeOf(series: SizeFamily, cpus: number): VmSize {
  const { zones = ALL } = series
  const onDemandUsd = rounded(series.usdPerCpu * cpus)
  return {
    name: `Standard_${series.pattern.replace('{n}', String(cpus))}`,
    family: series.family,
    cpus,
    memoryGib: memoryOf(series, cpus),
    gpus: series.gpusPerCpus?.[cpus] ?? 0,
    zones,
    ultraSsdZones: zones,
    capabilities: capabilitiesOf(series, cpus),
    onDemandUsd,
    ...(series.spotShare === undefined ? {} : { spotUsd: rounded(onDemandUsd * series.spotShare) }),
  }
}

function capabilitiesOf(series: SizeFamily, cpus: number): Record<string, string> {
  const gpus = series.gpusPerCpus?.[cpus]
  const hasLocalDisk = series.cacheGibPerCpu !== undefined || series.tempGibPerCpu !== undefined || series.nvmeGibPerCpu !== undefined
  return {
    vCPUs: String(cpus),
    vCPUsAvailable: String(cpus),
    MemoryGB: String(memoryOf(series, cpus)),
    CpuArchitectureType: series.isArm64 === true ? 'Arm64' : 'x64',
    HyperVGenerations: series.generations,
    PremiumIO: 'True',
    AcceleratedNetworkingEnabled: 'True',
    EncryptionAtHostSupported: 'True',
    UltraSSDAvailable: 'True',
    MaxDataDiskCount: String(Math.min(32, cpus * 2)),
    LowPriorityCapable: series.spotShare === undefined ? 'False' : 'True',
    EphemeralOSDiskSupported: hasLocalDisk ? 'True' : 'False',
    MaxResourceVolumeMB: String(Math.round((series.tempGibPerCpu ?? 0) * 1024 * cpus)),
    ...(series.isArm64 === true ? { TrustedLaunchDisabled: 'True' } : {}),
    ...(series.cacheGibPerCpu === undefined ? {} : { CachedDiskBytes: String(Math.round(series.cacheGibPerCpu * cpus * 1024 ** 3)) }),
    ...(series.nvmeGibPerCpu === undefined
      ? {}
      : { NvmeDiskSizeInMiB: String(series.nvmeGibPerCpu * 1024 * cpus), SupportedEphemeralOSDiskPlacements: 'NvmeDisk' }),
    ...(gpus === undefined ? {} : { GPUs: String(gpus) }),
  }
}

function memoryOf(series: SizeFamily, cpus: number): number {
  return Math.round(series.gibPerCpu * cpus)
}

function rounded(usd: number): number {
  return Math.round(usd * 10_000) / 10_000
}
