import type { InstallFacts, SystemTopicFacts } from '../../model/installFacts.ts'
import type { Finding } from './preflight.ts'

const HEALTH = 'microsoft.resourcenotifications.healthresources'
const VARIABLE = 'JOINER_EXISTING_HEALTH_TOPIC_ID'

export type HealthTopicChoice = {
  /** As the template takes it: the id of a topic that exists, `none`, or empty for a new one. Undefined if the topics are not known. */
  readonly healthTopicId?: string
  readonly findings: readonly Finding[]
}

/**
 * Chooses the topic of health events. A subscription has one system topic. If it is not that of this environment, the app subscribes to it, and nobody
 * here deletes it. If it is of another type, there are no health events.
 */
export function chooseHealthTopic(topics: NonNullable<InstallFacts['systemTopics']>): HealthTopicChoice {
  const { onSubscription, wish, ownGroup } = topics
  if (wish === 'none') return { healthTopicId: 'none', findings: [] }
  const named = wish === 'new' ? undefined : wish
  if (onSubscription === undefined) return named === undefined ? { findings: [] } : { healthTopicId: named, findings: [] }
  const health = onSubscription.find(({ topicType }) => topicType.toLowerCase() === HEALTH)
  if (named !== undefined && health?.id.toLowerCase() !== named.toLowerCase()) return { findings: [notThere(named, health)] }
  if (health !== undefined) return isIn(health, ownGroup) ? NEW : shared(health)
  const [other] = onSubscription
  return other === undefined || wish === 'new' ? NEW : taken(other)
}

/** The template makes the topic, or keeps the one that it made. */
const NEW: HealthTopicChoice = { healthTopicId: '', findings: [] }

function isIn({ id }: SystemTopicFacts, group: string | undefined): boolean {
  return groupOf(id).toLowerCase() === group?.toLowerCase()
}

const groupOf = (id: string): string => id.split('/')[4] ?? ''
const nameOf = (id: string): string => id.split('/').at(-1) ?? ''

function shared({ id, hasIdentity }: SystemTopicFacts): HealthTopicChoice {
  const group = groupOf(id)
  if (hasIdentity) {
    const message = `the health topic of the subscription belongs to resource group ${group}; the app subscribes to it`
    const remedy = 'nothing is to be done; after that group was deleted, azd up makes a new topic'
    return { healthTopicId: id, findings: [{ severity: 'warn', code: 'PREFLIGHT.HEALTH_TOPIC', object: id, message, remedy }] }
  }
  const message = `the health topic of the subscription, in resource group ${group}, has no identity, and Event Grid writes undelivered events by its identity`
  const remedy = `az eventgrid system-topic update --resource-group ${group} --name ${nameOf(id)} --identity systemassigned`
  return { findings: [{ severity: 'fail', code: 'PREFLIGHT.HEALTH_TOPIC', object: id, message, remedy }] }
}

function notThere(wish: string, health: SystemTopicFacts | undefined): Finding {
  const message = `${VARIABLE} names no health topic of the subscription${health === undefined ? '' : `; its health topic is ${health.id}`}`
  return { severity: 'fail', code: 'PREFLIGHT.HEALTH_TOPIC', object: wish, message, remedy: `azd env set ${VARIABLE} ""` }
}

function taken({ id, topicType }: SystemTopicFacts): HealthTopicChoice {
  const message = `the subscription has a system topic of the type ${topicType}, and Azure allows one; the app gets no health events, and hears of evictions from the nodes only`
  const remedy = `to try a second topic, run: azd env set ${VARIABLE} new`
  return { healthTopicId: 'none', findings: [{ severity: 'warn', code: 'PREFLIGHT.HEALTH_TOPIC', object: id, message, remedy }] }
}
