// In a rehearsal, the person who runs azd may do what infra/deployer.json lists, each action on its own resource, and nothing else.
import { placeIn } from '../../infra/rights/deployer.ts'
import { DEPLOYER as LISTED } from '../../infra/rights/deployerActions.ts'
import { HOOK_CALLS } from '../../infra/rights/hookCalls.ts'
import type { Place } from '../../infra/rights/placedAction.ts'
import type { LocalAzure } from '../../local/azure/startAzure.ts'
import { AZD, DEPLOYER } from './armCaller.ts'

/** The resources of the rehearsal's cluster. It has no resource for the other places of the list. */
function scopesOf({ subscriptionId, resourceGroups, clusterResourceId, subnetId }: LocalAzure): { readonly [Each in Place]?: string } {
  return {
    subscription: `/subscriptions/${subscriptionId}`,
    nodeGroup: `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroups[0]}`,
    cluster: clusterResourceId,
    subnet: subnetId,
    network: subnetId.replace(/\/subnets\/[^/]*$/i, ''),
  }
}

/**
 * Grants the same rights to the identity that deploys templates and to the one that runs hooks. They are one person, with two identities so that
 * their calls can be told apart.
 */
export function grantDeployerRights(azure: LocalAzure): void {
  for (const [place, scope] of Object.entries(scopesOf(azure))) {
    const actions = LISTED.filter(({ on }) => on === place).flatMap(({ resource, verbs }) => verbs.map((verb) => `${resource}/${verb}`))
    azure.access.define({ id: `deployer ${place}`, actions })
    for (const { oid: principalId } of [DEPLOYER, AZD])
      azure.access.assign(`${principalId} ${scope}`, { principalId, roleId: `deployer ${place}`, scope })
  }
}

const KNOWN = new Map(HOOK_CALLS.map(({ on, action }) => [callKeyOf(on, action), `${on} ${action}`]))

/** Returns the key of an action. Azure ignores the case. */
function callKeyOf(place: Place, action: string): string {
  return `${place} ${action}`.toLowerCase()
}

/**
 * Returns the actions that the hooks and commands needed. `ownGroups` holds the groups of all environments. Throws if an action was refused, or is
 * not in the list of their calls.
 */
export function hookCalls(azure: LocalAzure, ownGroups: readonly string[]): ReadonlySet<string> {
  const rows = azure.access.rows().filter(({ principalId }) => principalId === DEPLOYER.oid)
  const refused = new Set(rows.filter(({ isGranted }) => !isGranted).map(({ action, scope }) => `${action} on ${scope}`))
  if (refused.size > 0) throw new Error(`infra/deployer.json lacks what the hooks ask for: ${[...refused].join('; ')}`)
  const calls = rows.map((row) => callKeyOf(placeIn(row, ownGroups), row.action))
  const unlisted = new Set(calls.filter((call) => !KNOWN.has(call)))
  if (unlisted.size > 0) throw new Error(`infra/rights/hookCalls.ts lacks: ${[...unlisted].join('; ')}`)
  return new Set(calls)
}

/** Returns the listed actions that no hook in any mode used. */
export function uncalled(calls: ReadonlySet<string>): readonly string[] {
  return [...KNOWN].filter(([key]) => !calls.has(key)).map(([, call]) => call)
}
