import type { CreateClaim } from '../../../model/decision.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { refOf } from '../../../model/podRef.ts'
import type { Plan } from '../candidates/plan.ts'
import { claimForms } from '../decision/claimForm.ts'
import { claimNames, draftClaim } from '../decision/draft.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import { isOfPods, type LeavingPods } from './placedPods.ts'
import type { RelocationProblem } from './relocationProblem.ts'

/**
 * Returns a function that makes the claims of a try as they would be created, with names from the number `first` on. Undefined if strict `minValues` leave
 * one of them without sizes.
 */
export function claimMaker({ problem: { context, isTaken } }: RelocationProblem) {
  const nameOf = sameNames(claimNames(context, isTaken))
  const formOf = claimForms(context)
  return (plan: Plan, moving: readonly LeavingPods[], first: number): readonly CreateClaim[] | undefined => {
    const drafted = plan.bins.map((bin, at) => {
      const pods = podsIn(bin, plan, moving.filter(isOfPods)).map(refOf)
      return draftClaim(bin, formOf(bin), nameOf(bin.narrowedTemplate.template.pool.name, first + at), { pods, buffers: [] }, context)
    })
    const claims = drafted.flatMap((each) => ('action' in each ? [each.action] : []))
    return claims.length === drafted.length ? claims : undefined
  }
}

/** Remembers names, so that a try that is undone and made again has the same names. */
function sameNames(nameOf: ReturnType<typeof claimNames>): ReturnType<typeof claimNames> {
  const known = new Map<string, NodeClaimName>()
  return (pool, index) => {
    const name = known.get(`${index} ${pool}`) ?? nameOf(pool, index)
    known.set(`${index} ${pool}`, name)
    return name
  }
}

/** The pods in the bin. Pods of a class take the places of their class in the order in which these were found. */
function podsIn(bin: Bin, { log }: Plan, moving: readonly LeavingPods[]): readonly Pod[] {
  const pods = Map.groupBy(moving, ({ podClass }) => podClass)
  const next = new Map<PodClass, number>()
  const found: Pod[] = []
  for (const { host, podClass, count } of log) {
    const from = next.get(podClass) ?? 0
    next.set(podClass, from + count)
    if (host !== bin) continue
    const own = (pods.get(podClass) ?? []).flatMap(({ share }) => share.pods)
    for (const pod of own.slice(from, from + count)) found.push(pod)
  }
  return found
}
