import { defined } from '../../../base/values.ts'
import type { VmSizeName, ZoneName } from '../../../model/ids.ts'
import type { LaunchRefusal } from '../../../model/instance.ts'
import type { CapacityType } from '../../../model/instanceType.ts'
import { zoneText } from '../../../model/inWords.ts'
import { problem } from '../../../model/problem.ts'
import type { UnavailableOffering, UnavailableScope } from '../../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { ArmFailure } from '../armFailure.ts'
import { REGIONAL } from '../sizes/zones.ts'
import { type BlockedScope, REFUSAL_TABLE, type RefusalRow } from './refusalTable.ts'

/** The launch that Azure refused. */
export type LaunchAttempt = {
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /** The quota family. Empty if the list of sizes does not give it. */
  readonly family: string
  readonly cpus: number
  /** All zones that offer the size. */
  readonly zones: readonly ZoneName[]
}

const TOLD = 300

/** What a failed launch means for its offerings. Undefined if Azure itself failed, which says nothing about an offering. */
export function launchRefusal(failure: ArmFailure, attempt: LaunchAttempt, now: EpochMs, object: string): LaunchRefusal | undefined {
  const row = REFUSAL_TABLE.find((candidate) => candidate.matches(failure))
  if (row === undefined) return undefined
  const until = later(now, durationMs(ttlOf(row, attempt.capacityType)))
  const message = failure.message.slice(0, TOLD)
  const retryAfterMs = failure.retryAfterMs ?? row.retryAfterMs
  const ruledOut = scopesOf(row.blocks, attempt).map((scope): UnavailableOffering => ({ scope, until, code: row.code, message }))
  return {
    problem: problem(
      row.code,
      failure.isLocal === true
        ? `${object}: ${failure.message}`
        : `${object}: azure refused ${attempt.capacityType} ${attempt.size} in ${zoneText(attempt.zone)} (${row.name}): ${failure.message}`,
      {
        object,
        fields: { azureCode: failure.code, size: attempt.size, zone: attempt.zone, capacityType: attempt.capacityType },
        ...defined({ retryAfterMs, isLocal: failure.isLocal }),
      },
    ),
    ...(row.concerns === 'the NodeClass' ? { unavailable: [], own: ruledOut } : { unavailable: ruledOut }),
    then: row.then,
  }
}

function ttlOf(row: RefusalRow, capacityType: CapacityType): number {
  if (typeof row.ttlMs === 'number') return row.ttlMs
  return capacityType === 'spot' ? row.ttlMs.spot : row.ttlMs.onDemand
}

function scopesOf(blocks: BlockedScope, attempt: LaunchAttempt): readonly UnavailableScope[] {
  const { size, capacityType } = attempt
  switch (blocks) {
    case 'nothing':
      return []
    case 'capacity type':
      return [{ kind: 'capacityType', capacityType }]
    case 'capacity type from size up':
      return [{ kind: 'capacityType', capacityType, minCpus: attempt.cpus }]
    case 'family':
      return [fromSizeUp(attempt)]
    case 'size':
      return [{ kind: 'offering', size }]
    case 'size as this capacity type':
      return [{ kind: 'offering', size, capacityType }]
    case 'offering':
      return [{ kind: 'offering', size, zone: attempt.zone, capacityType }]
    case 'size in zone':
      return [{ kind: 'offering', size, zone: attempt.zone }]
    case 'size in scope':
      return zonesInScope(attempt).map((zone) => ({ kind: 'offering', size, zone }))
    case 'size in scope as this capacity type':
      return zonesInScope(attempt).map((zone) => ({ kind: 'offering', size, zone, capacityType }))
  }
}

/** The scope of the size and the larger sizes of its family. Only the size if the family is not known. */
function fromSizeUp({ family, size, cpus, capacityType }: LaunchAttempt): UnavailableScope {
  return family === '' ? { kind: 'offering', size, capacityType } : { kind: 'family', family, minCpus: cpus, capacityType }
}

/** The zones in the scope of an attempt: all zones for a zonal attempt, only the region for a regional attempt. */
function zonesInScope(attempt: LaunchAttempt): readonly ZoneName[] {
  if (attempt.zone === REGIONAL) return [REGIONAL]
  const zonal = attempt.zones.filter((zone) => zone !== REGIONAL)
  return zonal.includes(attempt.zone) ? zonal : [...zonal, attempt.zone]
}
