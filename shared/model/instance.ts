import type { NodeClaimName, NodePoolName, ProviderId, VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType } from './instanceType.ts'
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
  readonly createdAt?: EpochMs
  readonly state: InstanceState
}

export type InstanceState =
  | { readonly kind: 'creating' }
  | { readonly kind: 'running' }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'failed'; readonly refusal: LaunchRefusal }

/** Why Azure would not make the machine, and which offerings that rules out for a while. */
export type LaunchRefusal = {
  readonly problem: Problem
  readonly unavailable: readonly UnavailableOffering[]
  /** Ruled out for this claim's launch only: what Azure said may be about a tag or a right of this cluster, so nobody else is told. */
  readonly own?: readonly UnavailableOffering[]
  /** `next`: try the next candidate now. `retry`: the same may work later. `stop`: nothing will help until somebody acts. */
  readonly then: 'next' | 'retry' | 'stop'
}
