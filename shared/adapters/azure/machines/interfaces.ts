import type { NetworkInterface } from '@azure/arm-network'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { armFailure, isNotFound } from '../armFailure.ts'
import { platformSignal } from '../platformSignal.ts'
import { azureFault } from './azureFault.ts'
import { isOfStalePool } from './freshPools.ts'
import { type InterfaceOf, interfaceBody } from './interfaceBody.ts'
import type { MachineDeps } from './machineDeps.ts'

/** The timeout for an interface, which usually takes about a second. After it, the step ends, and the next step finds the result. */
const LIMIT_MS = 30_000
/** The pause between looks. The first look is immediate, and usually finds the interface ready. */
const POLL_MS = 250

export type MadeInterface = { readonly id: string; readonly body: NetworkInterface }

/**
 * The interface of a machine: the one that an earlier try of the claim left, or a new one. If Azure refuses it since a backend pool does not exist any
 * more, it is asked for once more with the pools that exist now.
 */
export async function interfaceFor(
  deps: MachineDeps,
  name: string,
  machine: Omit<InterfaceOf, 'poolIds'>,
  signal: AbortSignalLike,
): Promise<MadeInterface> {
  const poolIds = deps.pools.now()
  const body = interfaceBody(name, { ...machine, poolIds })
  const kept = deps.kept.take(name, body)
  if (kept !== undefined) return { id: kept, body }
  try {
    return { id: await putInterface(deps, name, body, signal), body }
  } catch (error) {
    if (!isOfStalePool(armFailure(error)) || !(await deps.pools.renew(poolIds, signal))) throw error
    deps.telemetry.warn('a backend pool of the cluster does not exist any more: the interface joins those that exist now', {
      interface: name,
    })
    const fresh = interfaceBody(name, { ...machine, poolIds: deps.pools.now() })
    return { id: await putInterface(deps, name, fresh, signal), body: fresh }
  }
}

/**
 * Creates the interface, or updates the one with that name, and waits until machines may use it. Returns its id. The answer to the request often says
 * already that the interface is ready. If not, the interface itself is asked: the operation and the interface after it are two calls.
 */
export async function putInterface(
  deps: Pick<MachineDeps, 'clients' | 'config' | 'clock'>,
  name: string,
  body: NetworkInterface,
  signal: AbortSignalLike,
): Promise<string> {
  const abortSignal = platformSignal(signal, LIMIT_MS)
  const { nodeResourceGroup: group, subscriptionId } = deps.config
  const id = `/subscriptions/${subscriptionId}/resourceGroups/${group}/providers/Microsoft.Network/networkInterfaces/${name}`
  const { networkInterfaces } = await deps.clients.network()
  let state: string | undefined
  const poller = networkInterfaces.createOrUpdate(group, name, body, {
    abortSignal,
    updateIntervalInMs: POLL_MS,
    onResponse: ({ parsedBody }) => void (state = stateIn(parsedBody)),
  })
  await poller.submitted()
  for (let looks = 0; state === 'Updating'; looks++) {
    if (looks > 0) await deps.clock.sleep(POLL_MS, abortSignal)
    state = (await networkInterfaces.get(group, name, { abortSignal })).provisioningState
  }
  // The operation says why an interface failed.
  return state === 'Succeeded' ? id : ((await poller.pollUntilDone({ abortSignal })).id ?? id)
}

function stateIn(body: unknown): string | undefined {
  const properties: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'properties') : undefined
  const state: unknown = typeof properties === 'object' && properties !== null ? Reflect.get(properties, 'provisioningState') : undefined
  return typeof state === 'string' ? state : undefined
}

/**
 * Deletes an interface whose machine a person must make possible first, and waits for it. If another call has created the machine, Azure refuses to
 * delete the interface, because it is in use. The garbage collection finds interfaces that are left over.
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

/** Begins to delete an interface. Returns `gone` if there is none. An interface that is in use or reserved stays for now. */
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
