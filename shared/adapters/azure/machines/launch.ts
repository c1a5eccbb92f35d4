import { InternalError } from '../../../base/internalError.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import { instanceNameOf } from '../../../model/ids.ts'
import type { Instance, LaunchRefusal } from '../../../model/instance.ts'
import { ANNOTATION, HYPERV_GENERATION_LABEL } from '../../../model/labels.ts'
import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { LaunchRequest } from '../../../ports/cloudProvider.ts'
import { armFailure } from '../armFailure.ts'
import { customData } from '../bootstrap/customData.ts'
import { type LaunchAttempt, launchRefusal } from '../errors/launchRefusal.ts'
import { chooseImage } from '../images/imageChoice.ts'
import { platformSignal } from '../platformSignal.ts'
import { archOf } from '../sizes/archOf.ts'
import { ephemeralPlacement } from '../sizes/ephemeralDisk.ts'
import { azureFault } from './azureFault.ts'
import { findMachine, machineOfClaim } from './findMachine.ts'
import { instanceOf, providerIdOf } from './instanceOf.ts'
import { interfaceBody } from './interfaceBody.ts'
import { deleteInterfaceNow, putInterface } from './interfaces.ts'
import { machineBody } from './machineBody.ts'
import type { MachineDeps } from './machineDeps.ts'
import { machineNamesOf } from './machineNames.ts'
import { machineTags } from './tags.ts'

/** A type that does not say takes either. */
const ANY_GENERATION = ['1', '2']

/**
 * Makes the claim's machine, or finds the one an earlier launch made. Order: look, interface, machine; the machine's own
 * operation is begun and followed by others. The first launch of a claim has nothing to look for; should there be a machine all the same, it is not
 * changed, and found then. A refused machine takes its interface with it; when that fails as well the
 * interface is found by name at the next try, or collected as an orphan.
 */
export async function launch(deps: MachineDeps, request: LaunchRequest, outer: AbortSignalLike): Promise<Result<Instance, LaunchRefusal>> {
  const signal = platformSignal(outer, request.within)
  const name = instanceNameOf(request.claim.name, machineNamesOf(deps.config))
  const existing = isFirst(request) ? undefined : await machineOfClaim(deps, request.claim.name, signal)
  if (existing !== undefined) return ok(existing)
  const named = imageOf(deps, request)
  if (named === undefined) return err(noImage(request, name))
  const bootable = bootDataOf(deps, request, STAND_IN_TOKEN)
  if (!bootable.ok) return err({ problem: bootable.error, unavailable: [], then: 'stop' })
  const startedAt = deps.clock.now()
  deps.telemetry.measure('azure.first_call', startedAt - request.claim.meta.createdAt, { claim: request.claim.name })
  const tags = machineTags(request.claim, request.nodeClass, deps.config)
  const { instanceType } = request.candidate
  try {
    const body = interfaceBody(name, { instanceType, nodeClass: request.nodeClass, config: deps.config, tags })
    const image = await deps.pinImage(named, signal)
    if (image === undefined) return err(noImage(request, name))
    const [interfaceId, token, facts] = await Promise.all([
      putInterface(deps, name, body, signal),
      request.bootstrapToken(),
      deps.sizes.sizeFacts(instanceType.name, signal),
    ])
    const interfaceAt = deps.clock.now()
    deps.telemetry.measure('azure.interface', interfaceAt - startedAt, { claim: request.claim.name })
    request.made?.('nic', startedAt)
    const bootData = bootDataOf(deps, request, token)
    if (!bootData.ok) throw new InternalError(`launch ${name}: ${bootData.error.message}`)
    const vm = machineBody({
      name,
      request,
      config: deps.config,
      tags,
      interfaceId,
      imageId: image,
      customData: bootData.value,
      diskPlacement: ephemeralPlacement(facts?.disk, request.nodeClass.spec.osDiskSizeGb),
    })
    const { virtualMachines } = await deps.clients.compute()
    // Never a change of a machine that another try made: it would be told another's token and disks.
    await virtualMachines.createOrUpdate(deps.config.nodeResourceGroup, name, vm, { abortSignal: signal, ifNoneMatch: '*' }).submitted()
    request.made?.('vm', interfaceAt)
    deps.telemetry.measure('azure.machine_accepted', deps.clock.now() - startedAt, { claim: request.claim.name, size: instanceType.name })
    return ok(begun(deps, request, name, image, vm.tags))
  } catch (error) {
    return refused(deps, request, name, error, signal)
  }
}

