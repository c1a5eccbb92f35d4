import { readFile } from 'node:fs/promises'
import { ownValue } from '../../../shared/base/values.ts'
import { at, isRecord, listAt, textAt } from '../json.ts'
import type { VmSize } from './vmSize.ts'

export type SizeFiles = {
  /** JSON array of Resource SKUs records. */
  readonly skus: string
  /** JSON `{ "regions": { "<region>": { "<size>": <dollars an hour> } } }`. Undefined: the sizes have no price. */
  readonly prices?: string
}

/** Reads sizes from published lists, for one region of the lists. Records that are not VM sizes are left out. */
export async function sizesFromFiles(files: SizeFiles, location: string): Promise<readonly VmSize[]> {
  const records: unknown = JSON.parse(await readFile(files.skus, 'utf8'))
  const prices: unknown = files.prices === undefined ? undefined : JSON.parse(await readFile(files.prices, 'utf8'))
  const ofRegion = at(prices, `regions.${location}`)
  return listAt({ records }, 'records').flatMap((record) => {
    const size = sizeOf(record, location)
    if (size === undefined) return []
    const usd = isRecord(ofRegion) ? ownValue(ofRegion, size.name) : undefined
    return [typeof usd === 'number' ? { ...size, onDemandUsd: usd } : size]
  })
}

function sizeOf(record: unknown, location: string): VmSize | undefined {
  const name = textAt(record, 'name')
  if (name === undefined || textAt(record, 'resourceType') !== 'virtualMachines') return undefined
  const place = listAt(record, 'locationInfo').find((info) => textAt(info, 'location')?.toLowerCase() === location)
  const capabilities = Object.fromEntries(
    listAt(record, 'capabilities').map((entry) => [textAt(entry, 'name') ?? '', textAt(entry, 'value') ?? '']),
  )
  return {
    name,
    family: textAt(record, 'family') ?? '',
    cpus: Number(capabilities['vCPUs'] ?? 0),
    memoryGib: Number(capabilities['MemoryGB'] ?? 0),
    gpus: Number(capabilities['GPUs'] ?? 0),
    zones: listAt(place, 'zones').map(String),
    ultraSsdZones: listAt(place, 'zoneDetails')
      .filter((detail) =>
        listAt(detail, 'capabilities').some((each) => textAt(each, 'name') === 'UltraSSDAvailable' && textAt(each, 'value') === 'True'),
      )
      .flatMap((detail) => listAt(detail, 'Name').map(String)),
    capabilities,
  }
}
