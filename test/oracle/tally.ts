/** The counts of a topology group at the moment when a pod is placed. */

import type { Pod } from '../../shared/model/pod.ts'
import { has, type Requirement, type Requirements } from '../../shared/model/requirements.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { Algebra } from './algebra.ts'
import { type Group, groupSelects, type Tally, takesPart } from './topologyGroup.ts'

/** A place in its current state. The requirements of claims narrow over time. */
export type Place = { readonly of: object; readonly taints: readonly Taint[]; readonly requirements: () => Requirements }

export type Placed = { readonly pod: Pod; readonly place: Place }

/** Karpenter counts once, when a pod is placed. */
export function tallyAsRecorded({ counts }: Group): Tally {
  return { counts, perhaps: NOTHING, here: 0, undecided: 0 }
}

/**
 * Counts the pods of this pass anew, by the current state of their places. A pod in the place in question counts wherever the place ends up, if the
 * pod may have to be bound first.
 */
export function tallyNow(
  group: Group,
  placed: readonly Placed[],
  asking: { readonly pod: Pod; readonly of: object },
  algebra: Algebra,
  wellKnown: ReadonlySet<string>,
): Tally {
  const { constraint } = group
  const counts = new Map(group.counts)
  const perhaps = new Map<string, number>()
  let here = 0
  let undecided = 0
  for (const { pod, place } of placed) {
    if (!groupSelects(group, pod)) continue
    const now = place.requirements()
    const isCertain = takesPart(constraint, place.taints, now, algebra, 'fixed')
    if (!isCertain && !takesPart(constraint, place.taints, now, algebra, 'fixed', wellKnown)) continue
    const at = now.get(constraint.key)
    const domain = at !== undefined && !at.complement && at.values.length === 1 ? at.values[0] : undefined
    const possible = mayBecome(counts.keys(), at, constraint.key, wellKnown)
    if (constraint.kind === 'antiAffinity') raise(counts, possible)
    else if (domain !== undefined) raise(isCertain ? counts : perhaps, [domain])
    else {
      const comesFirst = asksForMore(pod) || asking.pod.podAffinity.required.length > 0
      if (comesFirst && place.of === asking.of) here += 1
      else if (asksForMore(pod)) raise(perhaps, possible)
      if (pod.podAffinity.required.length > 0) undecided += 1
    }
  }
  return { counts, perhaps, here, undecided }
}

/** Counts the pods with inverse anti-affinity in every domain that their places may become. */
export function inverseTallyNow(group: Group, placed: readonly Placed[], wellKnown: ReadonlySet<string>): Tally {
  const counts = new Map(group.counts)
  for (const { pod, place } of placed) {
    if (!group.owners.has(pod.uid)) continue
    const { key } = group.constraint
    raise(counts, mayBecome(counts.keys(), place.requirements().get(key), key, wellKnown))
  }
  return { counts, perhaps: NOTHING, here: 0, undecided: 0 }
}

const NOTHING: ReadonlyMap<string, number> = new Map()

function mayBecome(known: Iterable<string>, at: Requirement | undefined, key: string, wellKnown: ReadonlySet<string>): readonly string[] {
  if (at !== undefined && !at.complement) return at.values
  if (at === undefined && !wellKnown.has(key)) return []
  return [...known].filter((domain) => at === undefined || has(at, domain))
}

/** Reports whether the pod has spread or affinity rules. A pod without such rules can be bound last. */
function asksForMore({ topologySpread, podAffinity }: Pod): boolean {
  return topologySpread.length + podAffinity.required.length > 0
}

function raise(counts: Map<string, number>, domains: readonly string[]): void {
  for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + 1)
}