/** Whoever launches a claim says so on it first, and how often that was said. */
function isFirst({ claim }: LaunchRequest): boolean {
  return claim.meta.annotations[ANNOTATION.launches] === '1'
}

/** A class that no machine can be booted with is refused before anything is made, its token too. */
const STAND_IN_TOKEN = 'standi.ntokenstandintok'

function bootDataOf(
  { config }: MachineDeps,
  { claim, nodeClass, candidate }: LaunchRequest,
  bootstrapToken: string,
): ReturnType<typeof customData> {
  return customData({ claim, nodeClass, candidate, config, bootstrapToken })
}

/** What the failure means; another launch of the same claim that came first is adopted after all. */
async function refused(
  deps: MachineDeps,
  request: LaunchRequest,
  name: string,
  error: unknown,
  signal: AbortSignalLike,
): Promise<Result<Instance, LaunchRefusal>> {
  if (error instanceof Fault) throw error // a neighbour's failure, for example of the API server: it says nothing about the size
  const failure = armFailure(error)
  const refusal = launchRefusal(failure, attemptOf(request), deps.clock.now(), `nodeclaim/${request.claim.name}`)
  if (refusal?.problem.code === 'AZURE.PROPERTY_CHANGE') {
    const theirs = await findMachine(deps, name, signal)
    if (theirs !== undefined) return ok(theirs)
  }
  if (signal.aborted || refusal === undefined) throw azureFault(`launch ${name}`, error, signal)
  await deleteInterfaceNow(deps, name, signal)
  return err(refusal)
}

function attemptOf({ candidate }: LaunchRequest): LaunchAttempt {
  const { choice, instanceType } = candidate
  const zones = [...new Set(instanceType.offerings.map((offering) => offering.zone))]
  return {
    size: choice.size,
    zone: choice.zone,
    capacityType: choice.capacityType,
    family: instanceType.family,
    cpus: instanceType.cpus,
    zones,
  }
}

function imageOf(deps: MachineDeps, { nodeClass, candidate }: LaunchRequest): string | undefined {
  const generations =
    candidate.instanceType.requirements.find((requirement) => requirement.key === HYPERV_GENERATION_LABEL)?.values ?? ANY_GENERATION
  return chooseImage(nodeClass, deps.config, { arch: archOf(candidate.instanceType), generations })
}

function noImage(request: LaunchRequest, name: string): LaunchRefusal {
  const object = `nodeclaim/${request.claim.name}`
  const message = `${object}: nodeclass ${request.nodeClass.name} has no image for ${request.candidate.choice.size} (machine ${name}); choose another image family or size`
  return { problem: problem('AZURE.IMAGE_NOT_FOUND', message, { object }), unavailable: [], then: 'next' }
}

/** The machine as it was asked for: known without asking again. */
function begun(
  deps: MachineDeps,
  request: LaunchRequest,
  name: string,
  imageId: string,
  tags: Record<string, string> | undefined,
): Instance {
  const { choice } = request.candidate
  const vm = { name, location: deps.config.location, hardwareProfile: { vmSize: choice.size }, ...(tags === undefined ? {} : { tags }) }
  const shown = instanceOf(vm, deps.config, { kind: 'creating' })
  return {
    ...shown,
    name,
    claim: request.claim.name,
    providerId: providerIdOf(deps.config, name),
    size: choice.size,
    zone: choice.zone,
    capacityType: choice.capacityType,
    imageId,
    createdAt: deps.clock.now(),
    state: { kind: 'creating' },
  }
}
