import type { NodePoolName, ObjectKey, VmSizeName, ZoneName } from '../../shared/model/ids.ts'
import type { CapacityType } from '../../shared/model/instanceType.ts'
import type { Pod, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import type { Requirements } from '../../shared/model/requirements.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { MicroUsdPerHour } from '../../shared/model/units.ts'

/** `upstream`: as Karpenter does, with its known quirks. `fixed`: as Karpenter evidently intends, in agreement with kube-scheduler. */
export type Quirks = 'upstream' | 'fixed'

export type OracleOptions = {
  readonly quirks?: Quirks
  /** Labels that a pod may select although its pool does not define them. Absent: Joiner's set. */
  readonly wellKnown?: ReadonlySet<string>
  /** The default spread constraints of the cluster for a pod without its own. */
  readonly defaultSpread?: (pod: Pod) => readonly TopologySpreadConstraint[]
  /** Breaks ties among open claims with equally many pods, by the first pod of each claim. Absent: the claim opened first gets the pod first. */
  readonly prefersClaim?: (pod: ObjectKey, firstOfClaim: ObjectKey) => boolean
}

export type OracleAnswer = {
  readonly unplaced: ReadonlyMap<ObjectKey, string>
  /** Maps the name of a node, or of a claim or draft without a node, to its new pods, in order. Targets without new pods are absent. */
  readonly targets: ReadonlyMap<string, readonly ObjectKey[]>
  readonly claims: readonly OracleClaim[]
  /** The sum of the cheapest prices of the claims. */
  readonly price: MicroUsdPerHour
}

export type OracleClaim = {
  readonly pool: NodePoolName
  /** In the order of placement. */
  readonly pods: readonly ObjectKey[]
  /** Without the host name and without labels for the simulation only. */
  readonly requirements: Requirements
  /** Every size that would serve, the cheapest first. */
  readonly instanceTypes: readonly VmSizeName[]
  readonly cheapest?: CheapestMachine
  readonly requests: Resources
}

export type CheapestMachine = {
  readonly type: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  readonly price: MicroUsdPerHour
}
