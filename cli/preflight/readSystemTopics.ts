import * as z from 'zod'
import { settle } from '../../shared/base/concurrency.ts'
import { defined } from '../../shared/base/values.ts'
import type { InstallFacts } from '../../shared/model/installFacts.ts'
import { Fault } from '../../shared/model/problem.ts'
import { armList } from '../armCall.ts'
import type { InspectDeps, Unread } from './inspectDeps.ts'
import type { InstallOptions } from './installOptions.ts'

const VERSION = '2025-02-15'
const topics = z.array(
  z.object({
    id: z.string(),
    identity: z.object({ type: z.string().nullish() }).nullish(),
    properties: z.object({ source: z.string().nullish(), topicType: z.string().nullish() }),
  }),
)

/** Returns the topics of Event Grid whose source is the subscription, and what the person wishes. */
export async function readSystemTopics(
  { access }: InspectDeps,
  { subscriptionId, environmentName, healthTopic: wish }: InstallOptions,
  unread: Unread[],
): Promise<NonNullable<InstallFacts['systemTopics']>> {
  const subscription = `/subscriptions/${subscriptionId}`
  const path = `${subscription}/providers/Microsoft.EventGrid/systemTopics`
  const listed = await settle(() => armList(access.arm, { path, version: VERSION }))
  if (!listed.ok && !(listed.error instanceof Fault)) throw listed.error
  const read = listed.ok ? topics.safeParse(listed.value) : undefined
  const why = listed.ok ? read?.error?.message : String(listed.error)
  if (why !== undefined) unread.push({ what: 'system topics of the subscription', why })
  const onSubscription = read?.data
    ?.filter(({ properties: { source } }) => source?.toLowerCase().replace(/\/$/, '') === subscription.toLowerCase())
    .map(({ id, identity, properties: { topicType } }) => ({
      id,
      topicType: topicType ?? '',
      hasIdentity: identity?.type?.includes('SystemAssigned') === true,
    }))
  const ownGroup = environmentName === undefined ? undefined : `rg-joiner-${environmentName}`
  return { onSubscription, ...defined({ wish, ownGroup }) }
}
