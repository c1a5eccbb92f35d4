import type { Labels } from '../../../../model/meta.ts'
import type { Taint } from '../../../../model/taint.ts'

/** Machines that differ in nothing but their names are of one kind. */
export type MachineKind = {
  /** The labels of one machine of the kind. */
  readonly labels: Labels
  readonly taints: readonly Taint[]
  /** A cache of answers, by the id of the constraint, for constraints that select no host name. */
  readonly accepted: Map<number, boolean>
}
