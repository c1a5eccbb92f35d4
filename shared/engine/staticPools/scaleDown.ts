import { byKey, inOrder } from '../../base/order.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { EpochMs } from '../../model/units.ts'
import { evictionCost, lifetimeRemaining } from '../pod/evictionCost.ts'
import { isDaemonPod, isDoNotDisrupt, isMirrorPod } from '../pod/podPredicates.ts'
import type { Member } from './members.ts'

type There = NonNullable<Member['there']>

/**
 * Picks the machines to end: first claims without a machine, then machines with daemons alone, then other machines by the cost of moving their pods
 * times the share of their lifetime that is left, and last machines that must not be disrupted. A claim that the watch has not shown goes first as
 * well, as soon as the watch shows it.
 */
export function surplusOf(active: readonly Member[], count: number, now: EpochMs): readonly There[] {
  const unseen = active.filter(({ there }) => there === undefined).length
  const ranked = active
    .flatMap(({ there }) => (there === undefined ? [] : [{ there, ...rankOf(there, now) }]))
    .sort(
      inOrder(
        (first, second) => first.stage - second.stage,
        (first, second) => first.cost - second.cost,
        byKey(({ there }) => there.claim.name),
      ),
    )
  return ranked.slice(0, Math.max(0, count - unseen)).map(({ there }) => there)
}

const STAGE = { unlaunched: 0, empty: 1, busy: 2, held: 3 } as const

function rankOf({ claim, machine }: There, now: EpochMs): { readonly stage: number; readonly cost: number } {
  if (claim.status.providerId === undefined) return { stage: STAGE.unlaunched, cost: 0 }
  const { pods, node } = machine
  const cost = pods.reduce((sum, pod) => sum + evictionCost(pod), 0) * lifetimeRemaining(claim, now)
  if (node?.meta.annotations[ANNOTATION.doNotDisrupt] === 'true' || pods.some((pod) => isDoNotDisrupt(pod, now))) {
    return { stage: STAGE.held, cost }
  }
  const isEmpty = pods.every((pod) => isDaemonPod(pod) || isMirrorPod(pod))
  return isEmpty ? { stage: STAGE.empty, cost: 0 } : { stage: STAGE.busy, cost }
}
