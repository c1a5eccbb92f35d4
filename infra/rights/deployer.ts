// The permissions that `azd up` and `azd down` need for a template.
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
  [/\/diskEncryptionSets\//i, 'diskEncryptionSet'],
  [/\/systemTopics\//i, 'healthTopic'],
]

/**
 * Actions of azd itself, which no program here performs. It lists subscriptions, regions and the resources of the group, checks and follows a
 * deployment, and uploads the code to the app's Kudu (cli/azd/pkg/azapi in Azure/azure-dev, 2026-08; Kudu asks for `publish/action`,
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
 * Returns the actions that a template needs. Each resource is written, read afterwards, and deleted by `azd down`, unless it is deleted with its
 * parent. Resources that exist already are read. A module is a deployment of its own in its resource group. `ownGroups` holds the groups that the
 * templates create.
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

/** Returns the place for which an action is needed. `ownGroups` holds the groups of Joiner itself. */
export function placeIn({ action, scope }: NeededAction, ownGroups: readonly string[]): Place {
  const [, , , , group] = scope.split('/')
  const isBelowSubscription = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\//i.test(scope)
  if (!isBelowSubscription || ownGroups.some((own) => own.toLowerCase() === group?.toLowerCase())) return 'subscription'
  // For an assignment, the resource that it is on. For anything else, the resource itself.
  const of = scope.replace(/\/providers\/Microsoft\.Authorization\/.*$/i, '/')
  const found = PLACES.find(([pattern]) => pattern.test(of.endsWith('/') ? of : `${of}/`))
  if (found !== undefined) return found[1]
  if (/^\/subscriptions\/[^/]+\/resourceGroups\/MC_[^/]+\//i.test(of)) return 'nodeGroup'
  throw new Error(`where is ${action} asked for? ${scope}`)
}
