import { describe, expect, it } from 'vitest'
import type { SystemTopicFacts } from '../../model/installFacts.ts'
import { chooseHealthTopic } from './healthTopic.ts'

const HEALTH = 'Microsoft.ResourceNotifications.HealthResources'
const topicIn = (group: string): string => `/subscriptions/s/resourceGroups/${group}/providers/Microsoft.EventGrid/systemTopics/health`
const OWN: SystemTopicFacts = { id: topicIn('RG-joiner-dev'), topicType: HEALTH, hasIdentity: true }
const SHARED: SystemTopicFacts = { id: topicIn('rg-joiner-prod'), topicType: HEALTH.toLowerCase(), hasIdentity: true }
const BARE: SystemTopicFacts = { ...SHARED, hasIdentity: false }
const OTHER: SystemTopicFacts = { id: topicIn('audit'), topicType: 'Microsoft.Resources.Subscriptions', hasIdentity: true }

type Case = [topics: readonly SystemTopicFacts[] | undefined, wish: string | undefined, chosen: string | undefined, words: string]

describe('the topic of health events', () => {
  it.each<Case>([
    [[], undefined, '', ''],
    [[], 'new', '', ''],
    [[], 'none', 'none', ''],
    [[], SHARED.id, undefined, 'fail JOINER_EXISTING_HEALTH_TOPIC_ID names no health topic of the subscription'],
    [[OWN], undefined, '', ''],
    [[OWN], OWN.id, '', ''],
    [[OWN], 'none', 'none', ''],
    [[SHARED], undefined, SHARED.id, 'warn the health topic of the subscription belongs to resource group rg-joiner-prod'],
    [[SHARED], 'new', SHARED.id, 'warn the health topic of the subscription belongs to resource group rg-joiner-prod'],
    [[SHARED], SHARED.id.toUpperCase(), SHARED.id, 'warn the health topic'],
    [
      [SHARED],
      OWN.id,
      undefined,
      `fail JOINER_EXISTING_HEALTH_TOPIC_ID names no health topic of the subscription; its health topic is ${SHARED.id}`,
    ],
    [[BARE], undefined, undefined, 'fail the health topic of the subscription, in resource group rg-joiner-prod, has no identity'],
    [[BARE], BARE.id, undefined, 'fail the health topic of the subscription, in resource group rg-joiner-prod, has no identity'],
    [[BARE], 'none', 'none', ''],
    [[OTHER], undefined, 'none', 'warn the subscription has a system topic of the type Microsoft.Resources.Subscriptions'],
    [[OTHER], 'new', '', ''],
    [[OTHER], OTHER.id, undefined, 'fail JOINER_EXISTING_HEALTH_TOPIC_ID names no health topic'],
    [[OTHER, SHARED], undefined, SHARED.id, 'warn the health topic'],
    [undefined, undefined, undefined, ''],
    [undefined, 'new', undefined, ''],
    [undefined, SHARED.id, SHARED.id, ''],
    [undefined, 'none', 'none', ''],
  ])('of %j with the wish %s: %s', (onSubscription, wish, chosen, words) => {
    const { healthTopicId, findings } = chooseHealthTopic({
      onSubscription,
      ownGroup: 'rg-joiner-dev',
      ...(wish === undefined ? {} : { wish }),
    })
    expect(healthTopicId).toBe(chosen)
    const said = findings.map(({ severity, message }) => `${severity} ${message}`).join()
    expect(said.slice(0, words.length)).toBe(words)
    expect(findings.length).toBe(words === '' ? 0 : 1)
  })

  it("is somebody else's where no environment is chosen yet", () => {
    expect(chooseHealthTopic({ onSubscription: [OWN] }).healthTopicId).toBe(OWN.id)
  })
})
