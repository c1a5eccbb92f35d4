import { err, ok, type Result } from '../../../base/result.ts'
import { instanceNameOf } from '../../../model/ids.ts'
import { type Instance, type LaunchRefusal, userTags } from '../../../model/instance.ts'
import { ANNOTATION, HYPERV_GENERATION_LABEL } from '../../../model/labels.ts'
import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { LaunchRequest } from '../../../ports/cloudProvider.ts'
import { armFailure } from '../armFailure.ts'
import { bootScript, customData, STAND_IN_TOKEN } from '../bootstrap/customData.ts'
import type { LaunchAttempt } from '../errors/blockedScopes.ts'
import { launchRefusal } from '../errors/launchRefusal.ts'
import { chooseImage, kubernetesVersionOf } from '../images/imageChoice.ts'
import { platformSignal } from '../platformSignal.ts'
import { archOf } from '../sizes/archOf.ts'
import { classProblem } from '../sizes/classProblem.ts'
import { osDiskOf } from '../sizes/osDisk.ts'
import { azureFault } from './azureFault.ts'
import { findMachine, machineOfClaim } from './findMachine.ts'
import { instanceOf, providerIdOf } from './instanceOf.ts'
import { deleteInterfaceNow, interfaceFor, type MadeInterface } from './interfaces.ts'
import { machineBody } from './machineBody.ts'
import type { MachineDeps } from './machineDeps.ts'
import { machineNamesOf } from './machineNames.ts'
import { machineTags } from './tags.ts'

/** The generations of an instance type without that requirement. */
const ANY_GENERATION = ['1', '2']

/**
 * Creates the machine of a claim, or finds the machine that an earlier launch created. It looks for the machine, then creates the network interface,
 * and then begins to create the machine. Later steps follow that operation. The first launch of a claim does not look. If a machine exists all the
 * same, it is not changed, and it is found when its creation is refused. If Azure refuses the machine, the interface stays for the next try of the
 * claim. It is deleted with the claim, and the garbage collection finds interfaces that are left over.
 */
export async function launch(deps: MachineDeps, request: LaunchRequest, outer: AbortSignalLike): Promise<Result<Instance, LaunchRefusal>> {
  const signal = platformSignal(outer, request.within)
  const name = instanceNameOf(request.claim.name, machineNamesOf(deps.config))
  const existing = isFirst(request) ? undefined : await machineOfClaim(deps, request.claim.name, signal)
  if (existing !== undefined) return ok(existing)
  const ofClass = classProblem(request.nodeClass, deps.config)
  if (ofClass !== undefined) return err({ problem: ofClass, unavailable: [], then: 'stop' })
  const named = imageOf(deps, request)
  if (named === undefined) return err(noImage(request, name))
  const startedAt = deps.clock.now()
  deps.telemetry.measure('azure.first_call', startedAt - request.claim.meta.createdAt, { claim: request.claim.name })
  const tags = machineTags(request.claim, request.nodeClass, deps.config)
  const { instanceType } = request.candidate
  let made: MadeInterface | undefined
  try {
    const image = await deps.pinImage(named, signal)
    if (image === undefined) return err(noImage(request, name))
    const script = bootScriptOf(deps, request, image)
    if (!script.ok) return err({ problem: script.error, unavailable: [], then: 'stop' })
    const [nic, token, facts] = await Promise.all([
      interfaceFor(deps, name, { instanceType, nodeClass: request.nodeClass, config: deps.config, tags }, signal),
      request.bootstrapToken(),
      deps.sizes.sizeFacts(instanceType.name, signal),
    ])
    const interfaceAt = deps.clock.now()
    deps.telemetry.measure('azure.interface', interfaceAt - startedAt, { claim: request.claim.name })
    request.made?.('nic', startedAt)
    const vm = machineBody({
      name,
      request,
      config: deps.config,
      tags,
      interfaceId: nic.id,
      imageId: image,
      customData: customData(script.value, token),
      disk: facts && osDiskOf(facts.disk, request.nodeClass.spec),
    })
    const { virtualMachines } = await deps.clients.compute()
    made = nic
    // `ifNoneMatch` keeps a machine that another try created from being changed to the token and disks of this try.
    await virtualMachines.createOrUpdate(deps.config.nodeResourceGroup, name, vm, { abortSignal: signal, ifNoneMatch: '*' }).submitted()
    request.made?.('vm', interfaceAt)
    deps.telemetry.measure('azure.machine_accepted', deps.clock.now() - startedAt, { claim: request.claim.name, size: instanceType.name })
    return ok(begun(deps, request, name, image, vm.tags))
  } catch (error) {
    return refused(deps, request, { name, made }, error, signal)
  }
}

/** Reports whether this is the first launch of the claim. Each launch is counted on the claim before it begins. */
function isFirst({ claim }: LaunchRequest): boolean {
  return claim.meta.annotations[ANNOTATION.launches] === '1'
}

/** The boot script, made before anything is created, because a bad value of the NodeClass is found here. */
function bootScriptOf(
  { config }: MachineDeps,
  { claim, nodeClass, candidate }: LaunchRequest,
  imageId: string,
): ReturnType<typeof bootScript> {
  return bootScript({ claim, nodeClass, candidate, config, imageId, bootstrapToken: STAND_IN_TOKEN })
}

/**
 * The refusal that a failure means. If another launch of the same claim was faster, its machine is returned instead.
 * `made`: the interface, if the machine was refused or throttled. It stays for the next try of the claim, unless a person has to act first.
 */
async function refused(
  deps: MachineDeps,
  request: LaunchRequest,
  { name, made }: { readonly name: string; readonly made: MadeInterface | undefined },
  error: unknown,
  signal: AbortSignalLike,
): Promise<Result<Instance, LaunchRefusal>> {
  if (error instanceof Fault) throw error // a failure of another system, for example of the API server, which says nothing about the size
  const failure = armFailure(error)
  const refusal = launchRefusal(failure, attemptOf(request), deps.clock.now(), `nodeclaim/${request.claim.name}`)
  if (refusal?.problem.code === 'AZURE.PROPERTY_CHANGE') {
    const theirs = await findMachine(deps, name, signal)
    if (theirs !== undefined) return ok(theirs)
  }
  if (signal.aborted || refusal === undefined) throw azureFault(`launch ${name}`, error, signal)
  // An interface that was refused is not there to be deleted: each deletion would count against the same limits.
  if (made === undefined) return err(ofInterface(refusal))
  if (refusal.then === 'stop') await deleteInterfaceNow(deps, name, signal)
  if (refusal.then === 'next' || refusal.problem.code === 'AZURE.THROTTLED') deps.kept.keep(name, made.body, made.id)
  return err(refusal)
}

const INTERFACE_RETRY_MS = 15_000

/** The refusal of an interface. An interface has no size, so another size is refused as well. */
function ofInterface(refusal: LaunchRefusal): LaunchRefusal {
  if (refusal.then !== 'next') return refusal
  return { problem: { retryAfterMs: INTERFACE_RETRY_MS, ...refusal.problem }, unavailable: [], then: 'retry' }
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

/** The machine as requested, without another call. */
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
    kubernetesVersion: kubernetesVersionOf(request.nodeClass, deps.config),
    tags: userTags(request.nodeClass, deps.config.additionalTags),
    createdAt: deps.clock.now(),
    state: { kind: 'creating' },
  }
}
