import { defined } from '../shared/base/values.ts'
import type { ClusterStatus } from '../shared/flows/answer/readStatus.ts'
import { nodeClaimName } from '../shared/model/ids.ts'
import { type ClusterLinks, decisionLink, machineLink, workbookLink } from '../shared/model/portalLinks.ts'

/** Returns the status with a link for each decision and for each open intent. Without links, returns the status unchanged. */
export function linkedStatus(status: ClusterStatus, links: ClusterLinks | undefined): object {
  if (links === undefined) return status
  const { latest, openIntents, cluster } = status
  return defined({
    ...status,
    latest: latest?.map((record) => defined({ ...record, link: decisionLink(links, cluster, record.number) })),
    links: defined({
      workbook: workbookLink(links),
      machines: openIntents && Object.fromEntries(openIntents.map((claim) => [claim, machineLink(links, nodeClaimName(claim))])),
    }),
  })
}
