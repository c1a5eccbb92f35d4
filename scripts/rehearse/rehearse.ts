// One rehearsal: an installation from its first resource until the last one is deleted, in one network mode, on the local Azure and a real control
// plane.
import { isDeepStrictEqual } from 'node:util'
import { NAMESPACES } from '../../cli/preflight/readInstallFacts.ts'
import type { Json } from '../../infra/check/evaluate/value.ts'
import { NOTHING_INSTALLED } from '../../infra/hooks/hookValues.ts'
import type { Document } from '../../local/azure/arm/armState.ts'
import { withoutOutputs } from './azdQuestions.ts'
import { askApp, checkContainer, drawFor } from './checks.ts'
import { hookCalls } from './deployerRights.ts'
import { type Deployment, objectOf, textOf } from './deployTemplate.ts'
import { createOrders } from './orders/runOrders.ts'
import { requireAddress } from './outboundAddress.ts'
import type { ReleaseParts } from './releaseParts.ts'
import type { Report } from './report.ts'
import { requireWell, runHook, runJoiner } from './runHook.ts'
import { bringNodes, loseSpotNode } from './story.ts'
import { leftOver, removeGroup } from './takeDown.ts'
import { createTemplates, type Mode, type Templates } from './templates.ts'
import { createHelm, followForwarder, startForwarder } from './world/startCharts.ts'
import { type Platform, startPlatform } from './world/startInstallation.ts'
import { startWorld, type World } from './world/startWorld.ts'

/** Lines of app and pods that are printed if a step fails. */
const SHOWN_LINES = 30

/** Collects requests: `calls` holds those of hooks and commands to Azure, `data` those of all identities to storage. */
export type Asked = { readonly calls: Set<string>; readonly data: Set<string> }

export async function rehearse(mode: Mode, release: ReleaseParts, report: Report, asked: Asked): Promise<void> {
  const step: Step = (name, run) => report.step(mode, name, run)
  const world = await step('world', async () => [`a cluster on a real control plane, in an Azure with roles`, await startWorld()])
  try {
    const caBundle = Buffer.from(world.plane.caCertificate).toString('base64')
    const templates = await createTemplates(world.azure, mode, { caBundle })
    const before = world.azure.resources()
    const outputs = await provision(step, world, templates)
    await step('address', async () => [
      requireAddress(world.azure.resources(), outputs['JOINER_OUTBOUND_ADDRESS'], mode !== 'public'),
      undefined,
    ])
    const platform = await step('platform', async () => ['storage by identity, and the internet', await startPlatform(world)])
    const values = { ...outputs, JOINER_CLUSTER_FACTS: templates.clusters, JOINER_NETWORK: mode, JOINER_APP_DEPLOYED: 'true' }
    const skip: Rehearsal['skip'] = (name, why) => report.skip(mode, name, why)
    const rehearsal: Rehearsal = { step, skip, world, templates, outputs, platform, values, release, before }
    // One mode is enough for the commands of people, which are the same in all.
    const orders = mode === 'public' ? createOrders(rehearsal) : undefined
    try {
      await orders?.beforeInstall()
      const stopFollowing = await bringUp(rehearsal)
      await orders?.afterInstall()
      await step('story', async () => [await bringNodes(world), undefined])
      await orders?.upgrade()
      await step('spot notice', async () => [await loseSpotNode(world, platform, release), undefined])
      await step('status', async () => [await askApp(rehearsal, mode), undefined])
      await step('workbook', async () => [drawFor(platform, mode), undefined])
      await stopFollowing()
      await takeDown(rehearsal, mode, asked)
    } catch (cause) {
      for (const line of platform.lines.slice(-SHOWN_LINES)) console.log(line)
      throw cause
    }
  } finally {
    await world.parts.close()
  }
}

type Step = <Value>(name: string, run: () => Promise<readonly [shown: string, value: Value]>) => Promise<Value>

