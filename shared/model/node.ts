import type { Condition } from './condition.ts'
import type { NodeName, ProviderId } from './ids.ts'
import type { Meta } from './meta.ts'
import type { Resources } from './resources.ts'
import type { Taint } from './taint.ts'

export type Node = {
  readonly name: NodeName
  readonly meta: Meta
  readonly providerId?: ProviderId
  readonly taints: readonly Taint[]
  readonly unschedulable: boolean
  readonly capacity: Resources
  readonly allocatable: Resources
  /** Without the heartbeat: a condition's time moves only when its status does. */
  readonly conditions: readonly Condition[]
}
