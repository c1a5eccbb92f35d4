/** The machines whose nodes have conditions that ask for a repair. */
import { isSame } from '../../base/values.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, type NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import { isRebooting, rebootedAt } from '../../model/reboot.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairPolicy, type ResolvedRepair } from '../../model/repairPolicy.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { createFindings, type Finding } from '../cluster/findings.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { createRepairMatcher, type RepairMatcher } from '../cluster/repairPolicies.ts'
import { isInReboot, type StateNode } from '../cluster/stateNode.ts'

/** A machine that is to be repaired from now on. */
export type SickMachine = {
  readonly machine: StateNode
  readonly node: Node
  readonly claim: NodeClaim
  readonly repair: ResolvedRepair
}

export type SickMachines = {
  readonly due: readonly SickMachine[]
  /** When the next machine is to be repaired. Undefined if none is. */
  readonly wakeAt?: EpochMs
  /** Reports whether some policy is about a condition of the node, for however short a time. */
  readonly isSick: (machine: StateNode) => boolean
  /** Reports whether the node counts: it was ready once, or is to be repaired. One that comes up says nothing about the health of the others. */
  readonly isCounted: (machine: StateNode) => boolean
}

/** Returns a function that finds the machines to repair. Only machines that change, or whose time comes, are looked at again. */
export function createSickMachines(): (snapshot: FleetSnapshot) => SickMachines {
  let followed = follow(DEFAULT_REPAIR_POLICIES, false)
  return (snapshot) => {
    const policies = snapshot.settings.repairPolicies ?? DEFAULT_REPAIR_POLICIES
    const isLegacy = snapshot.settings.nodeRepair === 'legacy'
    if (followed.isLegacy !== isLegacy || !isSame(followed.policies, policies)) followed = follow(policies, isLegacy)
    const { matcher, findings } = followed
    const { found, wakeAt } = findings(snapshot.fleet, snapshot.takenAt, (each) => sickMachineOf(each, matcher, snapshot.takenAt, isLegacy))
    const due = new Set(found.map(({ machine }) => machine))
    return {
      due: found,
      ...(wakeAt === undefined ? {} : { wakeAt }),
      isSick: ({ node }) => node !== undefined && matcher.isSick(node),
      isCounted: (machine) => machine.node !== undefined && (machine.isInitialized || due.has(machine) || isInReboot(machine)),
    }
  }
}

/** The rules of 1.14 know no action but the replacement. */
function follow(policies: readonly RepairPolicy[], isLegacy: boolean) {
  const matcher = createRepairMatcher(isLegacy ? policies.filter(({ action }) => action === 'ReplaceNode') : policies)
  return { policies, isLegacy, matcher, findings: createFindings<SickMachine>() }
}

/** A machine that never registered is left to the time-out of its claim, one that is being deleted to its deadline, one that is rebooted to its reboot. */
function sickMachineOf(machine: StateNode, matcher: RepairMatcher, now: EpochMs, isLegacy: boolean): Finding<SickMachine> {
  const { node, claim } = machine
  if (node === undefined || claim === undefined || !isOurs(claim.spec.nodeClassRef)) return {}
  if (isLegacy ? !machine.isInitialized : node.meta.labels[LABEL.registered] !== 'true') return {}
  if (isRebooting(claim) || (claim.meta.deletedAt !== undefined && deadlineOf(claim) !== undefined)) return {}
  const matches = matcher.matchesOf(node, rebootedAt(claim) ?? NEVER)
  const repair = matcher.resolve(matches, now)
  if (repair !== undefined) return { found: { machine, node, claim, repair } }
  const next = matcher.nextAt(matches, now)
  return next === undefined ? {} : { until: next, wakeAt: next }
}

/** The beginning of time, for a node that was not rebooted. */
const NEVER = epochMs(0)

/** The condition that asks for the repair, as `Ready=False`, and what it says. */
export function faultOf({ condition: { type, status, message } }: ResolvedRepair): string {
  return `${type}=${status}${message === '' ? '' : `: ${message}`}`
}

export function conditionOf({ condition: { type, status } }: ResolvedRepair): string {
  return `${type}=${status}`
}
