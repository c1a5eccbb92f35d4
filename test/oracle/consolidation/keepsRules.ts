import { ownValue } from '../../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { namespaceOf } from '../../../shared/model/ids.ts'
import { selects } from '../../../shared/model/labelSelector.ts'
import { LABEL, type Labels } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { meantBy } from '../../checker/interPodRules.ts'
import { daemonsBefore, viewsOfClaim } from '../../checker/nodeView.ts'
import type { Outcome } from '../../checker/outcomes.ts'
import { bindsAnyhow, createOf } from './bindsAnyhow.ts'
import type { Command, Replacement } from './command.ts'

/**
 * Reports whether the command keeps the rules that Joiner keeps and Karpenter does not: its pods bind in any order, the machines that go together do not
 * overdraw a PodDisruptionBudget, and a replacement has the values that minValues asks for and no DaemonSet that its pods must not meet.
 */
export function keepsRules(snapshot: ClusterSnapshot, command: Command): boolean {
  const { replacement } = command
  const isStrict = snapshot.settings.minValuesPolicy === 'Strict'
  if (isStrict && replacement !== undefined && !hasMinValues(replacement)) return false
  if (replacement !== undefined && meetsDaemons(snapshot, replacement)) return false
  return keepsPodBudgets(snapshot, command) && bindsAnyhow(snapshot, command)
}

/** Karpenter asks each machine whether its pods may be evicted, and adds nothing up. A budget may let the pods of one machine go one after another. */
function keepsPodBudgets({ objects }: ClusterSnapshot, { candidates }: Command): boolean {
  return objects.podDisruptionBudget.every((budget) => {
    const counts = candidates.map(
      ({ pods }) => pods.filter((pod) => namespaceOf(pod) === namespaceOf(budget) && selects(budget.selector, pod.labels)).length,
    )
    const bound = counts.filter((count) => count > 0)
    return bound.length < 2 || bound.reduce((sum, count) => sum + count, 0) <= budget.disruptionsAllowed
  })
}

/** Karpenter counts the values of all sizes. Some of these values may be no longer open to the claim. */
function hasMinValues({ claim, sizes }: Replacement): boolean {
  const least = claim.spec.requirements.flatMap(({ key, minValues }) => (minValues === undefined ? [] : [{ key, minValues }]))
  return least.every(({ key, minValues }) => {
    const values = new Set(sizes.flatMap(({ outcomes }) => outcomes.flatMap((outcome) => ownValue(labelsOf(outcome), key) ?? [])))
    return values.size >= minValues
  })
}

function labelsOf({ labels, offering: { zone, capacityType } }: Outcome): Labels {
  return { ...labels, [LABEL.zone]: zone, [LABEL.capacityType]: capacityType }
}

/** Reports whether required anti-affinity is between a pod of the replacement and a pod of a DaemonSet there, which runs first. */
function meetsDaemons(snapshot: ClusterSnapshot, replacement: Replacement): boolean {
  const { name, spec, labels } = createOf(replacement).draft
  const { objects } = snapshot
  const keepsAway = (one: Pod, other: Pod): boolean =>
    one.podAntiAffinity.required.some((term) => meantBy(term, one, objects.namespace)(other))
  const pods = objects.pod.filter(({ key }) => replacement.claim.pods.includes(key))
  const daemons = viewsOfClaim(snapshot, name, spec, labels).flatMap(daemonsBefore)
  return pods.some((pod) => daemons.some((daemon) => keepsAway(pod, daemon) || keepsAway(daemon, pod)))
}
