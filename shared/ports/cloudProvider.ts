import type { Result } from '../base/result.ts'
import type { NodeClaimName } from '../model/ids.ts'
import type { Instance, LaunchCandidate, LaunchRefusal } from '../model/instance.ts'
import type { Labels } from '../model/labels.ts'
import type { NodeClaim } from '../model/nodeClaim.ts'
import type { NodeClass } from '../model/nodeClass.ts'
import type { Problem } from '../model/problem.ts'
import type { DurationMs, EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** The machines of one cluster. Every call may be repeated: a machine is found by the name of its claim. */
export interface CloudProvider {
  /**
   * Starts making the claim's machine and returns once Azure has accepted the request. If a machine of that name exists already, returns it.
   * A refused launch may leave the network interface for the next try of the claim. `terminate` deletes it.
   */
  launch(request: LaunchRequest, signal: AbortSignalLike): Promise<Result<Instance, LaunchRefusal>>
  /**
   * `recent`: may return a machine that is being made or runs as it was some seconds ago, so that looks at many machines share a call. Every other
   * answer is as of now.
   */
  get(claim: NodeClaimName, signal: AbortSignalLike, asOf?: 'recent'): Promise<Instance | undefined>
  list(signal: AbortSignalLike): Promise<readonly Instance[]>
  /** Requests the deletion of the machine and of its network interface. Returns `gone` once Azure has neither. */
  terminate(claim: NodeClaimName, signal: AbortSignalLike): Promise<'terminating' | 'gone'>
  /**
   * Requests the restart of the claim's machine, and returns once Azure has accepted the request. The machine keeps its host and its disk. Each call
   * restarts the machine, so the caller must remember that it asked. AZURE.FORBIDDEN or AZURE.FAILED: Azure does not restart this machine, and another
   * try is of no use. Anything else is thrown as a Fault. If its problem has a `status` of 400 to 499, Azure restarts nothing for this request.
   */
  restart(claim: NodeClaimName, signal: AbortSignalLike): Promise<Result<'restarting' | 'gone', Problem>>
  /** Returns why no machine of the cluster can be restarted, as AZURE.FORBIDDEN. Restarts nothing. Undefined if they can, or if Azure does not say. */
  restartProblem(signal: AbortSignalLike): Promise<Problem | undefined>
  /** Returns the network interfaces of this cluster whose machine does not exist. */
  listOrphanInterfaces(signal: AbortSignalLike): Promise<readonly OrphanInterface[]>
  deleteInterface(name: string, signal: AbortSignalLike): Promise<void>
  /**
   * Brings the tags of the claim's machine and of the resources that belong to it to those of a new machine. Returns `gone` if there is no machine. If
   * the call fails, some of the resources may have their tags.
   */
  updateTags(request: TagRequest, signal: AbortSignalLike): Promise<'updated' | 'gone'>
  /**
   * Returns what is known of the subnet of the class. `problem`: why machines cannot be put into it, as NODECLASS.INVALID, AZURE.NOT_FOUND,
   * AZURE.FORBIDDEN or AZURE.SUBNET_FULL. `room`: for how many machines it had addresses when it was read. Answers are cached for minutes.
   */
  subnetState(nodeClass: NodeClass, signal: AbortSignalLike): Promise<SubnetState>
  /**
   * Returns why disks cannot be encrypted with the set of the cluster, as AZURE.NOT_FOUND or AZURE.FORBIDDEN. Undefined if they can, if there is no set,
   * or if Azure does not say. Answers are cached.
   */
  encryptionProblem(signal: AbortSignalLike): Promise<Problem | undefined>
}

export type SubnetState = { readonly problem?: Problem | undefined; readonly room?: SubnetRoom | undefined }

/** Machines that were made since `at` are not counted. */
export type SubnetRoom = { readonly subnet: string; readonly machines: number; readonly at: EpochMs }

export type LaunchRequest = {
  readonly claim: NodeClaim
  readonly nodeClass: NodeClass
  readonly candidate: LaunchCandidate
  /** Called only if the machine does not exist yet. */
  readonly bootstrapToken: () => Promise<string>
  /** The call gives up after this time, as if its signal had been aborted. Then another process may launch the claim. */
  readonly within: DurationMs
  /** Called when a part of the machine has been made, with the time at which making it began. Not called for a machine that existed already. */
  readonly made?: (part: 'nic' | 'vm', from: EpochMs) => void
}

/** `before`: the tags of users that were written last. Those that are not wanted any more are removed. All other tags stay. */
export type TagRequest = { readonly claim: NodeClaim; readonly nodeClass: NodeClass; readonly before: Labels }

export type OrphanInterface = { readonly name: string; readonly claim: NodeClaimName; readonly createdAt?: EpochMs }
