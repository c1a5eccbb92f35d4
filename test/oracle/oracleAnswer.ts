import type { NodePoolName, ObjectKey, VmSizeName, ZoneName } from '../../shared/model/ids.ts'
import type { CapacityType } from '../../shared/model/instanceType.ts'
import type { Pod, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import type { Requirements } from '../../shared/model/requirements.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { MicroUsdPerHour } from '../../shared/model/units.ts'

/** `upstream`: as Karpenter does, its known oddities included. `fixed`: what it evidently means, so that kube-scheduler agrees. */
export type Quirks = 'upstream' | 'fixed'

export type OracleOptions = {
  readonly quirks?: Quirks
  /** Labels a pod may ask for although its pool says nothing about them. Absent: the product's. */
  readonly wellKnown?: ReadonlySet<string>
  /** Constraints of the cluster's defaults for a pod that has none of its own. */
  readonly defaultSpread?: (pod: Pod) => readonly TopologySpreadConstraint[]
  /** Of open claims with equally many pods, which is offered the pod first; by the first pod of the claim. Absent: the one opened first. */
  readonly prefersClaim?: (pod: ObjectKey, firstOfClaim: ObjectKey) => boolean
}

export type OracleAnswer = {
  readonly unplaced: ReadonlyMap<ObjectKey, string>
  /** Name of a node, or of a claim or draft without one, to the pods put on it, in order. Absent: none. */
  readonly targets: ReadonlyMap<string, readonly ObjectKey[]>
  readonly claims: readonly OracleClaim[]
  /** Sum over the claims of the cheapest machine each may become. */
  readonly price: MicroUsdPerHour
}

export type OracleClaim = {
  readonly pool: NodePoolName
  /** In order of placement. */
  readonly pods: readonly ObjectKey[]
  /** Without the host name and what only helps to simulate. */
  readonly requirements: Requirements
  /** Every size that would serve, cheapest first. */
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
