import type { VirtualMachine } from '@azure/arm-compute'
import type { NetworkInterface } from '@azure/arm-network'
import type { TokenCredential } from '@azure/identity'
import { mapBounded, settle } from '../../base/concurrency.ts'
import { defined } from '../../base/values.ts'
import { claimOfInstanceName, instanceNamesOf, type NodeClaimName } from '../../model/ids.ts'
import type { Instance, InstanceState } from '../../model/instance.ts'
import { Fault } from '../../model/problem.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { CloudProvider, OrphanInterface } from '../../ports/cloudProvider.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ClusterConfig } from '../../wire/clusterConfig.ts'
import { isNotFound } from './armFailure.ts'
import { type ArmOptions, createArmClients } from './clients.ts'
import { backendPools } from './clusterFacts/fetchFacts.ts'
import { createImageVersions, type ImagePin } from './images/imageVersions.ts'
import { azureFault } from './machines/azureFault.ts'
import { createEncryptionCheck } from './machines/checkEncryption.ts'
import { createSubnetCheck } from './machines/checkSubnet.ts'
import { getMachineOfClaim, machineOfClaim, stateOf } from './machines/findMachine.ts'
import { createFreshPools } from './machines/freshPools.ts'
import { instanceOf, liveState } from './machines/instanceOf.ts'
import { beginDeleteInterface } from './machines/interfaces.ts'
import { createKeptInterfaces } from './machines/keptInterfaces.ts'
import { launch } from './machines/launch.ts'
import { isOurs, listMachines } from './machines/listMachines.ts'
import type { MachineDeps, SizeLookup } from './machines/machineDeps.ts'
import { machineNamesOf } from './machines/machineNames.ts'
import { createRecentMachines, type RecentMachinesDeps } from './machines/recentMachines.ts'
import { restart, restartProblem } from './machines/restart.ts'
import { claimCreatedAt } from './machines/tags.ts'
import { updateTags } from './machines/updateTags.ts'

