/**
 * Finds and removes what an installation has in Azure outside its own resource group, which azd does not remove: role assignments, role definitions,
 * event subscriptions on topics of other owners, and connections of its network to those of clusters.
 */
import { Fault } from '../../shared/model/problem.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { type Arm, armFault, armList, isFine, member, refusalOf } from '../armCall.ts'

export type Installation = {
  readonly subscriptionId: string
  readonly resourceGroup: string
  /** The letters in the names of all its resources. Undefined if they are not known. */
  readonly token: string | undefined
  /** Object ids of the identities of the app and the shims. */
  readonly principalIds: readonly string[]
  /** Ids of subnets and identities that machines of the clusters use. They may be in other subscriptions. */
  readonly usedIds: readonly string[]
  /** Ids of the clusters' private DNS zones whose names AKS did not choose. */
  readonly zoneIds: readonly string[]
}

/** A resource that is deleted by its id. */
export type AzureResource = { readonly what: string; readonly id: string; readonly version: string }

const AUTHORIZATION = 'providers/Microsoft.Authorization'
const AUTHORIZATION_VERSION = '2022-04-01'
export const EVENTS_VERSION = '2025-02-15'
const PEERING_VERSION = '2025-05-01'
const LINK_VERSION = '2024-06-01'
const IDENTITY_VERSION = '2024-11-30'
const IDENTITY = /^id-joiner-(?:spot-)?([a-z0-9]{13})(?:-|$)/

/** Returns the installation with the token and identities that its resource group shows. If the group is gone, the values of the caller are used. */
export async function findInstallation(arm: Arm, known: Installation, signal: AbortSignal): Promise<Installation> {
  const path = `/subscriptions/${known.subscriptionId}/resourceGroups/${known.resourceGroup}/providers/Microsoft.ManagedIdentity/userAssignedIdentities`
  const identities = (await listOrNone(arm, path, IDENTITY_VERSION, signal)).flatMap((identity) => {
    const [, token] = IDENTITY.exec(textOf(identity, 'name')) ?? []
    return token === undefined ? [] : [{ token, principalId: textOf(member(identity, 'properties'), 'principalId') }]
  })
  const token = known.token ?? identities[0]?.token
  const own = identities.filter((identity) => identity.token === token && identity.principalId !== '')
  return { ...known, token, principalIds: [...new Set([...known.principalIds, ...own.map(({ principalId }) => principalId)])] }
}

/** Returns the resources in the order of deletion: a role cannot be deleted while it is assigned. */
export async function listResources(arm: Arm, installation: Installation, signal: AbortSignal): Promise<readonly AzureResource[]> {
  const { token } = installation
  if (token === undefined) return []
  const roles = await rolesOf(arm, installation, token, signal)
  const roleNames = new Set(roles.map(({ id }) => lastOf(id)))
  return [
    ...(await subscriptionsOf(arm, installation, token, signal)),
    ...(await joinsOf(arm, installation, token, signal)),
    ...(await assignmentsOf(arm, installation, { description: `joiner-${token}`, roleNames }, signal)),
    ...roles,
  ]
}

async function subscriptionsOf(
  arm: Arm,
  installation: Installation,
  token: string,
  signal: AbortSignal,
): Promise<readonly AzureResource[]> {
  const path = `/subscriptions/${installation.subscriptionId}/providers/Microsoft.EventGrid/systemTopics`
  const topics = (await listOrNone(arm, path, EVENTS_VERSION, signal)).map((topic) => textOf(topic, 'id'))
  const found: AzureResource[] = []
  for (const topic of topics.filter((id) => !isInOwnGroup(id, installation))) {
    const own = (await listOrNone(arm, `${topic}/eventSubscriptions`, EVENTS_VERSION, signal)).filter((each) =>
      textOf(each, 'name').startsWith(`joiner-${token}-`),
    )
    for (const each of own)
      found.push({
        what: `event subscription ${textOf(each, 'name')}`,
        id: `${topic}/eventSubscriptions/${textOf(each, 'name')}`,
        version: EVENTS_VERSION,
      })
  }
  return found
}

/** Returns peerings on the clusters' side and links from the clusters' zones. They have the names that the template gives them. */
async function joinsOf(arm: Arm, installation: Installation, token: string, signal: AbortSignal): Promise<readonly AzureResource[]> {
  const { usedIds } = installation
  const networks = new Set(usedIds.flatMap((id) => /^(.*\/virtualNetworks\/[^/]+)\/subnets\/[^/]+$/i.exec(id.toLowerCase())?.[1] ?? []))
  const zones = await zonesOf(arm, installation, signal)
  const peerings = [...networks].map((id) => ({
    what: 'peering',
    id: `${id}/virtualNetworkPeerings/joiner-${token}`,
    version: PEERING_VERSION,
  }))
  const links = zones.map((id) => ({ what: 'zone link', id: `${id}/virtualNetworkLinks/joiner-${token}`, version: LINK_VERSION }))
  const found: AzureResource[] = []
  for (const { what, id, version } of [...peerings, ...links]) {
    const answer = await arm({ method: 'GET', path: id, version }, signal)
    if (answer.status === 404) continue
    if (!isFine(answer)) throw armFault(`read ${what} ${id}`, answer)
    found.push({ what: `${what} ${id}`, id, version })
  }
  return found
}

