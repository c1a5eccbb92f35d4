// What `azd up` must have done: the first time, after a failure, after rights were taken away, and after the group was deleted by hand.
import { isDeepStrictEqual } from 'node:util'
import { NAMESPACES } from '../../cli/preflight/readInstallFacts.ts'
import type { Json } from '../../infra/check/evaluate/value.ts'
import type { Document } from '../../local/azure/arm/armState.ts'
import { recordAt } from '../../local/azure/json.ts'
import { requireSuccess } from './armCaller.ts'
import { jsonIn, type Values } from './azd/driver.ts'
import type { AzdOutcome } from './azd/startAzd.ts'
import { objectOf, textOf } from './deployTemplate.ts'
import type { Rehearsal } from './rehearsal.ts'
import { requireWell } from './runHook.ts'
import { networkOf } from './world/installation.ts'
import type { World } from './world/startWorld.ts'

const ASSIGNMENTS = 'Microsoft.Authorization/roleAssignments'
const SUBSCRIPTION = /\/eventSubscriptions$/
/** The lines of hooks, without those of azd itself. */
const HOOK_LINE = /^(ok|warn|FAIL|skip|cost|workbook|logs|app|address) /

/** `azd up` in a terminal, where azd could ask. All values that a person must give are there. */
export async function terminalUp(rehearsal: Rehearsal): Promise<void> {
  const { step, skip, driver } = rehearsal
  const { upInTerminal } = driver
  if (upInTerminal === undefined) skip('terminal', 'azd or the program `script` is not there; azd up runs without a terminal')
  await step(upInTerminal === undefined ? 'azd up' : 'azd up in a terminal', async () => {
    const { lines } = requireWell(await first(rehearsal, upInTerminal ?? driver.up))
    return [`nothing was asked\n${lines.filter((line) => HOOK_LINE.test(line)).join('\n')}`, undefined]
  })
}

/** The first `azd up` ends in its hook `postdeploy`, before there are event subscriptions. */
export async function failedUp(rehearsal: Rehearsal): Promise<void> {
  const { step, world, driver } = rehearsal
  await step('azd up that fails', async () => {
    const outcome = first(rehearsal, driver.up)
    await refuseOnce(world.azure, outcome)
    const { code, lines } = await outcome
    const said = lines.filter((line) => HOOK_LINE.test(line)).join('\n')
    if (code === 0) throw new Error(`azd up ended well, though its hook was refused:\n${said}`)
    if (!lines.some((line) => line.includes('run azd up again'))) throw new Error(`the hook does not say what helps:\n${lines.join('\n')}`)
    const subscriptions = typesIn(world.azure.resources()).filter((type) => SUBSCRIPTION.test(type))
    if (subscriptions.length > 0) throw new Error(`there are ${subscriptions.length} event subscriptions, though the app has no charts`)
    return [`postdeploy was refused, and said so; no event subscription was made\n${said}`, undefined]
  })
}

/** `azd up` makes the cluster first, in a group of its own. The hooks find it there, and install Joiner in it. */
export async function demoUp(rehearsal: Rehearsal): Promise<void> {
  const { step, world, driver } = rehearsal
  await step('azd up with a cluster for trials', async () => {
    const { lines } = await first(rehearsal, async () => requireWell(await driver.up()))
    const made = world.azure.getResource(world.azure.clusterResourceId)
    if (made === undefined) throw new Error('the cluster was not made')
    if (driver.values()['JOINER_DEMO_CLUSTER_ID'] !== made.id) throw new Error('the environment does not name the cluster')
    return [`${made.id}\n${lines.filter((line) => HOOK_LINE.test(line)).join('\n')}`, undefined]
  })
}

/** `azd up` on a machine outside of the network of a private app: everything is made, and the hook `predeploy` says where the code can be sent from. */
export async function outsideUp(rehearsal: Rehearsal): Promise<void> {
  const { step, world, driver } = rehearsal
  await step('azd up from outside', async () => {
    const { code, lines } = await first(rehearsal, driver.up)
    const why = lines.find((line) => line.includes('on a machine in the network of a cluster'))
    if (code === 0 || why === undefined) throw new Error(`azd up ended with ${code}, and did not say where to run it:\n${lines.join('\n')}`)
    if (typesIn(world.azure.resources()).includes('Microsoft.Web/sites/functions'))
      throw new Error('the private app took code from outside')
    return [why.trim(), undefined]
  })
}

/** The same environment of azd on a machine in the network of the cluster. */
export async function insideUp({ step, world: { azure }, place, driver }: Rehearsal): Promise<void> {
  place.moveTo(networkOf(azure.subnetId))
  await step('azd up from inside', async () => {
    const before = azure.resources()
    const { lines } = requireWell(await driver.up())
    const made = requireKept(before, azure.resources())
    if (!made.some(({ type }) => SUBSCRIPTION.test(String(type)))) throw new Error('there are no event subscriptions')
    return [`by ${driver.name}\n${lines.filter((line) => HOOK_LINE.test(line)).join('\n')}`, undefined]
  })
}

type Up = () => Promise<AzdOutcome>

/** The first `azd up`, on a subscription where nothing is registered. The hooks know everything, and describe the cluster as it is. */
async function first({ world, templates, driver }: Rehearsal, up: Up): Promise<AzdOutcome> {
  for (const name of NAMESPACES) world.azure.setProvider(`Microsoft.${name}`, 'NotRegistered')
  const outcome = await up()
  const skipped = outcome.lines.filter((line) => line.startsWith('skip'))
  if (skipped.length > 0) throw new Error(`the preflight was not told everything: ${skipped.join('; ')}`)
  requireDescribed(templates.clusters, jsonIn(driver.values(), 'JOINER_CLUSTER_FACTS'))
  return outcome
}

