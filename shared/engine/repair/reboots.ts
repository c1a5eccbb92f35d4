/** The repair of a machine by a reboot of its node in place. */
import { defined } from '../../base/values.ts'
import type { RebootClaim } from '../../model/decision.ts'
import { whyNoReboot } from '../../model/reboot.ts'
import type { EpochMs } from '../../model/units.ts'
import type { SickCandidate } from './repairHolds.ts'
import { conditionOf, faultOf, type SickMachine } from './sickMachines.ts'

/** Reports whether the machine is repaired by a reboot: its policy asks for one, and the last ones do not forbid it. */
export function isRebooted({ claim, repair }: SickMachine, now: EpochMs): boolean {
  return repair.action === 'RebootNode' && whyNoReboot(claim, now) === undefined
}

/** The fault of the machine, and why it is replaced if its policy asks for a reboot. */
export function faultOfMove({ claim, repair }: SickMachine, now: EpochMs): string {
  const why = repair.action === 'RebootNode' ? whyNoReboot(claim, now) : undefined
  return why === undefined ? faultOf(repair) : `${faultOf(repair)}; it is not rebooted: ${why}`
}

/** The bound of the policies, or that of the claim. */
export function rebootOf({ sick: { claim, repair }, candidate }: SickCandidate): RebootClaim {
  const { type, reason } = repair.condition
  return defined({
    kind: 'rebootClaim' as const,
    claim: claim.name,
    uid: claim.meta.uid,
    because: `${type}/${reason}`,
    condition: conditionOf(repair),
    terminationGracePeriod: repair.terminationGracePeriod ?? claim.spec.terminationGracePeriod,
    pods: candidate.pods.length,
  })
}
