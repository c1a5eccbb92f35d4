import { instanceNameOf, type MachineNames, type NodeClaimName } from './ids.ts'

/** Where people see in Azure's portal what the app did. All ids are resource ids, with a slash at their beginning. */
export type PortalLinks = {
  /** Without a slash at its end. */
  readonly portal: string
  readonly tenantId: string
  readonly workbookId: string
  /** Where the telemetry is; without it there are no links to queries. */
  readonly workspaceId?: string
}

/** The same of one cluster, whose machines stand in one resource group. */
export type ClusterLinks = PortalLinks & { readonly machineGroupId: string; readonly machineNames: MachineNames }

/** The page that shows what Joiner does. */
export function workbookLink(links: PortalLinks): string {
  return resourceLink(links, links.workbookId, '/workbook')
}

/** The page of the machine of a claim. */
export function machineLink(links: ClusterLinks, claim: NodeClaimName): string {
  return machineNamedLink(links, instanceNameOf(claim, links.machineNames))
}

/** The same by the machine's own name, which is the name of its node too. */
export function machineNamedLink(links: ClusterLinks, name: string): string {
  return resourceLink(links, `${links.machineGroupId}/providers/Microsoft.Compute/virtualMachines/${name}`)
}

/** The resource group of the machines: its access control, its activity log. */
export function machineGroupLink(links: ClusterLinks, page: '/users' | '/eventlogs'): string {
  return resourceLink(links, links.machineGroupId, page)
}

/** The subnets of the network of a subnet, or who may use the network; undefined for what is no id of a subnet. */
export function subnetsLink(
  links: PortalLinks,
  subnetId: string | undefined,
  page: '/subnets' | '/users' = '/subnets',
): string | undefined {
  const [, networkId] = /^(\/subscriptions\/.+\/virtualNetworks\/[^/]+)\/subnets\/[^/]+$/i.exec(subnetId ?? '') ?? []
  return networkId && resourceLink(links, networkId, page)
}

/** How many cores are used and allowed, by family and region, where more can be asked for. */
export function quotaLink({ portal, tenantId }: PortalLinks): string {
  return `${portal}/#@${tenantId}/blade/Microsoft_Azure_Capacity/QuotaMenuBlade/~/myQuotas`
}

/** What was told of one decision of a cluster within the last 30 days. */
export function decisionLink(links: PortalLinks, cluster: string, decision: number): string | undefined {
  const query = `AppEvents | where Properties.cluster == "${cluster}" and Properties.decision == "${decision}" | order by TimeGenerated asc`
  return queryLink(links, query, 'P30D')
}

function resourceLink({ portal, tenantId }: PortalLinks, id: string, page = ''): string {
  return `${portal}/#@${tenantId}/resource${encodeURI(id)}${page}`
}

/** Opens the logs of the workspace with the query in them. `within` is a duration of ISO 8601. */
function queryLink({ portal, tenantId, workspaceId }: PortalLinks, query: string, within: string): string | undefined {
  if (workspaceId === undefined) return undefined
  const blade = `blade/Microsoft_Azure_Monitoring_Logs/LogsBlade/resourceId/${encodeURIComponent(workspaceId)}`
  return `${portal}/#@${tenantId}/${blade}/source/LogsBlade.AnalyticsShareLinkToQuery/query/${encodeURIComponent(query)}/timespan/${within}`
}
