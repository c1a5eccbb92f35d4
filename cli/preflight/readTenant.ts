import { isFine, member, refusalOf } from '../armCall.ts'
import type { InspectDeps, Unread } from './inspectDeps.ts'

const VERSION = '2022-12-01'

/**
 * Returns the tenant of the subscription, which is the tenant of the app's identity. azd sets no variable for it. If Azure does not tell the tenant,
 * it is that of the last deployment.
 */
export async function readTenant(
  { access, environment }: InspectDeps,
  subscriptionId: string,
  unread: Unread[],
): Promise<string | undefined> {
  const answer = await access.arm({ method: 'GET', path: `/subscriptions/${subscriptionId}`, version: VERSION })
  const tenantId = isFine(answer) ? member(answer.body, 'tenantId') : undefined
  if (typeof tenantId === 'string' && tenantId !== '') return tenantId
  const { JOINER_TENANT_ID: deployed } = environment
  if (deployed) return deployed
  unread.push({ what: 'tenant of the subscription', why: isFine(answer) ? 'Azure does not tell it' : refusalOf(answer) })
  return undefined
}
