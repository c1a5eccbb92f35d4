import type { VirtualMachine } from '@azure/arm-compute'
import { changedTags, type TagChange } from '../../../model/instance.ts'
import type { Labels } from '../../../model/labels.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { TagRequest } from '../../../ports/cloudProvider.ts'
import { armFailure, isNotFound } from '../armFailure.ts'
import { platformSignal } from '../platformSignal.ts'
import { azureFault } from './azureFault.ts'
import { getMachineOfClaim } from './findMachine.ts'
import type { MachineDeps } from './machineDeps.ts'
import { machineTags } from './tags.ts'

/** The timeout for all resources of a machine. An update takes seconds. After this time the next sweep goes on. */
const LIMIT_MS = 30_000
const POLL_MS = 1_000
/** The times a resource is read and written. Another try is made only if somebody else has changed the resource in between. */
const TRIES = 3

/**
 * Brings the tags of a machine, its network interface and its disk to those that a new machine would get. Each resource is read first, so that a second
 * run, after a crash in between, writes only what is missing. The disk is a resource of its own: Azure copies the tags of the machine to it once, when
 * both are made. A resource that does not exist is left out.
 */
export async function updateTags(deps: MachineDeps, request: TagRequest, outer: AbortSignalLike): Promise<'updated' | 'gone'> {
  const signal = platformSignal(outer, LIMIT_MS)
  const { claim, nodeClass, before } = request
  const vm = await getMachineOfClaim(deps, claim.name, signal)
  if (vm === undefined || vm.provisioningState === 'Deleting') return 'gone'
  const change = { wanted: machineTags(claim, nodeClass, deps.config), before }
  const name = vm.name ?? ''
  const { osDisk } = vm.storageProfile ?? {}
  const disk = osDisk?.diffDiskSettings === undefined ? osDisk?.managedDisk?.id?.split('/').at(-1) : undefined
  await changeOne(`network interface ${name}`, change, await interfaceOf(deps, name, signal), signal)
  if (disk !== undefined) await changeOne(`disk ${disk}`, change, await diskOf(deps, disk, signal), signal)
  await changeOne(`virtual machine ${name}`, change, await machineOf(deps, vm, signal), signal)
  return 'updated'
}

/** A kind of resource: how its tags are read and written. `etag` guards the write where Azure supports it. */
type Tagged = {
  readonly read: () => Promise<{ readonly tags?: Labels; readonly etag?: string }>
  readonly write: (tags: Record<string, string>, etag: string | undefined) => Promise<unknown>
}

async function changeOne(what: string, change: TagChange, { read, write }: Tagged, signal: AbortSignalLike): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const { tags = {}, etag } = await read()
      const after = changedTags(tags, change)
      if (after !== undefined) await write(after, etag)
      return
    } catch (error) {
      if (isNotFound(error)) return
      if (armFailure(error).status !== 412 || tries === TRIES || signal.aborted) throw azureFault(`tag ${what}`, error, signal)
    }
  }
}

async function interfaceOf(deps: MachineDeps, name: string, abortSignal: AbortSignal): Promise<Tagged> {
  const { networkInterfaces } = await deps.clients.network()
  const group = deps.config.nodeResourceGroup
  return {
    read: () => networkInterfaces.get(group, name, { abortSignal }),
    write: (tags) => networkInterfaces.updateTags(group, name, { tags }, { abortSignal }),
  }
}

async function diskOf(deps: MachineDeps, name: string, abortSignal: AbortSignal): Promise<Tagged> {
  const { disks } = await deps.clients.compute()
  const group = deps.config.nodeResourceGroup
  return {
    read: () => disks.get(group, name, { abortSignal }),
    write: (tags) => disks.update(group, name, { tags }, { abortSignal, updateIntervalInMs: POLL_MS }).pollUntilDone({ abortSignal }),
  }
}

/** The machine was read moments ago, and its etag guards the first write. */
async function machineOf(deps: MachineDeps, vm: VirtualMachine, abortSignal: AbortSignal): Promise<Tagged> {
  const { virtualMachines } = await deps.clients.compute()
  const group = deps.config.nodeResourceGroup
  const name = vm.name ?? ''
  let known: VirtualMachine | undefined = vm
  return {
    async read() {
      const read = known ?? (await virtualMachines.get(group, name, { abortSignal }))
      known = undefined
      return read
    },
    write: (tags, etag) => {
      const guard = etag === undefined ? {} : { ifMatch: etag }
      return virtualMachines
        .update(group, name, { tags }, { abortSignal, updateIntervalInMs: POLL_MS, ...guard })
        .pollUntilDone({ abortSignal })
    },
  }
}
