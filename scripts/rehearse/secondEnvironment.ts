// A second environment of azd beside the one that is rehearsed: another cluster of the same subscription, region and network, with an app and charts
// of its own. It comes and goes, and the first one works on.
import { isDeepStrictEqual } from 'node:util'
import type { Document } from '../../local/azure/arm/armState.ts'
import type { Driver, DriverOptions } from './azd/driver.ts'
import type { Rehearsal } from './rehearsal.ts'
import { requireWell } from './runHook.ts'
import { bringNodes } from './story.ts'
import { createTemplates } from './templates.ts'
import { startDeployerPlace } from './world/deployerPlace.ts'
import { networkOf, resourcesOf } from './world/installation.ts'
import { holdPlatform } from './world/platformHolder.ts'
import { createHelm } from './world/startCharts.ts'
import { startSecondWorld, type World } from './world/startWorld.ts'

const TOPIC = 'Microsoft.EventGrid/systemTopics'
const CHARTS = ['joiner', 'joiner-crd']

/** `drive` starts what carries out `azd up` and `azd down` of the second environment. */
export async function secondEnvironment(rehearsal: Rehearsal, drive: (options: DriverOptions) => Promise<Driver>): Promise<void> {
  const { step, mode, release } = rehearsal
  const world = await step('second cluster', async () => {
    const second = await startSecondWorld(rehearsal.world)
    return [`${second.azure.clusterResourceId}, in the subnet of the first`, second]
  })
  const place = await startDeployerPlace(world)
  if (mode === 'private') place.moveTo(networkOf(world.azure.subnetId))
  const held = holdPlatform(world, place, release)
  const caBundle = Buffer.from(world.plane.caCertificate).toString('base64')
  const templates = await createTemplates(world.azure, mode, { caBundle }, { environmentName: world.environment })
  const driver = await drive({ world, place, templates, mode, release, platform: held.start })
  const before = world.azure.resources()
  try {
    await step('azd up of a second environment', async () => {
      const { lines } = requireWell(await driver.up())
      requireShared(rehearsal.world, world, before, lines)
      await (await held.following()).first
      return [`by ${driver.name}: an app, charts and a forwarder of its own, on the health topic of the first`, undefined]
    })
    await step('charts of both', async () => [await chartsOf([rehearsal.world, world]), undefined])
    await step('story of the second', async () => [await bringNodes(world), undefined])
    await step('azd down of the owner of the topic', async () => [await refusedDown(rehearsal, driver), undefined])
    await step('azd down of the second', async () => {
      const { stopApp } = await held.start()
      requireWell(await driver.down())
      await stopApp()
      return [await requireGone(rehearsal.world, world, before), undefined]
    })
  } catch (cause) {
    for (const line of (await held.lines()).slice(-SHOWN_LINES)) console.log(line)
    throw cause
  } finally {
    await driver.close()
    await held.close()
    await world.parts.close()
  }
}

/** Lines of the second app and its pods that are printed if a step fails. */
const SHOWN_LINES = 30

const idsOf = (resources: readonly Document[], type: string): readonly string[] =>
  resources.flatMap((each) => (each['type'] === type ? [each.id] : []))

/** Throws unless the second environment has all of its own but the topic, and nothing of the first has changed. */
function requireShared(first: World, second: World, before: readonly Document[], lines: readonly string[]): void {
  const now = second.azure.resources()
  if (!lines.some((line) => line.includes('PREFLIGHT.HEALTH_TOPIC'))) throw new Error('the hook does not say that the topic is shared')
  if (!isDeepStrictEqual(idsOf(now, TOPIC), idsOf(before, TOPIC))) throw new Error(`the topics are ${idsOf(now, TOPIC).join(', ')}`)
  const subscriptions = idsOf(now, `${TOPIC}/eventSubscriptions`)
  if (subscriptions.length !== 2)
    throw new Error(`the topic has ${subscriptions.length} event subscriptions, and not one of each environment`)
  for (const type of ['Microsoft.Web/sites', 'Microsoft.Storage/storageAccounts'])
    if (idsOf(resourcesOf(second), type).length !== 1) throw new Error(`the second environment has no ${type} of its own`)
  requireUntouched(first, before)
}

/** Throws if a resource in the group of the environment is gone or is not as it was. */
function requireUntouched(world: World, before: readonly Document[]): void {
  const now = new Map(world.azure.resources().map((each) => [each.id, each]))
  const own = new Set(resourcesOf(world).map(({ id }) => id))
  const other = before.filter((each) => !own.has(each.id) && !now.has(each.id))
  const changed = before.filter((each) => own.has(each.id) && !isDeepStrictEqual(now.get(each.id), each))
  if (changed.length + other.length > 0)
    throw new Error(`of the first environment, these changed: ${[...changed, ...other].map(({ id }) => id).join(', ')}`)
}

async function chartsOf(worlds: readonly World[]): Promise<string> {
  const found = await Promise.all(
    worlds.map(async (world) => {
      const helm = await createHelm(world)
      const charts: readonly { readonly name: string; readonly status: string }[] = JSON.parse(await helm(['list', '--output', 'json']))
      const deployed = charts.flatMap(({ name, status }) => (status === 'deployed' ? [name] : [])).sort()
      if (!isDeepStrictEqual(deployed, CHARTS)) throw new Error(`${world.environment} has the charts ${deployed.join(', ') || 'none'}`)
      return `${world.environment}: ${deployed.join(', ')}`
    }),
  )
  return found.join('; ')
}

/** The topic belongs to the first environment, and goes with it. Its hook refuses while another environment gets events by the topic. */
async function refusedDown({ world, driver }: Rehearsal, second: Driver): Promise<string> {
  const before = world.azure.resources()
  const { code, lines } = await driver.down()
  const why = lines.find((line) => line.includes('PREFLIGHT.HEALTH_TOPIC'))
  if (code === 0 || why?.includes(second.values()['JOINER_TOKEN'] ?? 'none') !== true)
    throw new Error(`azd down ended with ${code}, and did not name the other environment:\n${lines.join('\n')}`)
  if (!isDeepStrictEqual(world.azure.resources(), before)) throw new Error('azd down was refused, and changed resources')
  return why.trim()
}

/** Checks that nothing of the second environment is left, and that the first has all it had. */
async function requireGone(first: World, second: World, before: readonly Document[]): Promise<string> {
  const there = new Set(before.map(({ id }) => id))
  const left = second.azure.resources().flatMap(({ id }) => (there.has(id) ? [] : [id]))
  const group = `/resourcegroups/${second.azure.resourceGroups[0]}/`.toLowerCase()
  const { vms, nics, disks } = second.azure.state()
  const machines = [...vms, ...nics, ...disks].flatMap(({ id }) => (id.toLowerCase().includes(group) ? [id] : []))
  const charts: readonly object[] = JSON.parse(await (await createHelm(second))(['list', '--output', 'json']))
  if (left.length + machines.length + charts.length > 0)
    throw new Error(`left: ${charts.length} charts, ${[...left, ...machines].join(', ')}`)
  requireUntouched(first, before)
  return 'nothing of it is left; the first environment has all it had, and the topic'
}
