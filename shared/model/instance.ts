import type { NodeClaimName, NodePoolName, ProviderId, VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType } from './instanceType.ts'
import type { Labels } from './meta.ts'
import type { Problem } from './problem.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import type { EpochMs } from './units.ts'

/** The Azure VM behind a claim, as last seen. */
export type Instance = {
  readonly name: string
  readonly claim: NodeClaimName
  readonly nodePool?: NodePoolName
  readonly providerId: ProviderId
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  readonly imageId?: string
  /** Kubernetes version that the launch asked for. Undefined for a machine that was found in Azure, which does not tell. */
  readonly kubernetesVersion?: string
  readonly createdAt?: EpochMs
  /** Tags of users that the launch asked for. Undefined for a machine that was found in Azure, where they are among other tags. */
  readonly tags?: Labels
  readonly state: InstanceState
}

export type InstanceState =
  | { readonly kind: 'creating' }
  | { readonly kind: 'running' }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'failed'; readonly refusal: LaunchRefusal }

/** Why Azure refused the machine, and which offerings are blocked for a while as a result. */
export type LaunchRefusal = {
  readonly problem: Problem
  readonly unavailable: readonly UnavailableOffering[]
  /**
   * Blocked for the NodeClass of this claim only. The refusal may be about a tag, an image or a right, so that it is not shared with other
   * NodeClasses and clusters.
   */
  readonly own?: readonly UnavailableOffering[]
  /** `next`: try the next candidate now. `retry`: the same candidate may work later. `stop`: a person has to act. */
  readonly then: 'next' | 'retry' | 'stop'
}
