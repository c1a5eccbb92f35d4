import { type ZoneName, zoneName } from '../../../model/ids.ts'
import { REGIONAL_ZONE } from '../../../model/inWords.ts'

/** Zone label of a machine that is in no zone. */
export const REGIONAL: ZoneName = zoneName(REGIONAL_ZONE)

/** `1` in eastus is `eastus-1`; no zone is `0`. */
export function zoneLabel(location: string, zone: string | undefined): ZoneName {
  return zone === undefined || zone === '' ? REGIONAL : zoneName(`${location}-${zone}`)
}

/** The zones array of a machine's body; undefined for a regional machine. */
export function armZones(label: ZoneName): string[] | undefined {
  return label === REGIONAL ? undefined : [label.slice(label.lastIndexOf('-') + 1)]
}

export function placementScope(label: ZoneName): 'regional' | 'zonal' {
  return label === REGIONAL ? 'regional' : 'zonal'
}
