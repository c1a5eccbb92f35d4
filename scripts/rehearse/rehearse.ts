// One rehearsal: an installation from its first resource until the last one is deleted, in one network mode, on the local Azure and a real control
// plane.
import { findBuiltAzd } from '../../local/azd/findAzd.ts'
import { CACHE } from '../../local/goPrograms.ts'
import { DIFFERENCES } from './azd/differences.ts'
import type { Driver } from './azd/driver.ts'
import { createImitatedDriver } from './azd/imitatedDriver.ts'
import { startRealDriver } from './azd/realDriver.ts'
import { askApp, checkContainer, drawFor } from './checks.ts'
import { demoUp, failedUp, insideUp, outsideUp, repairingUp, terminalUp, upAfterDeletion } from './installing.ts'
import { createOrders } from './orders/runOrders.ts'
import { requireAddress } from './outboundAddress.ts'
import type { Asked, Origin, Rehearsal, Step } from './rehearsal.ts'
import type { ReleaseParts } from './releaseParts.ts'
import { removeAll } from './removing.ts'
import type { Report } from './report.ts'
import { secondEnvironment } from './secondEnvironment.ts'
import { bringNodes, loseSpotNode } from './story.ts'
import { createTemplates, type Mode } from './templates.ts'
import { awaitDemoCluster, demoPlace } from './world/demoCluster.ts'
import { startDeployerPlace } from './world/deployerPlace.ts'
import { holdPlatform } from './world/platformHolder.ts'
import { startWorld } from './world/startWorld.ts'

/** Lines of app and pods that are printed if a step fails. */
const SHOWN_LINES = 30

/** `isWhole`: also plays in this mode what takes minutes, and one mode stands for by default. */
type Play = { readonly mode: Mode; readonly origin: Origin; readonly release: ReleaseParts; readonly isWhole: boolean }

export async function rehearse({ mode, origin, release, isWhole }: Play, report: Report, asked: Asked): Promise<void> {
  const name = origin === 'demo' ? 'demo' : mode
  const step: Step = (what, run) => report.step(name, what, run)
  const skip: Rehearsal['skip'] = (what, why) => report.skip(name, what, why)
  if (origin === 'demo' && findBuiltAzd(CACHE) === undefined)
    return skip('demo cluster', 'azd is not built, and its imitation makes no cluster')
  const world = await step('world', async () => [
    'a cluster on a real control plane, in an Azure with roles',
    await startWorld(origin === 'demo' ? await demoPlace() : {}),
  ])
  const place = await startDeployerPlace(world)
  const held = holdPlatform(world, place, release)
  const platform = held.start
  try {
    const caBundle = Buffer.from(world.plane.caCertificate).toString('base64')
    const templates = await createTemplates(world.azure, mode, { caBundle })
    const demo = origin === 'demo' ? awaitDemoCluster(world.azure) : undefined
    const before = world.azure.resources()
    const driver = await startDriver({ world, place, templates, mode, demo, release, platform }, skip)
    await world.parts.own(() => driver.close())
    const following = held.following
    await play({ mode, origin, step, skip, world, place, templates, driver, release, platform, following, before, isWhole }, asked)
  } catch (cause) {
    for (const line of (await held.lines()).slice(-SHOWN_LINES)) console.log(line)
    throw cause
  } finally {
    await held.close()
    await world.parts.close()
  }
}

type DriverParts = Parameters<typeof createImitatedDriver>[0]

/** azd plays where it is built. */
async function startDriver(parts: DriverParts, skip: Rehearsal['skip']): Promise<Driver> {
  const program = findBuiltAzd(CACHE)
  if (program !== undefined) return startRealDriver(program, parts)
  skip(
    'azd',
    `azd is not built; npm run azd builds it. Its imitation plays, which differs in: ${DIFFERENCES.map(({ of }) => of).join(', ')}; docs/local.md tells each`,
  )
  return createImitatedDriver(parts)
}

/** The whole life of an installation. */
async function play(rehearsal: Rehearsal, asked: Asked): Promise<void> {
  const { mode, origin, isWhole, step, world, place, driver, release, platform } = rehearsal
  const isPublic = mode === 'public' && origin === 'existing'
  const orders = isPublic || isWhole ? createOrders({ ...rehearsal, internet: place.internet }) : undefined
  await orders?.beforeInstall()
  await install(rehearsal)
  await step('address', async () => {
    const told = driver.values()['JOINER_OUTBOUND_ADDRESS']
    return [requireAddress(world.azure.resources(), told, mode !== 'public'), undefined]
  })
  await checkForwarder(rehearsal)
  await orders?.afterInstall()
  await step('story', async () => [await bringNodes(world), undefined])
  await orders?.upgrade()
  if (isPublic || isWhole) await secondEnvironment(rehearsal, (parts) => startDriver(parts, rehearsal.skip))
  const there = await platform()
  await step('spot notice', async () => [await loseSpotNode(world, there, release), undefined])
  await step('status', async () => [await askApp({ world, values: driver.values(), internet: place.internet }), undefined])
  await step('workbook', async () => [drawFor(there, origin === 'demo' ? 'demo' : mode), undefined])
  await removeAll(rehearsal, asked)
}

/** The ways to a running installation are shared out over the modes, since each takes minutes. */
async function install(rehearsal: Rehearsal): Promise<void> {
  const { mode, origin, isWhole } = rehearsal
  if (origin === 'demo') return demoUp(rehearsal)
  if (mode === 'vnet') await terminalUp(rehearsal)
  else if (mode === 'private') {
    await outsideUp(rehearsal)
    await insideUp(rehearsal)
  } else {
    await failedUp(rehearsal)
    await repairingUp(rehearsal)
  }
  if (mode === 'vnet' || isWhole) await upAfterDeletion(rehearsal)
}

async function checkForwarder({ step, skip, following }: Rehearsal): Promise<void> {
  const { container } = await step('forwarder', async () => {
    const running = await (await following()).first
    return [`ready (a pod's own environment but for ${running.overrides.join(', ')})`, running]
  })
  if (container !== undefined) return step('container', async () => [await checkContainer(container), undefined])
  skip(
    'container',
    'no runc is on the path, so the image of the release runs as a process and not in its container; install runc to rehearse it',
  )
}