type Rehearsal = {
  readonly step: Step
  readonly skip: (name: string, why: string) => void
  readonly world: World
  readonly templates: Templates
  readonly outputs: Deployment['outputs']
  readonly platform: Platform
  /** The values of azd's environment. */
  readonly values: { readonly [name: string]: Json }
  readonly release: ReleaseParts
  /** The resources that existed before anything was created. */
  readonly before: readonly Document[]
}

/** Provisions twice, because `azd up` may be run again. */
async function provision(step: Step, { azure }: World, templates: Templates): Promise<Deployment['outputs']> {
  const outputs = await step('provision', async () => {
    const deployed = await templates.provision()
    return [`${deployed.made.length} resources made in order, rbac=${templates.rbac}`, deployed.outputs]
  })
  await step('provision again', async () => {
    const first = azure.resources()
    const { made, changed } = await templates.provision()
    if (made.length > 0) throw new Error(`the second run made what the first had not: ${made.join(', ')}`)
    requireSame(first, azure.resources())
    return [`${changed.length} resources put once more, and all is as it was`, undefined]
  })
  return outputs
}

/**
 * Deploys the app and the charts, and then the event subscriptions, which need the app. The process of the forwarder follows its pods until the result
 * is called.
 */
async function bringUp({ step, skip, world, templates, outputs, platform, values, release }: Rehearsal): Promise<() => Promise<void>> {
  await step('deploy', async () => {
    const { functions } = await platform.deploy(release)
    const count = Object.keys(platform.installation.settings).length
    return [
      `the zip started in an empty folder with the ${count} settings of the template and no other; ${functions.length} functions`,
      undefined,
    ]
  })
  const started = await step('postdeploy', async () => {
    const forwarder = startForwarder(world, platform, release).then(async (running) => {
      await running.child.ready()
      return running
    })
    // A failing hook fails the step at once, not only after the wait for the pods.
    const hook = runHook({ world, platform, hook: 'postdeploy', values }).then(requireWell)
    const [{ lines }] = await Promise.all([hook, forwarder])
    const running = await forwarder
    return [`as the hook says (a pod's own environment but for ${running.overrides.join(', ')}):\n${lines.join('\n')}`, running]
  })
  const { container } = started
  if (container === undefined)
    skip(
      'container',
      'no runc is on the path, so the image of the release runs as a process and not in its container; install runc to rehearse it',
    )
  else await step('container', async () => [await checkContainer(container), undefined])
  await step('preprovision', async () => {
    const { clusterResourceId, location } = world.azure
    const asked = { ...values, JOINER_CLUSTER_FACTS: '', JOINER_CLUSTER_IDS: clusterResourceId, AZURE_LOCATION: location }
    for (const name of NAMESPACES) world.azure.setProvider(`Microsoft.${name}`, 'NotRegistered')
    const { lines, set } = requireWell(await runHook({ world, platform, hook: 'preprovision', values: asked }))
    const skipped = lines.filter((line) => line.startsWith('skip'))
    if (skipped.length > 0) throw new Error(`the preflight was not told everything: ${skipped.join('; ')}`)
    requireDescribed(templates.clusters, set['JOINER_CLUSTER_FACTS'])
    // The hook runs as `preup`, too, before azd asks.
    templates.requireNoQuestions('infra/main.bicep', { AZURE_ENV_NAME: 'rehearsal', AZURE_LOCATION: location, ...set })
    return [`as before each layer, and it describes the cluster as the template was given it:\n${lines.join('\n')}`, undefined]
  })
  await step('subscriptions', async () => {
    const { made } = await templates.subscribe(outputs)
    return [`${made.length} made now that the function is there`, undefined]
  })
  return followForwarder(world, platform, release, started)
}

