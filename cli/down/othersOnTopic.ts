import type { Arm } from '../armCall.ts'
import { EVENTS_VERSION, type Installation, listOrNone, textOf } from './azureRights.ts'

/**
 * Returns the event subscriptions of others on system topics of the installation. A source has one system topic, so other environments and other
 * people subscribe to this one. It is deleted with the resource group.
 */
export async function othersOnTopics(
  arm: Arm,
  { subscriptionId, resourceGroup, token }: Installation,
  signal: AbortSignal,
): Promise<readonly { readonly topic: string; readonly names: readonly string[] }[]> {
  const path = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.EventGrid/systemTopics`
  const found: { topic: string; names: readonly string[] }[] = []
  for (const topic of await listOrNone(arm, path, EVENTS_VERSION, signal)) {
    const subscriptions = await listOrNone(arm, `${textOf(topic, 'id')}/eventSubscriptions`, EVENTS_VERSION, signal)
    const names = subscriptions.map((each) => textOf(each, 'name')).filter((name) => !name.startsWith(`joiner-${token}-`))
    if (names.length > 0) found.push({ topic: textOf(topic, 'name'), names })
  }
  return found
}
