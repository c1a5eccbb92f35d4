import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RoleAssignment } from '../azure/arm/authorization/access.ts'
import type { LocalAzure } from '../azure/startAzure.ts'
import { APP_IDENTITY } from './identities.ts'

/** The list of the app's roles that the infrastructure template uses. */
const ROLES = join(import.meta.dirname, '..', '..', 'infra', 'roles.json')

/** Gives the app in the emulated Azure the roles that the infrastructure template gives it, and nothing more. */
export function assignAppRoles(azure: LocalAzure): void {
  const { custom }: { readonly custom: { readonly [id: string]: readonly string[] } } = JSON.parse(readFileSync(ROLES, 'utf8'))
  for (const [id, actions] of Object.entries(custom)) azure.access.define({ id, actions })
  for (const assignment of appAssignments(azure)) azure.access.assign(`${assignment.roleId} ${assignment.scope}`, assignment)
}

type Places = Pick<LocalAzure, 'subscriptionId' | 'resourceGroups' | 'subnetId' | 'clusterResourceId'>

/** The scopes at which the template assigns the roles. `infra/rights/stackRoles.test.ts` compares them. */
export function appAssignments({ subscriptionId, resourceGroups, subnetId, clusterResourceId }: Places): readonly RoleAssignment[] {
  const subscription = `/subscriptions/${subscriptionId}`
  const scopes: readonly (readonly [roleId: string, scope: string])[] = [
    ['subscription', subscription],
    ['cluster', clusterResourceId],
    ['subnet', subnetId],
    ['network', subnetId.replace(/\/subnets\/[^/]*$/i, '')],
    ...resourceGroups.map((group) => ['nodeGroup', `${subscription}/resourceGroups/${group}`] as const),
  ]
  return scopes.map(([roleId, scope]) => ({ principalId: APP_IDENTITY.objectId, roleId, scope }))
}