/** Does what `azd down` does, and checks that nothing is left. */
async function takeDown({ step, world, templates, outputs, platform, values, before }: Rehearsal, mode: Mode, asked: Asked): Promise<void> {
  // In one of the modes the app is dead: the deployer deletes the machines without it.
  if (mode === 'vnet')
    await step('cleanup', async () => {
      const { clusterResourceId: id } = world.azure
      const args = ['cleanup', '--cluster', id, '--group', textOf(outputs['AZURE_RESOURCE_GROUP']), '--yes']
      await platform.stopApp()
      for (const { name } of world.azure.state().vms)
        world.azure.failVm(name, { code: 'InternalExecutionError', message: 'An internal execution error occurred.' })
      const environment = { ...values, PRICES_ENDPOINT: world.azure.pricesUrl }
      return [requireWell(await runJoiner({ world, platform, values: environment }, args)).lines.join('\n'), undefined]
    })
  await step('predown', async () => {
    const wish = { ...values, JOINER_DOWN: 'drain', PRICES_ENDPOINT: world.azure.pricesUrl }
    return [requireWell(await runHook({ world, platform, hook: 'predown', values: wish })).lines.join('\n'), undefined]
  })
  await step('rights of the deployer', async () => {
    const calls = hookCalls(world.azure, textOf(outputs['AZURE_RESOURCE_GROUP']))
    for (const call of calls) asked.calls.add(call)
    return [`hooks and commands asked for ${calls.size} actions, all of infra/deployer.json`, undefined]
  })
  await step('rights of the app', async () => {
    const appId = textOf(outputs['JOINER_APP_PRINCIPAL_ID']).toLowerCase()
    const rows = world.azure.access.rows().filter(({ principalId }) => principalId.toLowerCase() === appId)
    // The app works on while `predown` takes its roles away.
    const refused = rows.filter(({ isGranted, isWithdrawn }) => !isGranted && !isWithdrawn)
    const denied = new Set(refused.map(({ action, scope }) => `${action} on ${scope}`))
    if (denied.size > 0 || rows.length === 0)
      throw new Error(`the template does not let the app: ${[...denied].join('; ') || 'ask for anything'}`)
    const granted = rows.filter(({ isGranted }) => isGranted).length
    const data = platform.dataRights.used()
    for (const action of data) asked.data.add(action)
    return [`${granted} actions of the app, all granted with rbac=${templates.rbac}, and on data: ${data.join(', ')}`, undefined]
  })
  // From here on, the names of the installation stop to resolve one after the other.
  await step('calls', async () => [callsOf(platform), undefined])
  await step('azd down', async () => {
    const removed = await removeGroup(world, templates, outputs)
    // azd deletes the layers in the opposite order, each with its outputs, and reads the parameters of the next.
    const environment = { AZURE_ENV_NAME: 'rehearsal', AZURE_LOCATION: world.azure.location }
    templates.requireNoQuestions('infra/demo.bicep', withoutOutputs(environment, outputs))
    return [removed, undefined]
  })
  await step('postdown', async () => {
    const { set } = requireWell(await runHook({ world, platform, hook: 'postdown', values: { ...values, JOINER_APP_DEPLOYED: 'true' } }))
    if (set['JOINER_APP_DEPLOYED'] !== NOTHING_INSTALLED.JOINER_APP_DEPLOYED) throw new Error(`the hook wrote ${JSON.stringify(set)}`)
    return ['the environment of azd knows of no installation', undefined]
  })
  await step('what is left', async () => [await leftOver(world, before, await createHelm(world)), undefined])
}

/** Compares what the hook wrote for each cluster with what the template was given, without the overrides. */
function requireDescribed(given: Json, written = '[]'): void {
  const described: Json = JSON.parse(written)
  const [wanted, found] = [given, described].map((clusters) => (Array.isArray(clusters) ? clusters : []).map(withoutOverrides))
  if (!isDeepStrictEqual(wanted, found)) throw new Error(`the hook wrote ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`)
}

function withoutOverrides(cluster: Json): Json {
  const { overrides: _, ...rest } = objectOf(cluster)
  return rest
}

/** Checks that the app and the pods called only names that this world has. */
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