/** Azure refuses the next kubeconfig once the code is deployed: that of postdeploy. */
async function refuseOnce(azure: World['azure'], outcome: Promise<AzdOutcome>): Promise<void> {
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  void outcome.then(over, over)
  while (!isOver && !typesIn(azure.resources()).includes('Microsoft.Web/sites/functions')) await new Promise((next) => setTimeout(next, 50))
  azure.script.http({ method: 'POST', path: 'listClusterUserCredential', status: 403, code: 'AuthorizationFailed', times: 1 })
}

const typesIn = (resources: readonly Document[]): readonly string[] => resources.map((each) => String(each['type']))

/** `azd up` mends what is half done: the event subscriptions are made, what was taken away comes back, and all else is as it was. */
export async function repairingUp({ step, world: { azure }, templates, driver }: Rehearsal): Promise<void> {
  await step('azd up again', async () => {
    const before = azure.resources()
    const taken = assignmentOfApp(before, driver.values())
    requireSuccess('take a right away', await templates.arm('DELETE', taken, '2022-04-01'))
    const { lines } = requireWell(await driver.up())
    const made = requireKept(before.map(timeless), azure.resources().map(timeless))
    if (made.length === 0 || made.some(({ type }) => !SUBSCRIPTION.test(String(type))))
      throw new Error(`event subscriptions are missing, and it made: ${made.map(({ id }) => id).join(', ')}`)
    const said = lines.filter((line) => /^(ok|FAIL|skip) /.test(line))
    return [
      `by ${driver.name}: ${made.length} event subscriptions are made, and the right that was taken away is back\n${said.join('\n')}`,
      undefined,
    ]
  })
}

/** Somebody deletes the resource group of the installation. Its names come back, with new identities behind them. */
export async function upAfterDeletion({ step, world: { azure }, templates, driver, platform }: Rehearsal): Promise<void> {
  await step('azd up after the group was deleted', async () => {
    const before = azure.resources()
    const group = textOf(driver.values()['AZURE_RESOURCE_GROUP'])
    await (await platform()).stopApp()
    const id = `/subscriptions/${azure.subscriptionId}/resourceGroups/${group}`
    requireSuccess('delete the group', await templates.arm('DELETE', id, '2025-04-01'))
    const appBefore = driver.values()['JOINER_APP_PRINCIPAL_ID']
    requireWell(await driver.up())
    const app = driver.values()['JOINER_APP_PRINCIPAL_ID']
    if (app === appBefore) throw new Error('the app has the identity that was deleted')
    const now = new Set(azure.resources().map((each) => each.id.toLowerCase()))
    // The names of assignments hold the principal.
    const missing = before.filter((each) => each['type'] !== ASSIGNMENTS && !now.has(each.id.toLowerCase()))
    if (missing.length > 0) throw new Error(`these are not back: ${missing.map((each) => each.id).join(', ')}`)
    const count = (resources: readonly Document[], principal: string | undefined): number =>
      resources.filter((each) => each['type'] === ASSIGNMENTS && isOf(each['properties'], principal)).length
    const [had, has] = [count(before, appBefore), count(azure.resources(), app)]
    if (had !== has) throw new Error(`the app had ${had} roles, and has ${has}`)
    return [`all ${before.length} resources are back, and the new identity of the app has its ${has} roles`, undefined]
  })
}

function assignmentOfApp(resources: readonly Document[], { JOINER_APP_PRINCIPAL_ID: app }: Values): string {
  const found = resources.find((each) => each['type'] === ASSIGNMENTS && isOf(each['properties'], app))
  if (found === undefined) throw new Error('the app has no rights')
  return found.id
}

const isOf = (properties: unknown, principalId: unknown): boolean =>
  typeof properties === 'object' && properties !== null && 'principalId' in properties && properties.principalId === principalId

/** Compares what the hook wrote for each cluster with what the local Azure has, without the overrides. */
function requireDescribed(given: Json, described: Json): void {
  const [wanted, found] = [given, described].map((clusters) => (Array.isArray(clusters) ? clusters : []).map(withoutOverrides))
  if (!isDeepStrictEqual(wanted, found)) throw new Error(`the hook wrote ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`)
}

function withoutOverrides(cluster: Json): Json {
  const { overrides: _, ...rest } = objectOf(cluster)
  return rest
}

/** An assignment that was taken away has another time of making when it is back. */
function timeless(document: Document): Document {
  const { createdOn: _, ...properties } = recordAt(document, 'properties')
  return document['type'] === ASSIGNMENTS ? { ...document, properties } : document
}

/** Returns what is new. Throws if something is gone or is not as it was. */
function requireKept(first: readonly Document[], second: readonly Document[]): readonly Document[] {
  const now = new Map(second.map((each) => [each.id.toLowerCase(), each]))
  for (const one of first) {
    const found = now.get(one.id.toLowerCase())
    if (!isDeepStrictEqual(one, found)) throw new Error(`it changed ${one.id}: ${JSON.stringify(one)} became ${JSON.stringify(found)}`)
  }
  const before = new Set(first.map(({ id }) => id.toLowerCase()))
  return second.filter(({ id }) => !before.has(id.toLowerCase()))
}
