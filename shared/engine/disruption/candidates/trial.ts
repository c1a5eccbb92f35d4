/** Tells candidates apart as far as tries to move their pods do. */
import { isSame } from '../../../base/values.ts'
import type { Pod } from '../../../model/pod.ts'
import { areReplicas } from '../../scheduling/model/pods/podReplicas.ts'
import type { CandidateWithCost } from './candidate.ts'

/** The same object for candidates that end alike in every try. `node`: the name of their node. */
export type Trial = { readonly node: string }

/** The trial of a candidate. It is that of the candidate that the same machine was before, if tries cannot tell them apart. */
export function trialOf(after: CandidateWithCost, before: (CandidateWithCost & { readonly trial: Trial }) | undefined): Trial {
  return before !== undefined && isAlike(before, after) ? before.trial : { node: after.machine.name }
}

/** Reports whether the candidates differ only in what no try reads: annotations and status of pods, times, conditions. */
function isAlike(first: CandidateWithCost, second: CandidateWithCost): boolean {
  return (
    first.machine.name === second.machine.name &&
    first.claim.name === second.claim.name &&
    first.pool === second.pool &&
    first.cost === second.cost &&
    isSame(first.choice, second.choice) &&
    areAlike(first.pods, second.pods)
  )
}

function areAlike(first: readonly Pod[], second: readonly Pod[]): boolean {
  if (first.length !== second.length) return false
  const byUid = new Map(first.map((pod) => [pod.uid, pod]))
  return second.every((pod) => {
    const before = byUid.get(pod.uid)
    return before !== undefined && (before === pod || isAlikePod(before, pod))
  })
}

function isAlikePod(first: Pod, second: Pod): boolean {
  return first.key === second.key && (first.deletedAt === undefined) === (second.deletedAt === undefined) && areReplicas(first, second)
}
