import type { VmSizeName, ZoneName } from '../../model/ids.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'

/** How long an offering is avoided after Azure took a machine of it. It is likely to lose the next spot machine, too. */
const AVOIDED_FOR = durationMs(10 * 60_000)

export type TakenSpot = { readonly size: VmSizeName; readonly zone: ZoneName; readonly message: string }

/**
 * What to avoid after Azure took a spot machine: its size in its zone. The size is avoided in all zones if its spot machines are avoided in another zone
 * already, since a size may have many zones, and pods would be moved once for each of them. The same holds if a machine was bought in this zone after
 * the last one was taken, and was taken, too. Machines of the zone that Azure takes together count once.
 */
export function avoidedSpot(
  { size, zone, message }: TakenSpot,
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
): readonly UnavailableOffering[] {
  const until = later(now, AVOIDED_FOR)
  const isSecond = unavailable.some(({ scope, until: end }) => {
    if (scope.kind !== 'offering' || scope.size !== size || scope.capacityType !== 'spot') return false
    const isAvoided = end > now
    return scope.zone === zone ? !isAvoided : isAvoided
  })
  const inZone = { scope: { kind: 'offering', size, zone, capacityType: 'spot' }, until, code: 'AZURE.ALLOCATION.ZONE', message } as const
  const inAll = { scope: { kind: 'offering', size, capacityType: 'spot' }, until, code: 'AZURE.ALLOCATION.REGION', message } as const
  return isSecond ? [inZone, inAll] : [inZone]
}
