import { DEFAULT_MACHINE_NAMES } from '../../shared/model/ids.ts'
import type { ClusterLinks } from '../../shared/model/portalLinks.ts'

const GROUP = '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/MC_(a)_b'

/** The links of an app that knows its workbook and its logs from the template. */
export const SOME_LINKS = {
  portal: 'https://portal.azure.com',
  tenantId: 't',
  workbookId: `${GROUP}/providers/Microsoft.Insights/workbooks/w`,
  workspaceId: `${GROUP}/providers/Microsoft.OperationalInsights/workspaces/l`,
  machineGroupId: GROUP,
  machineNames: DEFAULT_MACHINE_NAMES,
} as const satisfies ClusterLinks
