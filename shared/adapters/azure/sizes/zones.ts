import { type ZoneName, zoneName } from '../../../model/ids.ts'
import { REGIONAL_ZONE } from '../../../model/inWords.ts'

/** The zone label of a machine without a zone. */
export const REGIONAL: ZoneName = zoneName(REGIONAL_ZONE)

/** The zone label of a zone: `eastus-1` for `1` in eastus, `0` without a zone. */
export function zoneLabel(location: string, zone: string | undefined): ZoneName {
  return zone === undefined || zone === '' ? REGIONAL : zoneName(`${location}-${zone}`)
}

/** The `zones` of the body of a machine. Undefined for a regional machine. */
export function armZones(label: ZoneName): string[] | undefined {
  return label === REGIONAL ? undefined : [label.slice(label.lastIndexOf('-') + 1)]
}

export function placementScope(label: ZoneName): 'regional' | 'zonal' {
  return label === REGIONAL ? 'regional' : 'zonal'
}
