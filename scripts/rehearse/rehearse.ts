// One rehearsal: an installation from the first resource to the last one gone, in one network mode, on the local Azure and a real control plane.
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../infra/check/evaluate/value.ts'
import type { Document } from '../../local/azure/arm/armState.ts'
import { objectOf } from './deployTemplate.ts'
import type { ReleaseParts } from './releaseParts.ts'
import type { Report } from './report.ts'
import { type HookOutcome, runHook } from './runHook.ts'
import { bringNodes, loseSpotNode } from './story.ts'
import { leftOver, removeGroup } from './takeDown.ts'
import { createTemplates, type Mode } from './templates.ts'
import { createHelm, startForwarder } from './world/startCharts.ts'
import { type Platform, startPlatform } from './world/startInstallation.ts'
import { startWorld } from './world/startWorld.ts'

/** Of app and pods, where a step fails. */
const SHOWN_LINES = 30

export async function rehearse(mode: Mode, release: ReleaseParts, report: Report): Promise<void> {
  const step = <Value>(name: string, run: () => Promise<readonly [shown: string, value: Value]>): Promise<Value> =>
    report.step(mode, name, run)
  const world = await step('world', async () => [`a cluster on a real control plane, in an Azure with roles`, await startWorld()])
  const { azure } = world
  try {
    const caBundle = Buffer.from(world.plane.caCertificate).toString('base64')
    const templates = await createTemplates(azure, mode, { caBundle })
    const before = azure.resources()
    const outputs = await step('provision', async () => {
      const deployed = await templates.provision()
      return [`${deployed.made.length} resources made in order`, deployed.outputs]
    })
    await step('provision again', async () => {
      const first = azure.resources()
      const { made, changed } = await templates.provision()
      if (made.length > 0) throw new Error(`the second run made what the first had not: ${made.join(', ')}`)
      requireSame(first, azure.resources())
      return [`${changed.length} resources put once more, and all is as it was`, undefined]
    })
    const platform = await step('platform', async () => ['storage by identity, and the internet', await startPlatform(world)])
    try {
      await step('deploy', async () => {
        const { functions } = await platform.deploy(release)
        const count = Object.keys(platform.installation.settings).length
        return [
          `the zip started in an empty folder with the ${count} settings of the template and no other; ${functions.length} functions`,
          undefined,
        ]
      })
      const helm = await createHelm(world)
      const values = { ...outputs, JOINER_CLUSTER_FACTS: templates.clusters, JOINER_NETWORK: mode, JOINER_APP_DEPLOYED: 'true' }
      await step('postdeploy', async () => {
        const forwarder = startForwarder(world, platform, release)
        // A hook that fails says so at once, and not when the pods have been waited for.
        const hook = runHook({ world, platform, hook: 'postdeploy', values }).then(requireWell)
        const [{ lines }] = await Promise.all([hook, forwarder])
        const { overrides } = await forwarder
        return [`as the hook says (a pod's own environment but for ${overrides.join(', ')}):\n${lines.join('\n')}`, undefined]
      })
      await step('preprovision', async () => {
        const asked = { ...values, JOINER_CLUSTER_FACTS: '', JOINER_CLUSTER_IDS: azure.clusterResourceId, AZURE_LOCATION: azure.location }
        const { lines, set } = requireWell(await runHook({ world, platform, hook: 'preprovision', values: asked }))
        requireDescribed(templates.clusters, set['JOINER_CLUSTER_FACTS'])
        return [`as before each layer, and it describes the cluster as the template was given it:\n${lines.join('\n')}`, undefined]
      })
      await step('subscriptions', async () => {
        const { made } = await templates.subscribe(outputs)
        return [`${made.length} made now that the function is there`, undefined]
      })
      await step('story', async () => [await bringNodes(world), undefined])
      await step('spot notice', async () => [await loseSpotNode(world, platform, release), undefined])
      await step('predown', async () => {
        const wish = { ...values, JOINER_DOWN: 'drain', PRICES_ENDPOINT: azure.pricesUrl }
        return [requireWell(await runHook({ world, platform, hook: 'predown', values: wish })).lines.join('\n'), undefined]
      })
      // From here on the names of the installation end one after the other.
      await step('calls', async () => [callsOf(platform), undefined])
      await step('azd down', async () => [await removeGroup(world, templates, outputs), undefined])
      await step('what is left', async () => [await leftOver(world, before, helm), undefined])
    } catch (cause) {
      for (const line of platform.lines.slice(-SHOWN_LINES)) console.log(line)
      throw cause
    }
  } finally {
    await world.parts.close()
  }
}

function requireWell(outcome: HookOutcome): HookOutcome {
  if (outcome.code === 0) return outcome
  throw new Error(`the hook ended with ${outcome.code}:\n${outcome.lines.join('\n')}`)
}

/** What the hook says of each cluster beside what stands above Azure's word. */
function requireDescribed(given: Json, written = '[]'): void {
  const described: Json = JSON.parse(written)
  const [wanted, found] = [given, described].map((clusters) => (Array.isArray(clusters) ? clusters : []).map(withoutOverrides))
  if (!isDeepStrictEqual(wanted, found)) throw new Error(`the hook wrote ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`)
}

function withoutOverrides(cluster: Json): Json {
  const { overrides: _, ...rest } = objectOf(cluster)
  return rest
}

/** The app and the pods may call nobody whom this world does not know. */
function callsOf({ ofApp, ofCluster }: Platform): string {
  const unknown = [...ofApp.unknown, ...ofCluster.unknown]
  if (unknown.length > 0) throw new Error(`names that nobody has were called: ${unknown.join(', ')}`)
  return `the app called ${[...ofApp.called].sort().join(', ')}`
}

function requireSame(first: readonly Document[], second: readonly Document[]): void {
  for (const [at, one] of first.entries())
    if (!isDeepStrictEqual(one, second[at]))
      throw new Error(`the second run changed ${one.id}: ${JSON.stringify(one)} became ${JSON.stringify(second[at])}`)
}
