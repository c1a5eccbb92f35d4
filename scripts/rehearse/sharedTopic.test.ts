/** A subscription has one system topic. Environments and other people share it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runHook } from '../../infra/hooks/hookDeps.ts'
import { runPredown } from '../../infra/hooks/runPredown.ts'
import { runPreprovision } from '../../infra/hooks/runPreprovision.ts'
import { type HookWorld, hookWorld } from '../../infra/hooks/testing/localAzure.ts'
import { textAt } from '../../local/azure/json.ts'
import { AZD } from './armCaller.ts'
import type { Deployment } from './deployTemplate.ts'
import { removeGroup } from './takeDown.ts'
import { createTemplates, MODES } from './templates.ts'

const TOPIC = 'Microsoft.EventGrid/systemTopics'
let world: HookWorld
beforeEach(async () => {
  world = await hookWorld({ managedIdentities: [{ clientId: AZD.appid, objectId: AZD.oid }] })
})
afterEach(() => world.close())

const topicsOf = (): readonly string[] => world.azure.resources().flatMap(({ id, type }) => (type === TOPIC ? [id] : []))
const subscriptionsOf = (): readonly string[] =>
  world.azure.resources().flatMap(({ id, type }) => (type === `${TOPIC}/eventSubscriptions` ? [id] : []))

type Made = { readonly outputs: Deployment['outputs']; readonly remove: () => Promise<string> }

/** Does what `azd up` does in Azure: the hook, then both layers with what the hook found. */
async function up(environmentName: string, mode: (typeof MODES)[number] = 'public'): Promise<Made> {
  const { azure, values } = world
  values.set('AZURE_ENV_NAME', environmentName)
  world.lines.length = 0
  expect(await runHook(runPreprovision, world.deps()), world.lines.join('\n')).toBe(0)
  const templates = await createTemplates(
    azure,
    mode,
    {},
    { environmentName, healthTopicId: values.get('JOINER_FOUND_HEALTH_TOPIC_ID') ?? '' },
  )
  const { outputs } = await templates.provision()
  deployApp(outputs)
  await templates.subscribe(outputs)
  return { outputs, remove: () => removeGroup({ azure }, templates, outputs) }
}

/** Event Grid refuses an event subscription whose function is not there. */
function deployApp({ AZURE_RESOURCE_GROUP: group, JOINER_APP_NAME: app }: Deployment['outputs']): void {
  const site = `/subscriptions/${world.azure.subscriptionId}/resourceGroups/${String(group)}/providers/Microsoft.Web/sites/${String(app)}`
  world.azure.putResource({ id: `${site}/functions/interruption`, name: 'interruption', type: 'Microsoft.Web/sites/functions' })
}

async function down({ outputs }: Made, more: { readonly [name: string]: string } = {}) {
  const deps = world.deps()
  world.lines.length = 0
  const environment = {
    ...deps.environment,
    AZURE_RESOURCE_GROUP: String(outputs['AZURE_RESOURCE_GROUP']),
    JOINER_TOKEN: String(outputs['JOINER_TOKEN']),
    JOINER_CLUSTER_FACTS: '',
    JOINER_DOWN: 'drain',
    ...more,
  }
  return { code: await runHook((each) => runPredown(each, false), { ...deps, environment }), said: world.lines.join('\n') }
}