/** Returns the DNS zones of API servers: the known ones, and the ones that AKS made. */
async function zonesOf(arm: Arm, installation: Installation, signal: AbortSignal): Promise<readonly string[]> {
  const zones = new Set(installation.zoneIds.map((id) => id.toLowerCase()))
  for (const subscriptionId of subscriptionIdsOf(installation)) {
    const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Network/privateDnsZones`
    for (const zone of await listOrNone(arm, path, LINK_VERSION, signal))
      if (textOf(zone, 'name').endsWith('.azmk8s.io')) zones.add(textOf(zone, 'id').toLowerCase())
  }
  return [...zones]
}

/** Returns the installation's own subscription and those of the resources that its clusters use. */
function subscriptionIdsOf({ subscriptionId, usedIds }: Installation): ReadonlySet<string> {
  return new Set([subscriptionId, ...usedIds.flatMap((id) => id.split('/')[2] ?? [])].map((id) => id.toLowerCase()))
}

/** Finds assignments by principal, by role, or by the description that the template gives them, since an identity may be gone before its assignments. */
async function assignmentsOf(
  arm: Arm,
  installation: Installation,
  { description, roleNames }: { readonly description: string; readonly roleNames: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<readonly AzureResource[]> {
  const principals = new Set(installation.principalIds.map((id) => id.toLowerCase()))
  const found: AzureResource[] = []
  for (const subscriptionId of subscriptionIdsOf(installation)) {
    const path = `/subscriptions/${subscriptionId}/${AUTHORIZATION}/roleAssignments`
    for (const assignment of await listOrNone(arm, path, AUTHORIZATION_VERSION, signal)) {
      const id = textOf(assignment, 'id')
      const properties = member(assignment, 'properties')
      const isOurs =
        principals.has(textOf(properties, 'principalId').toLowerCase()) ||
        roleNames.has(lastOf(textOf(properties, 'roleDefinitionId'))) ||
        textOf(properties, 'description') === description
      if (isOurs && !isInOwnGroup(id, installation))
        found.push({ what: `role assignment on ${scopeOf(id)}`, id, version: AUTHORIZATION_VERSION })
    }
  }
  return found
}

async function rolesOf(arm: Arm, { subscriptionId }: Installation, token: string, signal: AbortSignal): Promise<readonly AzureResource[]> {
  const path = `/subscriptions/${subscriptionId}/${AUTHORIZATION}/roleDefinitions`
  const roles = await armList(arm, { path, version: AUTHORIZATION_VERSION }, signal)
  return roles.flatMap((role) => {
    const name = textOf(member(role, 'properties'), 'roleName')
    const isOurs = name.startsWith('Joiner ') && name.endsWith(` ${token}`)
    return isOurs ? [{ what: `role definition ${name}`, id: textOf(role, 'id'), version: AUTHORIZATION_VERSION }] : []
  })
}

/** Azure's lists may lag behind its answers by seconds. So a role may still seem assigned after its assignments were deleted. */
const MOST_ROUNDS = 12
const PAUSE_MS = 5_000

type RemoveDeps = { readonly arm: Arm; readonly clock: Clock; readonly print: (line: string) => void }

/** Deletes all resources until none is listed any more. Returns what is left. */
export async function deleteResources(
  deps: RemoveDeps,
  installation: Installation,
  signal: AbortSignal,
): Promise<readonly AzureResource[]> {
  const removed = new Set<string>()
  for (let round = 1; ; round++) {
    const things = await listResources(deps.arm, installation, signal)
    if (things.length === 0 || round > MOST_ROUNDS) return things
    if (round > 1) await deps.clock.sleep(PAUSE_MS, signal)
    for (const thing of things) await removeThing(deps, thing, removed, signal)
  }
}

async function removeThing({ arm, print }: RemoveDeps, { what, id, version }: AzureResource, removed: Set<string>, signal: AbortSignal) {
  const answer = await arm({ method: 'DELETE', path: id, version }, signal)
  if (answer.status === 401 || answer.status === 403) throw armFault(`delete ${what}`, answer)
  if (!isFine(answer) && answer.status !== 404) print(`${what} stays for now: ${refusalOf(answer)}`)
  else if (!removed.has(id)) print(`${what} is removed`)
  if (isFine(answer)) removed.add(id)
}

export async function listOrNone(arm: Arm, path: string, version: string, signal: AbortSignal): Promise<readonly unknown[]> {
  try {
    return await armList(arm, { path, version }, signal)
  } catch (cause) {
    if (cause instanceof Fault && cause.problem.fields?.['status'] === 404) return []
    throw cause
  }
}

function isInOwnGroup(id: string, { subscriptionId, resourceGroup }: Installation): boolean {
  return id.toLowerCase().startsWith(`/subscriptions/${subscriptionId}/resourcegroups/${resourceGroup}/`.toLowerCase())
}

function scopeOf(id: string): string {
  return id.slice(0, id.toLowerCase().lastIndexOf('/providers/microsoft.authorization/')) || '/'
}

function lastOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).toLowerCase()
}

export function textOf(value: unknown, name: string): string {
  const text = member(value, name)
  return typeof text === 'string' ? text : ''
}