export type CloudProviderOptions = {
  readonly config: ClusterConfig
  readonly credential: TokenCredential
  readonly arm?: Pick<ArmOptions, 'endpoint' | 'ca' | 'maxRetries' | 'retryDelayMs' | 'retryAfterLimiter' | 'around'>
  /** Facts about sizes for refusals. The catalog implements it. */
  readonly sizes: SizeLookup
  /** Finds the version of an image that a NodeClass does not name. The catalog implements it for all processes. Default: for this process alone. */
  readonly pinImage?: ImagePin
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** The cloud provider of one cluster. Its machines are plain Azure virtual machines in the node resource group. */
export function createCloudProvider(options: CloudProviderOptions): CloudProvider {
  const { config, sizes, clock, telemetry } = options
  const clients = createArmClients({
    credential: options.credential,
    subscriptionId: config.subscriptionId,
    clock,
    telemetry,
    ...options.arm,
  })
  const pinImage = options.pinImage ?? createImageVersions({ clients, ...config, clock }).pin
  const kept = createKeptInterfaces()
  const pools = createFreshPools(config, (signal) => backendPools(clients, config.nodeResourceGroup, signal))
  const deps: MachineDeps = { config, clients, pinImage, sizes, kept, pools, clock, telemetry }
  const recent = createRecentMachines({
    clock,
    list: (signal) => listAlive(deps, signal),
    get: (claim, signal) => machineOfClaim(deps, claim, signal),
  })
  return {
    launch: (request, signal) => launch(deps, request, signal),
    get: (claim, signal, asOf) => (asOf === 'recent' ? recent(claim, signal) : machineOfClaim(deps, claim, signal)),
    list: (signal) => list(deps, signal),
    terminate: (claim, signal) => terminate(deps, claim, signal),
    restart: (claim, signal) => restart(deps, claim, signal),
    restartProblem: (signal) => restartProblem(deps, signal),
    listOrphanInterfaces: (signal) => listOrphanInterfaces(deps, signal),
    async deleteInterface(name, signal) {
      await beginDeleteInterface(deps, name, signal)
    },
    updateTags: (request, signal) => updateTags(deps, request, signal),
    subnetState: createSubnetCheck(deps),
    encryptionProblem: createEncryptionCheck(deps),
  }
}

async function list(deps: MachineDeps, signal: AbortSignalLike): Promise<readonly Instance[]> {
  const instances: Instance[] = []
  for (const vm of (await listMachines(deps, signal)).machines) {
    const instance = instanceOf(vm, deps.config, await listedState(deps, vm, signal))
    if (instance !== undefined) instances.push(instance)
  }
  return instances
}

/** The machines that are no failures. Why a machine failed takes a call for each. */
async function listAlive(deps: MachineDeps, signal: AbortSignalLike): ReturnType<RecentMachinesDeps['list']> {
  const { machines, pages } = await listMachines(deps, signal)
  const alive = machines.filter(({ provisioningState }) => provisioningState !== 'Failed')
  const instances = alive.map((vm) => instanceOf(vm, deps.config, liveState(vm.provisioningState)))
  return { instances: instances.filter((each) => each !== undefined), pages }
}

/** The state of a listed machine. A machine that failed for a reason that cannot be read does not stop the list. */
async function listedState(deps: MachineDeps, vm: VirtualMachine, signal: AbortSignalLike): Promise<InstanceState> {
  const read = await settle(() => stateOf(deps, vm, signal))
  if (read.ok) return read.value
  if (!(read.error instanceof Fault)) throw read.error
  const { problem } = read.error
  deps.telemetry.warn(`why machine ${vm.name} failed cannot be read: ${problem.message}`, { cluster: deps.config.id, code: problem.code })
  return { kind: 'failed', refusal: { problem, unavailable: [], then: 'next' } }
}

/**
 * Begins to delete the machine of a claim, without a shutdown, because its pods were drained before. Azure deletes the network interface with its
 * machine. If only an interface is left, it is deleted here. Does not wait: the next call returns how far Azure came.
 */
async function terminate(deps: MachineDeps, claim: NodeClaimName, signal: AbortSignalLike): Promise<'terminating' | 'gone'> {
  const vm = await getMachineOfClaim(deps, claim, signal)
  if (vm === undefined) return endInterfaces(deps, claim, signal)
  const name = vm.name ?? ''
  if (vm.provisioningState === 'Deleting') return 'terminating'
  try {
    const { virtualMachines } = await deps.clients.compute()
    await virtualMachines.delete(deps.config.nodeResourceGroup, name, { forceDeletion: true, abortSignal: signal }).submitted()
  } catch (error) {
    if (!isNotFound(error)) throw azureFault(`delete virtual machine ${name}`, error, signal)
  }
  return 'terminating'
}

/** Deletes the network interfaces of a claim without a machine, under each name that the machine may have had. */
async function endInterfaces(deps: MachineDeps, claim: NodeClaimName, signal: AbortSignalLike): Promise<'terminating' | 'gone'> {
  const names = instanceNamesOf(claim, machineNamesOf(deps.config))
  const ends = await mapBounded(names, 4, (name) => beginDeleteInterface(deps, name, signal))
  return ends.every((end) => end === 'gone') ? 'gone' : 'terminating'
}

async function listOrphanInterfaces(deps: MachineDeps, signal: AbortSignalLike): Promise<readonly OrphanInterface[]> {
  // Interfaces are listed first. A machine made in between is then in the second list, and its interface is no orphan.
  const interfaces = await ourInterfaces(deps, signal)
  if (interfaces.length === 0) return []
  const machines = new Set((await listMachines(deps, signal)).machines.map((vm) => vm.name?.toLowerCase()))
  return interfaces.flatMap((nic): OrphanInterface[] => {
    const name = (nic.name ?? '').toLowerCase()
    const claim = claimOfInstanceName(name, machineNamesOf(deps.config))
    return claim === undefined || nic.virtualMachine?.id !== undefined || machines.has(name)
      ? []
      : [{ name, claim, ...defined({ createdAt: claimCreatedAt(nic) }) }]
  })
}

async function ourInterfaces(deps: MachineDeps, signal: AbortSignalLike): Promise<readonly NetworkInterface[]> {
  const found: NetworkInterface[] = []
  try {
    const { networkInterfaces } = await deps.clients.network()
    for await (const nic of networkInterfaces.list(deps.config.nodeResourceGroup, { abortSignal: signal })) {
      if (isOurs(nic, deps.config)) found.push(nic)
    }
  } catch (error) {
    throw azureFault('list network interfaces', error, signal)
  }
  return found
}
