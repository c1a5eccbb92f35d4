import { defined } from '../shared/base/values.ts'
import type { ClusterLinks } from '../shared/model/portalLinks.ts'
import type { ClusterConfig } from '../shared/wire/clusterConfig.ts'
import type { Settings } from './config.ts'

type LinkSettings = Pick<Settings, 'WORKBOOK_ID' | 'LOG_WORKSPACE_ID' | 'PORTAL_ENDPOINT' | 'ENTRA_TENANT_ID'>
type Machines = Pick<ClusterConfig, 'subscriptionId' | 'nodeResourceGroup' | 'machinePrefix' | 'formerMachinePrefixes'>

/** Returns what links to the portal need. Undefined if no workbook is configured. */
export function portalLinks(settings: LinkSettings, cluster: Machines): ClusterLinks | undefined {
  if (settings.WORKBOOK_ID === undefined) return undefined
  return defined({
    portal: settings.PORTAL_ENDPOINT.replace(/\/+$/, ''),
    tenantId: settings.ENTRA_TENANT_ID,
    workbookId: settings.WORKBOOK_ID,
    workspaceId: settings.LOG_WORKSPACE_ID,
    machineGroupId: `/subscriptions/${cluster.subscriptionId}/resourceGroups/${cluster.nodeResourceGroup}`,
    machineNames: { prefix: cluster.machinePrefix, former: cluster.formerMachinePrefixes },
  })
}
