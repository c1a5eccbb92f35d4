/** Why a machine that is there or on its way does not take a pod. */
import { labelValueText } from '../../../model/inWords.ts'
import { describeRequirements } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { formatTaint, untolerated } from '../../../model/taint.ts'
import { domainFilters } from '../model/neighbours/domainFilters.ts'
import { daemonAntiAffinityThere, type ExistingNode } from '../model/nodes/existingNode.ts'
import { amountsOn } from '../model/nodes/mounts.ts'
import { portsClash } from '../model/pods/hostPorts.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { neighboursOf } from './neighboursOf.ts'
import { shortOf } from './roomVerdicts.ts'
import type { Verdict } from './verdict.ts'

/** The first stage at which it refuses. */
export function machineVerdict(existingNode: ExistingNode, podClass: PodClass, relaxedPod: RelaxedPod, axes: Axes): Verdict {
  const { constraint } = relaxedPod
  const intolerable = untolerated(existingNode.taints, constraint.tolerations)
  if (intolerable.length > 0) return { kind: 'taints', taints: intolerable.map(formatTaint) }
  if (!constraint.alternatives.some(existingNode.meets)) return labelsMissing(existingNode, constraint.alternatives)
  const daemonAntiAffinity = daemonAntiAffinityThere(existingNode, constraint)
  if (daemonAntiAffinity.length > 0) return { kind: 'daemonNeighbours', daemonSets: daemonAntiAffinity }
  const short = shortOf(amountsOn(existingNode.mounted, podClass), existingNode.free, axes)
  if (short !== undefined) return short
  if (portsClash(existingNode.ports, podClass.hostPorts)) {
    return { kind: 'ports', ports: podClass.hostPorts.map((each) => each.port), takenBy: 'pods' }
  }
  return neighboursThere(existingNode, podClass, relaxedPod) ?? { kind: 'noRoom' }
}

/** What it lacks of the alternative that it comes closest to. */
function labelsMissing(existingNode: ExistingNode, alternatives: readonly Requirements[]): Verdict {
  const [least = []] = alternatives
    .map((wanted) => [...wanted].filter(([key, each]) => !existingNode.meets(new Map([[key, each]]))))
    .sort((one, other) => one.length - other.length)
  if (least.length === 0) return { kind: 'noTerm' }
  const had = least.map(([key]) => hadText(key, existingNode.domainsOf(key)))
  const message = `asked ${describeRequirements(new Map(least)) || 'for another host'}, it has ${had.join(', ')}`
  return { kind: 'labels', whose: 'pods', labels: least.map(([key]) => key), message }
}

function hadText(key: string, values: readonly string[]): string {
  return values.length === 0 ? `no ${key}` : `${key}=${values.map((value) => labelValueText(key, value)).join('|')}`
}

function neighboursThere(existingNode: ExistingNode, podClass: PodClass, relaxedPod: RelaxedPod): Verdict | undefined {
  for (const { group, allows } of domainFilters(podClass, relaxedPod)) {
    const domain = group.isHost ? existingNode.name : existingNode.domainOf(group.key)
    if (domain !== undefined && !allows(domain)) return neighboursOf(group, [domain])
    if (domain === undefined && group.kind !== 'antiAffinity') {
      return { kind: 'labels', whose: 'pods', labels: [group.key], message: `it has no label ${group.key}, which its pods are counted by` }
    }
  }
  return undefined
}
