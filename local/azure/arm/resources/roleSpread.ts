// Role definitions and assignments spread in Azure. Replicas of Azure answer for some minutes as if a new definition were not there, in turn with others
// that know it (Azure/azure-cli issue 20727, 2021-12), and refuse to assign it (hashicorp/terraform-provider-azurerm issue 19916, 2023-01). A new
// assignment takes effect within 10 minutes (https://learn.microsoft.com/azure/role-based-access-control/troubleshooting, 2026).
import { textAt } from '../../json.ts'
import type { Durations } from '../../options.ts'
import type { Arm } from '../arm.ts'
import type { Document } from '../armState.ts'

/** Reports whether only a part of Azure knows a definition or an assignment. Azure's own roles have no time. */
export function isSpreading(arm: Arm, document: Document, of: keyof Pick<Durations, 'definitionSpread' | 'assignmentSpread'>): boolean {
  const madeAt = Date.parse(textAt(document, 'properties.createdOn') ?? '')
  return Date.now() - madeAt < arm.timeline.scaled(arm.settings.durations[of])
}

/** Reports whether the replica that answers does not know a new definition. Every second read is answered by one that knows it. */
export function isUnknownHere(arm: Arm, document: Document): boolean {
  if (!/\/roleDefinitions\/[^/]+$/i.test(document.id) || !isSpreading(arm, document, 'definitionSpread')) return false
  const key = document.id.toLowerCase()
  const reads = (arm.state.readsOfRoles.get(key) ?? 0) + 1
  arm.state.readsOfRoles.set(key, reads)
  return reads % 2 === 0
}
