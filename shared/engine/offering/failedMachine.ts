/** What is avoided after a machine that Azure took and that never became a node. */
import { isSame } from '../../base/isSame.ts'
import type { VmSizeName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import { forClass } from './classRefusals.ts'

/** One machine may fail by chance. The next machine is of another size, if there is one. */
const FIRST = durationMs(2 * 60_000)
/** A size of which two machines failed is left out. A third machine would be paid for until it fails, too. */
const SECOND = durationMs(60 * 60_000)
/** How long a NodeClass makes no machine after a failure that no other size can avoid. */
const REST = durationMs(60_000)

type Failed = { readonly size: VmSizeName; readonly code: ProblemCode; readonly message: string }
type Known = { readonly nodeClass: NodeClass | undefined; readonly unavailable: readonly UnavailableOffering[]; readonly now: EpochMs }

/**
 * The size of the machine, in all zones, for its NodeClass: the image or the settings of the NodeClass may be the cause. `message` names the machine,
 * so that one failure that is looked at twice is not a second one.
 */
export function failedBoot({ size, code, message }: Failed, { nodeClass, unavailable, now }: Known): readonly UnavailableOffering[] {
  if (nodeClass === undefined) return []
  const first = forClass({ scope: { kind: 'offering', size }, until: later(now, FIRST), code, message }, nodeClass)
  const isSecond = unavailable.some((each) => isSame(each.scope, first.scope) && each.message !== message)
  return [isSecond ? { ...first, until: later(now, SECOND) } : first]
}

/** Reports whether a failure after the acceptance says that the size does not boot, and not that Azure lacks something. */
export function isFailedBoot({ unavailable, then }: LaunchRefusal): boolean {
  return unavailable.length === 0 && then !== 'stop'
}

/** What a failure after the acceptance blocks. A failure that says nothing about capacity is a failed boot of the size, or concerns all sizes. */
export function failedLate(refusal: LaunchRefusal, { size, message }: Omit<Failed, 'code'>, known: Known): readonly UnavailableOffering[] {
  const { unavailable, problem } = refusal
  if (unavailable.length > 0) return unavailable
  if (isFailedBoot(refusal)) return failedBoot({ size, code: problem.code, message }, known)
  const { nodeClass, now } = known
  if (nodeClass === undefined) return []
  const until = later(now, durationMs(problem.retryAfterMs ?? REST))
  return (['spot', 'on-demand'] as const).map((capacityType) =>
    forClass({ scope: { kind: 'capacityType', capacityType }, until, code: problem.code, message }, nodeClass),
  )
}
