/** Why an existing node, or a claim that has no node yet, does not take a pod. */
import { labelValueText } from '../../../model/inWords.ts'
import { describeRequirements } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { domainFilters } from '../model/neighbours/domainFilters.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import { amountsOn } from '../model/nodes/mounts.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { leastMissing, taintsVerdict } from './lacking.ts'
import { neighboursOf } from './neighboursOf.ts'
import { type Load, roomOnNode, roomVerdict } from './room.ts'
import type { Verdict } from './verdict.ts'

/** The verdict of the first check that the node does not pass: taints, labels, room, then rules about neighbours. */
export function machineVerdict(existingNode: ExistingNode, podClass: PodClass, relaxedPod: RelaxedPod, axes: Axes): Verdict {
  const { constraint } = relaxedPod
  const load: Load = { total: amountsOn(existingNode.mounted, podClass), ports: podClass.hostPorts, pods: [constraint] }
  return (
    taintsVerdict(existingNode.taints, [constraint]) ??
    labelsVerdict(existingNode, constraint.alternatives) ??
    roomVerdict(roomOnNode(existingNode), load, axes) ??
    neighboursThere(existingNode, podClass, relaxedPod) ?? { kind: 'noRoom' }
  )
}

/** The labels that the node lacks of the alternative that it comes closest to. Undefined if the node meets an alternative. */
function labelsVerdict(existingNode: ExistingNode, alternatives: readonly Requirements[]): Verdict | undefined {
  if (alternatives.some(existingNode.meets)) return undefined
  const missing = leastMissing(alternatives, (wanted) => [...wanted].filter(([key, each]) => !existingNode.meets(new Map([[key, each]]))))
  if (missing.length === 0) return { kind: 'noTerm' }
  const had = missing.map(([key]) => hadText(key, existingNode.domainsOf(key)))
  const message = `asked ${describeRequirements(new Map(missing)) || 'for another host'}, it has ${had.join(', ')}`
  return { kind: 'labels', whose: 'pods', labels: missing.map(([key]) => key), message }
}

function hadText(key: string, values: readonly string[]): string {
  return values.length === 0 ? `no ${key}` : `${key}=${values.map((value) => labelValueText(key, value)).join('|')}`
}

function neighboursThere(existingNode: ExistingNode, podClass: PodClass, relaxedPod: RelaxedPod): Verdict | undefined {
  for (const { group, allows } of domainFilters(podClass, relaxedPod)) {
    const domain = group.isHost ? existingNode.name : existingNode.domainOf(group.key)
    if (domain !== undefined && !allows(domain)) return neighboursOf(group, [domain])
    if (domain === undefined && group.kind !== 'antiAffinity') {
      return { kind: 'labels', whose: 'pods', labels: [group.key], message: `it has no label ${group.key}, by which a rule counts pods` }
    }
  }
  return undefined
}
