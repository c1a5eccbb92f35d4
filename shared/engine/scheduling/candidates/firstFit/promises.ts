import { byKey, inOrder } from '../../../../base/order.ts'
import type { Nomination } from '../../../../model/clusterSnapshot.ts'
import type { NodeClaimName, Uid } from '../../../../model/ids.ts'
import { allowances } from '../../model/neighbours/rules.ts'
import type { Target } from '../../model/nodes/target.ts'
import type { PodClass } from '../../model/pods/podClass.ts'
import type { Occasion } from '../../snapshot/occasion.ts'
import type { Plan } from '../plan.ts'
import { takeTarget } from './firstFit.ts'
import { tryTarget } from './place.ts'

/** Puts every pod where an earlier decision promised it would go, as long as it still may; answers who was kept to what. */
export function keepPromises(plan: Plan, classes: readonly PodClass[], occasion: Occasion): ReadonlyMap<Uid, Target> {
  const kept = new Map<Uid, Target>()
  const promised = promises(plan.targets, occasion)
  if (promised.size === 0) return kept
  for (const podClass of classes) {
    for (const pod of podClass.pods()) {
      const target = promised.get(pod.uid)
      if (target !== undefined && keep(plan, podClass, target)) kept.set(pod.uid, target)
    }
  }
  return kept
}

function keep(plan: Plan, podClass: PodClass, target: Target): boolean {
  const variant = podClass.variants.find(
    (each) => tryTarget(target, podClass, each, allowances(podClass, each), plan.commitment) === 'fits',
  )
  if (variant === undefined) return false
  takeTarget(plan, target, podClass, variant, 1, { isPromise: true })
  plan.left.set(podClass, (plan.left.get(podClass) ?? 0) - 1)
  return true
}

/** The place each pod was promised, by pod uid. Order of the promises does not count: the latest wins, then the name. */
function promises(targets: readonly Target[], { nominations, takenAt }: Occasion): ReadonlyMap<Uid, Target> {
  const live = nominations.filter((each) => each.until > takenAt).sort(byPromise)
  if (live.length === 0) return new Map()
  const byClaim = new Map<NodeClaimName | undefined, Target>(targets.map((target) => [target.claim, target]))
  return new Map(
    live.flatMap(({ pod, claim }) => {
      const target = byClaim.get(claim)
      return target === undefined ? [] : [[pod, target] as const]
    }),
  )
}

const byPromise = inOrder<Nomination>(
  (first, second) => first.until - second.until,
  byKey((each) => each.claim),
)