describe('a second environment', () => {
  it.each(MODES)('subscribes to the topic of the first with network=%s, and leaves it when it goes', async (mode) => {
    await up('first')
    const second = await up('second', mode)
    expect(world.lines.join('\n')).toContain('warn  PREFLIGHT.HEALTH_TOPIC')
    expect(topicsOf()).toEqual([expect.stringContaining('/rg-joiner-first/')])
    expect(subscriptionsOf().length).toBe(2)
    expect((await down(second)).code).toBe(0)
    await second.remove()
    expect(topicsOf().length).toBe(1)
    expect(subscriptionsOf().length).toBe(1)
  })

  it.each(MODES)('with network=%s is found by azd down of the owner, which removes nothing', async (mode) => {
    const first = await up('first')
    const second = await up('second', mode)
    const before = world.azure.resources()
    const { code, said } = await down(first)
    expect([code, said]).toEqual([1, expect.stringContaining('FAIL  PREFLIGHT.HEALTH_TOPIC   event subscriptions of others (joiner-')])
    expect(said).toContain(String(second.outputs['JOINER_TOKEN']))
    expect(world.azure.resources()).toEqual(before)
  })

  it.each(MODES)('with network=%s makes a topic of its own after that of the owner is gone, and loses nothing else', async (mode) => {
    const first = await up('first')
    await up('second', mode)
    const own = world.azure.resources().filter(({ id }) => id.includes('/rg-joiner-second/'))
    expect((await down(first, { JOINER_DOWN_HEALTH_TOPIC: 'delete' })).code).toBe(0)
    await first.remove()
    expect(subscriptionsOf()).toEqual([])
    expect(world.azure.resources()).toEqual(expect.arrayContaining(own))
    await up('second', mode)
    expect(topicsOf()).toEqual([expect.stringContaining('/rg-joiner-second/')])
    expect(subscriptionsOf().length).toBe(1)
  })

  it('gives the rights to the new identity of a topic that was made again under its name', async () => {
    const first = await up('first')
    await up('second')
    await first.remove()
    await up('first')
    const second = await up('second')
    const [topic] = world.azure.resources().filter(({ type }) => type === TOPIC)
    const principals = world.azure
      .resources()
      .filter(
        ({ id, type }) =>
          type === 'Microsoft.Authorization/roleAssignments' && id.includes(`/${String(second.outputs['JOINER_STORAGE_NAME'])}/`),
      )
      .map((each) => textAt(each, 'properties.principalId'))
    expect(principals).toContain(textAt(topic, 'identity.principalId'))
  })
})

describe('a topic of somebody else', () => {
  const shared = (properties: object, identity?: object): void => {
    const group = `/subscriptions/${world.azure.subscriptionId}/resourceGroups/audit`
    world.azure.putResource({ id: group, name: 'audit', type: 'Microsoft.Resources/resourceGroups' })
    world.azure.putResource({
      id: `${group}/providers/${TOPIC}/theirs`,
      name: 'theirs',
      type: TOPIC,
      ...(identity === undefined ? {} : { identity }),
      properties: { source: `/subscriptions/${world.azure.subscriptionId}`, ...properties },
    })
  }

  it('is used', async () => {
    shared({ topicType: 'Microsoft.ResourceNotifications.HealthResources' }, { type: 'SystemAssigned', principalId: AZD.oid })
    await up('dev')
    expect(topicsOf()).toEqual([expect.stringMatching(/\/audit\/.*\/theirs$/)])
    expect(subscriptionsOf()).toEqual([expect.stringMatching(/\/theirs\/eventSubscriptions\/joiner-/)])
  })

  it('stops the installation before anything is made if it has no identity', async () => {
    shared({ topicType: 'Microsoft.ResourceNotifications.HealthResources' })
    expect(await runHook(runPreprovision, world.deps())).toBe(1)
    expect(world.lines.join('\n')).toContain(
      'az eventgrid system-topic update --resource-group audit --name theirs --identity systemassigned',
    )
    expect(world.azure.requests.all().filter(({ method }) => method === 'PUT')).toEqual([])
  })

  it.each(['Microsoft.Resources.Subscriptions', 'Microsoft.ResourceNotifications.Resources', 'Microsoft.PolicyInsights.PolicyStates'])(
    'of the type %s leaves the app without health events, and nothing fails',
    async (topicType) => {
      shared({ topicType })
      const { outputs } = await up('dev')
      expect(outputs['JOINER_HEALTH_TOPIC_ID']).toBe('none')
      expect(topicsOf().length).toBe(1)
      expect(subscriptionsOf()).toEqual([])
    },
  )
})
