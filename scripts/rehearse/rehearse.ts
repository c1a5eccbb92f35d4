// One rehearsal: an installation from the first resource to the last one gone, in one network mode, on the local Azure and a real control plane.
import { isDeepStrictEqual } from 'node:util'
import type { Document } from '../../local/azure/arm/armState.ts'
import type { ReleaseParts } from './releaseParts.ts'
import type { Report } from './report.ts'
import { type HookOutcome, runHook } from './runHook.ts'
import { bringNodes, loseSpotNode } from './story.ts'
import { endMachines, leftOver, removeAll } from './takeDown.ts'
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
      await step('postdeploy', async () => {
        const values = { ...outputs, JOINER_CLUSTER_FACTS: templates.clusters }
        const forwarder = startForwarder(world, platform, release)
        // A hook that fails says so at once, and not when the pods have been waited for.
        const hook = runHook({ world, platform, hook: 'postdeploy', values }).then(requireWell)
        const [lines] = await Promise.all([hook, forwarder])
        const { overrides } = await forwarder
        return [`as the hook says (a pod's own environment but for ${overrides.join(', ')}):\n${lines.join('\n')}`, undefined]
      })
      await step('subscriptions', async () => {
        const { made } = await templates.subscribe(outputs)
        return [`${made.length} made now that the function is there`, undefined]
      })
      await step('story', async () => [await bringNodes(world), undefined])
      await step('spot notice', async () => [await loseSpotNode(world, platform, release), undefined])
      await step('end of machines', async () => [await endMachines(world), undefined])
      // From here on the names of the installation end one after the other.
      await step('calls', async () => [callsOf(platform), undefined])
      await step('removal', async () => [await removeAll(world, templates, outputs, helm), undefined])
      await step('what is left', async () => [await leftOver(world, before, helm), undefined])
    } catch (cause) {
      for (const line of platform.lines.slice(-SHOWN_LINES)) console.log(line)
      throw cause
    }
  } finally {
    await world.parts.close()
  }
}

function requireWell({ code, lines }: HookOutcome): readonly string[] {
  if (code === 0) return lines
  throw new Error(`the hook ended with ${code}:\n${lines.join('\n')}`)
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
