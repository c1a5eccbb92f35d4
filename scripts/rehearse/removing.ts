// Takes an installation down, and checks that nothing is left and that nobody asked for more than the lists of rights have.
import { NOTHING_INSTALLED } from '../../infra/hooks/hookValues.ts'
import type { Values } from './azd/driver.ts'
import { hookCalls } from './deployerRights.ts'
import { textOf } from './deployTemplate.ts'
import type { Asked, Rehearsal } from './rehearsal.ts'
import { requireWell, runJoiner } from './runHook.ts'
import { leftOver } from './takeDown.ts'
import { SECOND_ENVIRONMENT } from './templates.ts'
import { groupOf } from './world/installation.ts'
import { createHelm } from './world/startCharts.ts'
import type { Platform } from './world/startInstallation.ts'

export async function removeAll(rehearsal: Rehearsal, asked: Asked): Promise<void> {
  const { mode, step, world, place, driver, platform, before } = rehearsal
  const there = await platform()
  const values = driver.values()
  // Nothing is removed through the app, so that any machine will do.
  place.moveTo(undefined)
  // In one of the modes the app is dead: the deployer deletes the machines without it.
  if (mode === 'vnet') await step('cleanup', async () => [await cleanUp(rehearsal, there), undefined])
  await step('azd down', async () => [requireWell(await driver.down()).lines.join('\n'), undefined])
  await step('environment', async () => [requireForgotten(driver.values()), undefined])
  // Once is enough: each azd takes its time.
  if (mode === 'vnet') await step('azd down again', async () => [requireWell(await driver.down()).lines.join('\n'), undefined])
  await there.stopApp()
  await checkRights(rehearsal, asked, there, values)
  await step('calls', async () => [callsOf(there), undefined])
  await step('what is left', async () => [await leftOver(world, before, await createHelm(world)), undefined])
}

/** `npx joiner cleanup`, with machines whose last operation failed. */
async function cleanUp({ world, place, driver }: Rehearsal, platform: Platform): Promise<string> {
  const { azure } = world
  const values = driver.values()
  const args = ['cleanup', '--cluster', azure.clusterResourceId, '--group', textOf(values['AZURE_RESOURCE_GROUP']), '--yes']
  await platform.stopApp()
  for (const { name } of azure.state().vms)
    azure.failVm(name, { code: 'InternalExecutionError', message: 'An internal execution error occurred.' })
  return requireWell(await runJoiner({ world, internet: place.internet, values }, args)).lines.join('\n')
}

async function checkRights(
  { step, world: { azure }, templates }: Rehearsal,
  asked: Asked,
  platform: Platform,
  values: { readonly [name: string]: string },
): Promise<void> {
  await step('rights of the deployer', async () => {
    const calls = hookCalls(azure, [textOf(values['AZURE_RESOURCE_GROUP']), groupOf(SECOND_ENVIRONMENT)])
    for (const call of calls) asked.calls.add(call)
    return [`hooks and commands asked for ${calls.size} actions, all of infra/deployer.json`, undefined]
  })
  await step('rights of the app', async () => {
    const appId = textOf(values['JOINER_APP_PRINCIPAL_ID']).toLowerCase()
    const rows = azure.access.rows().filter(({ principalId }) => principalId.toLowerCase() === appId)
    // The app works on while its roles are taken away, by `predown` and by whoever takes rights away in this rehearsal.
    const refused = rows.filter(({ isGranted, isWithdrawn }) => !isGranted && !isWithdrawn)
    const denied = new Set(refused.map(({ action, scope }) => `${action} on ${scope}`))
    if (denied.size > 0 || rows.length === 0)
      throw new Error(`the template does not let the app: ${[...denied].join('; ') || 'ask for anything'}`)
    const granted = rows.filter(({ isGranted }) => isGranted).length
    const data = platform.dataRights.used()
    for (const action of data) asked.data.add(action)
    return [`${granted} actions of the app, all granted with rbac=${templates.rbac}, and on data: ${data.join(', ')}`, undefined]
  })
}

/** Checks that the environment of azd knows of no installation. */
function requireForgotten(values: Values): string {
  const kept = Object.entries(NOTHING_INSTALLED).filter(([name, value]) => (values[name] ?? value) !== value)
  if (kept.length > 0) throw new Error(`the environment of azd still has ${kept.map(([name]) => name).join(', ')}`)
  return 'the environment of azd knows of no installation'
}

/** Checks that the app and the pods called only names that this world has. */
function callsOf({ ofApp, ofCluster }: Platform): string {
  const unknown = [...ofApp.unknown, ...ofCluster.unknown]
  if (unknown.length > 0) throw new Error(`names that nobody has were called: ${unknown.join(', ')}`)
  return `the app called ${[...ofApp.called].sort().join(', ')}`
}
