import { ownValue } from '../../../base/ownValue.ts'
import { words } from '../../../base/words.ts'
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

/** Parses a record. Undefined if no cluster of the region can use the size. */
export function usableSize(record: SizeRecord): Size | undefined {
  const parsed = parseSizeName(record.size)
  if (parsed === undefined || !isAllowed(record, parsed)) return undefined
  const cpus = numberOf(record, 'vCPUs')
  const memoryGib = numberOf(record, 'MemoryGB')
  if (cpus === undefined || cpus < MIN_CPUS || memoryGib === undefined || memoryGib < MIN_MEMORY_GIB) return undefined
  const gpu = gpuSize(record.name)
  const gpus = numberOf(record, 'GPUs') ?? 0
  if (gpus > 0 && gpu === undefined) return undefined
  return {
    record,
    parsed,
    cpus,
    memoryGib,
    gpus,
    gpu: gpus > 0 ? gpu : undefined,
    arch: archOf(record),
    generations: generationsOf(record),
  }
}

/**
 * Reports whether a size is allowed. Sizes with constrained CPUs and confidential sizes are not supported. The prefix of confidential sizes also
 * excludes a few other sizes, as in upstream.
 */
function isAllowed(record: SizeRecord, parsed: SizeName): boolean {
  const isConfidential = /^(DC|EC)/.test(record.size)
  return !record.isRestricted && !REFUSED_BY_AKS.has(record.name) && parsed.constrainedCpus === undefined && !isConfidential
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
