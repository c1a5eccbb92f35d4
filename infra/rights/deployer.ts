// What whoever runs `azd up` and `azd down` must be allowed to do for a template.
import { actionsOf } from '../../local/azure/arm/authorization/actionsOf.ts'
import type { NeededAction } from '../../local/azure/arm/authorization/needed.ts'
import type { Evaluation } from '../check/evaluate/evaluate.ts'
import { toJson } from '../check/evaluate/value.ts'
import { HOOK_CALLS } from './hookCalls.ts'
import type { Place, PlacedAction } from './placedAction.ts'

const PLACES: readonly (readonly [pattern: RegExp, place: Place])[] = [
  [/\/managedClusters\//i, 'cluster'],
  [/\/subnets\//i, 'subnet'],
  [/\/virtualNetworks\//i, 'network'],
  [/\/privateDnsZones\//i, 'dnsZone'],
  [/\/userAssignedIdentities\//i, 'identity'],
  [/\/systemTopics\//i, 'healthTopic'],
]

/**
 * What azd does beside the resources, which no program here does. It lists subscriptions, regions and what is in the group, checks and
 * follows a deployment, and puts the code to the app's Kudu (cli/azd/pkg/azapi in Azure/azure-dev, 2026-08; Kudu asks for `publish/action`,
 * MicrosoftDocs/azure-docs issue 78962, 2021-07).
 */
const OF_AZD: readonly PlacedAction[] = [
  'Microsoft.Resources/deployments/operations/read',
  'Microsoft.Resources/deployments/operationStatuses/read',
  'Microsoft.Resources/deployments/read',
  'Microsoft.Resources/deployments/validate/action',
  'Microsoft.Resources/subscriptions/locations/read',
  'Microsoft.Resources/subscriptions/read',
  'Microsoft.Resources/subscriptions/resourceGroups/resources/read',
  'Microsoft.Web/sites/publish/action',
].map((action) => ({ on: 'subscription' as const, action }))

export const BESIDE: readonly PlacedAction[] = [...OF_AZD, ...HOOK_CALLS]

/**
 * Each resource is written, read afterwards, and deleted by `azd down`, unless it goes with the resource that it is a part of; what stands there
 * already is read. A module is a deployment of its own in the group that it is deployed to. `ownGroups` are those that the templates make.
 */
export function deployerNeeds({ resources, expected, reads }: Evaluation, ownGroups: readonly string[]): readonly PlacedAction[] {
  const ids = new Set(resources.map(({ id }) => id.toLowerCase()))
  const made = resources.flatMap(({ id, body }) => {
    const { own, linked } = actionsOf('PUT', id, toJson(body))
    const goesAlong = ids.has(id.toLowerCase().replace(/\/[^/]+\/[^/]+$/, ''))
    const others = (goesAlong ? ['GET'] : ['GET', 'DELETE']).map((method) => actionsOf(method, id, undefined).own)
    return [own, ...linked, ...others, { action: 'Microsoft.Resources/deployments/write', scope: own.scope }]
  })
  const known = [...expected.map(({ id }) => id), ...reads.map(({ resourceId }) => resourceId)]
  const read = known.map((id) => actionsOf('GET', id, undefined).own)
  return [...made, ...read].map((needed) => ({ on: placeIn(needed, ownGroups), action: needed.action }))
}

/** Where an action is asked for. `ownGroups` are those of Joiner itself. */
export function placeIn({ action, scope }: NeededAction, ownGroups: readonly string[]): Place {
  const [, , , , group] = scope.split('/')
  const isBelowSubscription = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\//i.test(scope)
  if (!isBelowSubscription || ownGroups.some((own) => own.toLowerCase() === group?.toLowerCase())) return 'subscription'
  // Of an assignment the resource it is on; of anything else the resource itself.
  const of = scope.replace(/\/providers\/Microsoft\.Authorization\/.*$/i, '/')
  const found = PLACES.find(([pattern]) => pattern.test(of.endsWith('/') ? of : `${of}/`))
  if (found !== undefined) return found[1]
  if (/^\/subscriptions\/[^/]+\/resourceGroups\/MC_[^/]+\//i.test(of)) return 'nodeGroup'
  throw new Error(`where is ${action} asked for? ${scope}`)
}
