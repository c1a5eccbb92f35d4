import { byKey, inOrder } from '../../base/order.ts'
import type { ClusterSnapshot, Nomination } from '../../model/clusterSnapshot.ts'
import type { Uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import type { PodGroup } from './podGroups.ts'
import { putOn, type Target } from './targets.ts'

export type Placement = { readonly pod: Pod; readonly target: Target }

export type TargetPlan = {
  readonly placed: readonly Placement[]
  /** Pods that need a new claim, in queue order; groups without any are left out. */
  readonly left: ReadonlyMap<PodGroup, readonly Pod[]>
}

/** Fills what is there: first every pod where it was promised to go, then group after group, place after place. */
export function placeOnTargets(targets: readonly Target[], groups: readonly PodGroup[], snapshot: ClusterSnapshot): TargetPlan {
  const placed: Placement[] = []
  const promised = promises(targets, snapshot)
  const rest = groups.map((group) => [group, keepPromises(group, promised, placed)] as const)
  const left = new Map<PodGroup, readonly Pod[]>()
  for (const [group, pods] of rest) {
    let next = 0
    for (const target of targets) {
      if (next >= pods.length) break
      const count = putOn(target, group, pods.length - next)
      for (const pod of pods.slice(next, next + count)) placed.push({ pod, target })
      next += count
    }
    if (next < pods.length) left.set(group, pods.slice(next))
  }
  return { placed, left }
}

/** The place each pod was promised, by pod uid. Order of the promises does not count: the latest wins, then the name. */
function promises(targets: readonly Target[], { nominations, takenAt }: ClusterSnapshot): ReadonlyMap<Uid, Target> {
  const byClaim = new Map(targets.map((target) => [target.claim, target]))
  const live = nominations.filter((each) => each.until > takenAt).sort(byPromise)
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

/** Places the pods of the group whose promise can be kept; answers the others. */
function keepPromises(group: PodGroup, promised: ReadonlyMap<Uid, Target>, placed: Placement[]): readonly Pod[] {
  if (promised.size === 0) return group.pods
  return group.pods.filter((pod) => {
    const target = promised.get(pod.uid)
    if (target === undefined || putOn(target, group, 1) === 0) return true
    placed.push({ pod, target })
    return false
  })
}
