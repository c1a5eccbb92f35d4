import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { NOTHING_INSTALLED } from './hookValues.ts'
import { runPostdown } from './runPostdown.ts'
import { runPredown } from './runPredown.ts'
import { runPreprovision } from './runPreprovision.ts'
import { cutOff } from './testing/cutOff.ts'
import { type HookWorld, hookWorld } from './testing/localAzure.ts'

let world: HookWorld
beforeAll(async () => {
  world = await hookWorld()
})
afterAll(() => world.close())

describe('postdown', () => {
  it('forgets what the hooks wrote, keeps what the person chose, and has nothing to do a second time', async () => {
    const chosen = Object.fromEntries(world.values)
    world.azure.putResource({
      id: `/subscriptions/${world.azure.subscriptionId}/resourceGroups/shared/providers/Microsoft.EventGrid/systemTopics/health`,
      name: 'health',
      type: 'Microsoft.EventGrid/systemTopics',
      identity: { type: 'SystemAssigned' },
      properties: { source: `/subscriptions/${world.azure.subscriptionId}`, topicType: 'Microsoft.ResourceNotifications.HealthResources' },
    })
    expect(await runPreprovision(world.deps()), world.lines.join('\n')).toBe(0)
    world.values.set('JOINER_APP_DEPLOYED', 'true')
    for (const [name, value] of Object.entries(NOTHING_INSTALLED)) expect([name, world.values.get(name)]).not.toEqual([name, value])
    expect(await runPostdown(world.deps())).toBe(0)
    expect(Object.fromEntries(world.values)).toEqual({ ...chosen, ...NOTHING_INSTALLED })
    const again = cutOff(world.deps())
    expect(await runPostdown(again)).toBe(0)
    expect(again.calls()).toEqual([])
  })

  it('leaves an environment that can be taken down again, and installed again', async () => {
    world.lines.length = 0
    world.values.set('JOINER_DOWN', 'drain')
    expect(await runPredown(world.deps()), world.lines.join('\n')).toBe(0)
    expect(world.lines).toContain('no cluster is known: nothing is installed, so there are no machines')
    expect(await runPreprovision(world.deps()), world.lines.join('\n')).toBe(0)
    expect(JSON.parse(world.values.get('JOINER_CLUSTER_FACTS') ?? '[]')).toHaveLength(1)
  })

  it('forgets every value that a page says hooks write', () => {
    const page = readFileSync(join(repositoryRoot, 'docs/install.md'), 'utf8')
    const [, told = ''] = /^Hooks and azd write (.*) and the outputs of the templates/m.exec(page) ?? []
    expect([...told.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(Object.keys(NOTHING_INSTALLED))
  })
})
