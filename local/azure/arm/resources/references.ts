// Resource ids that a body refers to must exist. This check fails when a template makes resources in the wrong order.
import { isRecord } from '../../json.ts'
import type { Arm } from '../arm.ts'
import { isAtOrUnder, parseResourcePath } from './resourceId.ts'

const ID = /^\/subscriptions\/[^/]+(\/resourceGroups\/[^/]+)?\/providers\/[^/]+\/.*[^/]$/i

/** Returns every resource id in a body, whether it is a value or a key. */
function idsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return ID.test(value) ? [value] : []
  if (Array.isArray(value)) return value.flatMap(idsIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [...idsIn(key), ...idsIn(inner)])
}

/** Returns the first id of the body that does not exist here. Ids of other subscriptions cannot be judged. */
export function missingReference(arm: Arm, body: unknown, self: string): string | undefined {
  const { subscriptionId } = arm.settings
  return idsIn(body).find((id) => isAtOrUnder(id, `/subscriptions/${subscriptionId}`) && !isAtOrUnder(id, self) && !resourceExists(arm, id))
}

/** Reports whether the emulator has this id: a resource, a group, or a subnet of a network. */
export function resourceExists(arm: Arm, id: string): boolean {
  const { documents, vms, nics, disks } = arm.state
  const key = id.toLowerCase()
  if ([documents, vms, nics, disks].some((map) => map.has(key))) return true
  if (key === `/subscriptions/${arm.settings.subscriptionId}`.toLowerCase() || key === arm.settings.subnetId.toLowerCase()) return true
  const parsed = parseResourcePath(id)
  if (parsed === undefined) return false
  if (parsed.type.toLowerCase() === 'microsoft.resources/resourcegroups') return groupExists(arm, parsed.group)
  if (parsed.type.toLowerCase() === 'microsoft.network/virtualnetworks/subnets' && parsed.parent !== undefined)
    return subnetNames(documents.get(parsed.parent.toLowerCase())).includes(parsed.name.toLowerCase())
  return false
}

export function groupExists({ settings, state }: Arm, group: string): boolean {
  const key = group.toLowerCase()
  const ids = [...state.documents.keys()]
  return settings.resourceGroups.some((each) => each.toLowerCase() === key) || ids.some((id) => id.split('/')[4] === key)
}

function subnetNames(network: object | undefined): readonly string[] {
  const properties = isRecord(network) ? network['properties'] : undefined
  const subnets = isRecord(properties) ? properties['subnets'] : undefined
  if (!Array.isArray(subnets)) return []
  return subnets.flatMap((each: unknown) => (isRecord(each) && typeof each['name'] === 'string' ? [each['name'].toLowerCase()] : []))
}
