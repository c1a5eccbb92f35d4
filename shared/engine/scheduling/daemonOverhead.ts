/** What DaemonSets will take of a machine before any other pod does. */
import { byKey } from '../../base/order.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { Pod } from '../../model/pod.ts'
import { conflicts, overlapConflicts } from '../../model/requirementConflict.ts'
import type { Requirements } from '../../model/requirements.ts'
import { NO_RESOURCES, type Resources, sum } from '../../model/resources.ts'
import { type Taint, type Toleration, untolerated } from '../../model/taint.ts'
import type { DaemonSet } from '../../model/workloads.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { isDaemonPod } from '../pod/podPredicates.ts'
import { labelsMeet } from './labelsMeet.ts'
import { constraintsOf } from './podGroups.ts'

/** A DaemonSet with what its pods ask for: those of its newest live pod, since admission may have changed them. */
export type Daemon = {
  readonly requests: Resources
  readonly tolerations: readonly Toleration[]
  readonly alternatives: readonly Requirements[]
}

export function daemonsOf(daemonSets: readonly DaemonSet[], pods: readonly Pod[]): readonly Daemon[] {
  const newest = new Map<string, Pod>()
  for (const pod of pods) {
    if (!isDaemonPod(pod) || pod.owner === undefined) continue
    const known = newest.get(pod.owner.uid)
    const isNewer = known === undefined || pod.createdAt > known.createdAt || (pod.createdAt === known.createdAt && pod.uid > known.uid)
    if (isNewer) newest.set(pod.owner.uid, pod)
  }
  // Real pods are pinned to a node by name; only the template says where the set may run.
  return [...daemonSets].sort(byKey((each) => each.key)).map((set) => ({
    requests: (newest.get(set.uid) ?? set.pod).requests,
    ...constraintsOf(set.pod),
  }))
}

/** On a new machine of a pool: daemons soft taints do not keep away, whose every term is tried anew for each size. */
export function overheadOfSize(
  daemons: readonly Daemon[],
  requirements: Requirements,
  taints: readonly Taint[],
  size: Requirements,
): Resources {
  const hard = taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
  const landing = daemons.filter(
    (daemon) =>
      untolerated(hard, daemon.tolerations).length === 0 &&
      daemon.alternatives.some(
        (wanted) => conflicts(requirements, wanted, UNDEFINED_ALLOWED_LABELS).length === 0 && overlapConflicts(size, wanted).length === 0,
      ),
  )
  return landing.length === 0 ? NO_RESOURCES : sum(landing.map((daemon) => daemon.requests))
}

/** What daemons have yet to take of a machine with these labels and taints: never below zero. */
export function missingOverhead(
  daemons: readonly Daemon[],
  labels: Labels,
  taints: readonly Taint[],
  { pods }: Pick<StateNode, 'pods'>,
): Resources {
  const landing = daemons.filter(
    (daemon) => untolerated(taints, daemon.tolerations).length === 0 && daemon.alternatives.some((wanted) => labelsMeet(labels, wanted)),
  )
  if (landing.length === 0) return NO_RESOURCES
  const present = sum(pods.filter(isDaemonPod).map((pod) => pod.requests))
  const expected = sum(landing.map((daemon) => daemon.requests))
  return Object.fromEntries(Object.entries(expected).map(([name, amount]) => [name, Math.max(0, amount - (present[name] ?? 0))]))
}
