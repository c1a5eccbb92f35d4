/** What a group counts at the moment a pod asks. */

import type { Pod } from '../../shared/model/pod.ts'
import { has, type Requirement, type Requirements } from '../../shared/model/requirements.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { Algebra } from './algebra.ts'
import { type Group, groupSelects, type Tally, takesPart } from './topologyGroup.ts'

/** A place as it is now; claims narrow. */
export type Place = { readonly of: object; readonly taints: readonly Taint[]; readonly requirements: () => Requirements }

export type Placed = { readonly pod: Pod; readonly place: Place }

/** Upstream counts once, when a pod is placed. */
export function tallyAsRecorded({ counts }: Group): Tally {
  return { counts, perhaps: NOTHING, here: 0, undecided: 0 }
}

/**
 * Counts anew what this pass has placed, by what its places have become since. Of pods in the place that is asked about, those that
 * may have to be bound first count wherever it ends up.
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

/** Of pods that keep others away: wherever they may end up. */
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

/** A pod without wishes of its own can be bound after all others. */
function asksForMore({ topologySpread, podAffinity }: Pod): boolean {
  return topologySpread.length + podAffinity.required.length > 0
}

function raise(counts: Map<string, number>, domains: readonly string[]): void {
  for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + 1)
}
