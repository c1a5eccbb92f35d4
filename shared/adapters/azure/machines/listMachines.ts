import type { VirtualMachine } from '@azure/arm-compute'
import { addAll } from '../../../base/lists.ts'
import { claimOfInstanceName } from '../../../model/ids.ts'
import { TAG } from '../../../model/instance.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { azureFault } from './azureFault.ts'
import type { MachineDeps } from './machineDeps.ts'
import { machineNamesOf } from './machineNames.ts'

/** The machines of this cluster. `pages`: the calls that the list took. It shows all machines of the resource group. */
export type ListedMachines = { readonly machines: readonly VirtualMachine[]; readonly pages: number }

export async function listMachines(deps: MachineDeps, signal: AbortSignalLike): Promise<ListedMachines> {
  const machines: VirtualMachine[] = []
  let pages = 0
  try {
    const { virtualMachines } = await deps.clients.compute()
    for await (const page of virtualMachines.list(deps.config.nodeResourceGroup, { abortSignal: signal }).byPage()) {
      pages += 1
      addAll(
        machines,
        page.filter((vm) => isOurs(vm, deps.config)),
      )
    }
  } catch (error) {
    throw azureFault('list virtual machines', error, signal)
  }
  return { machines, pages }
}

export function isOurs(
  resource: { readonly name?: string; readonly tags?: Readonly<Record<string, string>> },
  config: ClusterConfig,
): boolean {
  const claim = claimOfInstanceName((resource.name ?? '').toLowerCase(), machineNamesOf(config))
  return resource.tags?.[TAG.cluster] === config.id && claim !== undefined
}
