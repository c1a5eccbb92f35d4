import { instanceNameOf, type MachineNames, type NodeClaimName } from './ids.ts'

/** What links to Azure's portal need. All ids are resource ids with a leading slash. */
export type PortalLinks = {
  /** URL of the portal, without a trailing slash. */
  readonly portal: string
  readonly tenantId: string
  readonly workbookId: string
  /** The Log Analytics workspace. Undefined: no links to queries. */
  readonly workspaceId?: string
}

/** The same for one cluster, whose machines are in one resource group. */
export type ClusterLinks = PortalLinks & { readonly machineGroupId: string; readonly machineNames: MachineNames }

/** Returns a link to the workbook about Joiner's actions. */
export function workbookLink(links: PortalLinks): string {
  return resourceLink(links, links.workbookId, '/workbook')
}

/** Returns a link to the machine of a claim. */
export function machineLink(links: ClusterLinks, claim: NodeClaimName): string {
  return machineNamedLink(links, instanceNameOf(claim, links.machineNames))
}

/** Returns a link to a machine by its own name, which is the name of its node too. */
export function machineNamedLink(links: ClusterLinks, name: string): string {
  return resourceLink(links, `${links.machineGroupId}/providers/Microsoft.Compute/virtualMachines/${name}`)
}

/** Returns a link to the resource group of the machines: its access control or its activity log. */
export function machineGroupLink(links: ClusterLinks, page: '/users' | '/eventlogs'): string {
  return resourceLink(links, links.machineGroupId, page)
}

/** Returns a link to the subnets or the access control of a subnet's virtual network. Undefined if the id is not a subnet id. */
export function subnetsLink(
  links: PortalLinks,
  subnetId: string | undefined,
  page: '/subnets' | '/users' = '/subnets',
): string | undefined {
  const [, networkId] = /^(\/subscriptions\/.+\/virtualNetworks\/[^/]+)\/subnets\/[^/]+$/i.exec(subnetId ?? '') ?? []
  return networkId && resourceLink(links, networkId, page)
}

/** Returns a link to used and allowed cores by family and region, where more quota can be requested. */
export function quotaLink({ portal, tenantId }: PortalLinks): string {
  return `${portal}/#@${tenantId}/blade/Microsoft_Azure_Capacity/QuotaMenuBlade/~/myQuotas`
}

/** Returns a link to the telemetry events of one decision of a cluster within the last 30 days. Undefined if there is no workspace. */
export function decisionLink(links: PortalLinks, cluster: string, decision: number): string | undefined {
  const query = `AppEvents | where Properties.cluster == "${cluster}" and Properties.decision == "${decision}" | order by TimeGenerated asc`
  return queryLink(links, query, 'P30D')
}

function resourceLink({ portal, tenantId }: PortalLinks, id: string, page = ''): string {
  return `${portal}/#@${tenantId}/resource${encodeURI(id)}${page}`
}

/** Returns a link to the logs of the workspace with the query filled in. `within` is an ISO 8601 duration. Undefined if there is no workspace. */
function queryLink({ portal, tenantId, workspaceId }: PortalLinks, query: string, within: string): string | undefined {
  if (workspaceId === undefined) return undefined
  const blade = `blade/Microsoft_Azure_Monitoring_Logs/LogsBlade/resourceId/${encodeURIComponent(workspaceId)}`
  return `${portal}/#@${tenantId}/${blade}/source/LogsBlade.AnalyticsShareLinkToQuery/query/${encodeURIComponent(query)}/timespan/${within}`
}
