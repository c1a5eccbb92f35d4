// Takes an installation away, step by step, and counts by reading what is left of it.
import type { Document } from '../../local/azure/arm/armState.ts'
import { textAt } from '../../local/azure/json.ts'
import type { Stored } from '../../local/cluster/client/objects.ts'
import { requireSuccess } from './armCaller.ts'
import { type Deployment, textOf } from './deployTemplate.ts'
import type { Templates } from './templates.ts'
import { until } from './until.ts'
import { type createHelm, NAMESPACE } from './world/startCharts.ts'
import type { World } from './world/startWorld.ts'
import { required } from './world/systemNodes.ts'

type Helm = Awaited<ReturnType<typeof createHelm>>
const ROLES = '2022-04-01'
const NETWORK = '2025-05-01'
const POOLS = '/apis/karpenter.sh/v1/nodepools'

/** Pools go, and the running app ends their machines. */
export async function endMachines({ azure, client }: World): Promise<string> {
  const pools = await required<{ readonly items: readonly Stored[] }>(client, 'GET', POOLS)
  const before = azure.state().vms.length
  for (const { metadata } of pools.items) await required(client, 'DELETE', `${POOLS}/${metadata.name}`)
  await until('the machines are gone', async () => {
    const { vms, nics, disks } = azure.state()
    const left = vms.length + nics.length + disks.length
    return left === 0 ? undefined : `${vms.length} machines, ${nics.length} interfaces and ${disks.length} disks are left`
  })
  return `the app drained and ended ${before} ${before === 1 ? 'machine' : 'machines'}`
}

/** Charts first: without their rights the app can do no more harm. Then what is outside the resource group, and the group. */
export async function removeAll(
  world: World,
  { arm }: Pick<Templates, 'arm'>,
  outputs: Deployment['outputs'],
  helm: Helm,
): Promise<string> {
  const { azure } = world
  await helm(['uninstall', 'joiner', '--wait'])
  await helm(['uninstall', 'joiner-crd', '--wait'])
  const group = `/subscriptions/${azure.subscriptionId}/resourceGroups/${textOf(outputs['AZURE_RESOURCE_GROUP'])}`
  const isOutside = ({ id }: Document): boolean => !id.toLowerCase().startsWith(`${group}/`.toLowerCase())
  const outside = (type: string): readonly Document[] => azure.resources().filter((each) => each['type'] === type && isOutside(each))
  const principal = textOf(outputs['JOINER_APP_PRINCIPAL_ID'])
  const token = textOf(outputs['JOINER_TOKEN'])
  const remove = async (each: Document, version: string): Promise<void> =>
    void requireSuccess(`delete ${each.id}`, await arm('DELETE', each.id, version))
  const assignments = outside('Microsoft.Authorization/roleAssignments').filter(
    (each) => textAt(each, 'properties.principalId') === principal,
  )
  for (const each of assignments) await remove(each, ROLES)
  const definitions = outside('Microsoft.Authorization/roleDefinitions').filter((each) =>
    textAt(each, 'properties.roleName')?.endsWith(` ${token}`),
  )
  for (const each of definitions) await remove(each, ROLES)
  const peerings = outside('Microsoft.Network/virtualNetworks/virtualNetworkPeerings').filter((each) => each.id.endsWith(`joiner-${token}`))
  for (const each of peerings) await remove(each, NETWORK)
  requireSuccess('delete the resource group', await arm('DELETE', group, '2025-04-01'))
  return `${assignments.length} assignments, ${definitions.length} role definitions and ${peerings.length} peerings outside the resource group, then the group`
}

/** Everything that was not there before, by kind. */
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
