import { words } from '../../../base/text.ts'
import { ownValue } from '../../../base/values.ts'
import type { SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import { type GpuSize, gpuSize } from './gpuSizes.ts'
import { parseSizeName, type SizeName } from './sizeName.ts'

/** A usable size of the region, with its parsed record. */
export type Size = {
  readonly record: SizeRecord
  readonly parsed: SizeName
  readonly cpus: number
  /** Memory in GiB, as published under the name `MemoryGB`. May have a fraction. */
  readonly memoryGib: number
  readonly gpus: number
  readonly gpu: GpuSize | undefined
  readonly arch: 'amd64' | 'arm64' | undefined
  /** The Hyper-V generations, a subset of `1` and `2`. */
  readonly generations: readonly string[]
}

/** Sizes AKS refuses, and isolated sizes that were retired. */
const REFUSED_BY_AKS: ReadonlySet<string> = new Set(
  words(
    'Standard_A0 Standard_A1 Standard_A1_v2 Standard_B1s Standard_B1ms Standard_F1 Standard_F1s',
    'Basic_A0 Basic_A1 Basic_A2 Basic_A3 Basic_A4 Standard_E64i_v3 Standard_E64is_v3',
  ),
)
const MIN_CPUS = 2
const MIN_MEMORY_GIB = 3.5

/** Why no cluster of the region can use a size: the sizes that are left out, in words. */
export const LEFT_OUT = {
  restricted: 'are restricted for the subscription in this region',
  aks: 'are refused by AKS, or retired',
  confidential: 'are confidential, or have a name as confidential sizes have',
  constrained: 'have constrained CPUs',
  name: 'have a name of an unknown form',
  small: `have less than ${MIN_CPUS} CPUs or ${MIN_MEMORY_GIB} GiB, or do not say how much`,
  gpu: 'have GPUs of an unknown kind',
} as const

export type LeftOut = keyof typeof LEFT_OUT

/** The rule that leaves the size out. Undefined if clusters can use it. The prefix of confidential sizes also excludes a few other sizes, as in upstream. */
export function leftOutBy(record: SizeRecord): LeftOut | undefined {
  if (record.isRestricted) return 'restricted'
  if (REFUSED_BY_AKS.has(record.name)) return 'aks'
  if (/^(DC|EC)/.test(record.size)) return 'confidential'
  const parsed = parseSizeName(record.size)
  if (parsed === undefined) return 'name'
  if (parsed.constrainedCpus !== undefined) return 'constrained'
  if (isSmall(record)) return 'small'
  return (numberOf(record, 'GPUs') ?? 0) > 0 && gpuSize(record.name) === undefined ? 'gpu' : undefined
}

function isSmall(record: SizeRecord): boolean {
  return (numberOf(record, 'vCPUs') ?? 0) < MIN_CPUS || (numberOf(record, 'MemoryGB') ?? 0) < MIN_MEMORY_GIB
}

/** Parses a record. Undefined if no cluster of the region can use the size. */
export function usableSize(record: SizeRecord): Size | undefined {
  const parsed = parseSizeName(record.size)
  const cpus = numberOf(record, 'vCPUs')
  const memoryGib = numberOf(record, 'MemoryGB')
  if (leftOutBy(record) !== undefined || parsed === undefined || cpus === undefined || memoryGib === undefined) return undefined
  const gpus = numberOf(record, 'GPUs') ?? 0
  return {
    record,
    parsed,
    cpus,
    memoryGib,
    gpus,
    gpu: gpus > 0 ? gpuSize(record.name) : undefined,
    arch: archOf(record),
    generations: generationsOf(record),
  }
}

export function isTrue(record: SizeRecord, capability: string): boolean {
  return ownValue(record.capabilities, capability)?.toLowerCase() === 'true'
}

export function numberOf(record: SizeRecord, capability: string): number | undefined {
  const text = ownValue(record.capabilities, capability)
  const value = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

function archOf(record: SizeRecord): Size['arch'] {
  const published = record.capabilities['CpuArchitectureType']
  if (published === 'x64') return 'amd64'
  return published === 'Arm64' ? 'arm64' : undefined
}

function generationsOf(record: SizeRecord): string[] {
  const text = record.capabilities['HyperVGenerations'] ?? ''
  return ['1', '2'].filter((generation) => text.includes(`V${generation}`))
}
