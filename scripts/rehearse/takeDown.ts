// Deletes what azd deletes after the hook of an installation, and lists what is left.
import type { Document } from '../../local/azure/arm/armState.ts'
import type { Stored } from '../../local/cluster/client/objects.ts'
import { requireSuccess } from './armCaller.ts'
import { type Deployment, textOf } from './deployTemplate.ts'
import type { Templates } from './templates.ts'
import { type createHelm, NAMESPACE } from './world/startCharts.ts'
import type { World } from './world/startWorld.ts'
import { required } from './world/systemNodes.ts'

type Helm = Awaited<ReturnType<typeof createHelm>>

/** Deletes the resource group of the installation, as azd does. The hook has deleted what is elsewhere before. */
export async function removeGroup(
  { azure }: Pick<World, 'azure'>,
  { arm }: Pick<Templates, 'arm'>,
  outputs: Deployment['outputs'],
): Promise<string> {
  const group = textOf(outputs['AZURE_RESOURCE_GROUP'])
  const id = `/subscriptions/${azure.subscriptionId}/resourceGroups/${group}`
  requireSuccess('delete the resource group', await arm('DELETE', id, '2025-04-01'))
  return `resource group ${group} is deleted, as azd does it`
}

/** Checks that nothing is left that did not exist before. Throws if something is left. Returns a sentence with the counts by kind. */
export async function leftOver({ azure, client }: World, before: readonly Document[], helm: Helm): Promise<string> {
  const there = new Set(before.map(({ id }) => id))
  const left = azure.resources().filter(({ id }) => !there.has(id))
  const { vms, nics, disks } = azure.state()
  const charts: readonly object[] = JSON.parse(await helm(['list', '--output', 'json']))
  const namespaced = await Promise.all(
    ['deployments', 'daemonsets'].map((kind) =>
      required<{ readonly items: readonly Stored[] }>(client, 'GET', `/apis/apps/v1/namespaces/${NAMESPACE}/${kind}`),
    ),
  )
  const workloads = namespaced.flatMap(({ items }) => items)
  const counts = {
    machines: vms.length,
    interfaces: nics.length,
    disks: disks.length,
    resources: left.length,
    charts: charts.length,
    workloads: workloads.length,
  }
  const shown = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  if (Object.values(counts).some((count) => count > 0)) throw new Error(`left: ${shown.join(', ')}\n${left.map(({ id }) => id).join('\n')}`)
  return `left: ${shown.join(', ')}`
}
