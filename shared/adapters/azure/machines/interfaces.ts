import type { NetworkInterface } from '@azure/arm-network'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { armFailure, isNotFound } from '../armFailure.ts'
import { platformSignal } from '../platformSignal.ts'
import { azureFault } from './azureFault.ts'
import type { MachineDeps } from './machineDeps.ts'

/** Interfaces take about a second; beyond this the step gives up and the next finds what became of it. */
const LIMIT_MS = 30_000
/** Only where ARM names no Retry-After; the first look is at once, and mostly the interface is ready then. */
const POLL_MS = 250

/** Makes the interface, or takes the one of that name, and waits until machines may use it. */
export async function putInterface(deps: MachineDeps, name: string, body: NetworkInterface, signal: AbortSignalLike): Promise<string> {
  const abortSignal = platformSignal(signal, LIMIT_MS)
  const group = deps.config.nodeResourceGroup
  const { networkInterfaces } = await deps.clients.network()
  const poller = networkInterfaces.createOrUpdate(group, name, body, { abortSignal, updateIntervalInMs: POLL_MS })
  const made = await poller.pollUntilDone({ abortSignal })
  return (
    made.id ?? `/subscriptions/${deps.config.subscriptionId}/resourceGroups/${group}/providers/Microsoft.Network/networkInterfaces/${name}`
  )
}

/**
 * Deletes the interface of a machine that was refused and waits for it, so that the next size starts clean. A machine
 * another call made keeps it: Azure refuses to delete an interface in use. What is left over the orphan sweep finds.
 */
export async function deleteInterfaceNow(deps: MachineDeps, name: string, signal: AbortSignalLike): Promise<void> {
  const abortSignal = platformSignal(signal, LIMIT_MS)
  try {
    const { networkInterfaces } = await deps.clients.network()
    await networkInterfaces
      .delete(deps.config.nodeResourceGroup, name, { abortSignal, updateIntervalInMs: POLL_MS })
      .pollUntilDone({ abortSignal })
  } catch (error) {
    const failure = armFailure(error)
    deps.telemetry.warn('interface of a refused machine stays until the next sweep', { interface: name, azureCode: failure.code })
  }
}

/** Begins the end of an interface. `gone` when there is none; one still in use or reserved stays for now. */
export async function beginDeleteInterface(deps: MachineDeps, name: string, signal: AbortSignalLike): Promise<'gone' | 'terminating'> {
  try {
    const { networkInterfaces } = await deps.clients.network()
    await networkInterfaces.get(deps.config.nodeResourceGroup, name, { abortSignal: signal })
    await networkInterfaces.delete(deps.config.nodeResourceGroup, name, { abortSignal: signal }).submitted()
    return 'terminating'
  } catch (error) {
    if (isNotFound(error)) return 'gone'
    const { code } = armFailure(error)
    if (code !== 'NicInUse' && code !== 'NicReservedForAnotherVm') throw azureFault(`delete network interface ${name}`, error, signal)
    deps.telemetry.info('network interface cannot go yet', { interface: name, azureCode: code })
    return 'terminating'
  }
}
