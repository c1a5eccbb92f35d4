/** Constraints for the workloads. */
import { LABEL, type Labels } from '../../../shared/model/labels.ts'
import type { LabelSelector, PodAffinityTerm, TopologySpreadConstraint } from '../../../shared/model/pod.ts'

export function selecting(matchLabels: Labels): LabelSelector {
  return { matchLabels, matchExpressions: [] }
}

export function spreadOver(
  topologyKey: string,
  selector: LabelSelector,
  whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable'] = 'DoNotSchedule',
): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable,
    selector,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    matchLabelKeys: [],
  }
}

export function termOn(topologyKey: string, selector: LabelSelector): PodAffinityTerm {
  return { topologyKey, selector, namespaces: [], matchLabelKeys: [], mismatchLabelKeys: [] }
}

/** Keeps the selected pods on different nodes. */
export function apart(selector: LabelSelector) {
  return { required: [termOn(LABEL.hostname, selector)], preferred: [] }
}
