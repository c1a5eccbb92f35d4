/** Why a machine that is there or on its way does not take a pod. */
import { labelValueText } from '../../../model/inWords.ts'
import { describeRequirements } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { formatTaint, untolerated } from '../../../model/taint.ts'
import { allowances } from '../model/neighbours/rules.ts'
import { amountsOn } from '../model/nodes/mounts.ts'
import { quarrelsThere, type Target } from '../model/nodes/target.ts'
import { portsClash } from '../model/pods/hostPorts.ts'
import type { PodClass, Variant } from '../model/pods/podClass.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { neighboursOf } from './neighboursOf.ts'
import { shortOf } from './roomVerdicts.ts'
import type { Verdict } from './verdict.ts'

/** The first stage at which it refuses. */
export function machineVerdict(target: Target, podClass: PodClass, variant: Variant, axes: Axes): Verdict {
  const { constraint } = variant
  const intolerable = untolerated(target.taints, constraint.tolerations)
  if (intolerable.length > 0) return { kind: 'taints', taints: intolerable.map(formatTaint) }
  if (!constraint.alternatives.some(target.meets)) return labelsMissing(target, constraint.alternatives)
  const quarrels = quarrelsThere(target, constraint)
  if (quarrels.length > 0) return { kind: 'daemonNeighbours', daemonSets: quarrels }
  const short = shortOf(amountsOn(target.mounted, podClass), target.free, axes)
  if (short !== undefined) return short
  if (portsClash(target.ports, podClass.hostPorts)) {
    return { kind: 'ports', ports: podClass.hostPorts.map((each) => each.port), takenBy: 'pods' }
  }
  return neighboursThere(target, podClass, variant) ?? { kind: 'noRoom' }
}

/** What it lacks of the alternative that it comes closest to. */
function labelsMissing(target: Target, alternatives: readonly Requirements[]): Verdict {
  const [least = []] = alternatives
    .map((wanted) => [...wanted].filter(([key, each]) => !target.meets(new Map([[key, each]]))))
    .sort((one, other) => one.length - other.length)
  if (least.length === 0) return { kind: 'noTerm' }
  const had = least.map(([key]) => hadText(key, target.domainsOf(key)))
  const message = `asked ${describeRequirements(new Map(least)) || 'for another host'}, it has ${had.join(', ')}`
  return { kind: 'labels', whose: 'pods', labels: least.map(([key]) => key), message }
}

function hadText(key: string, values: readonly string[]): string {
  return values.length === 0 ? `no ${key}` : `${key}=${values.map((value) => labelValueText(key, value)).join('|')}`
}

function neighboursThere(target: Target, podClass: PodClass, variant: Variant): Verdict | undefined {
  for (const { group, allows } of allowances(podClass, variant)) {
    const domain = group.isHost ? target.name : target.domainOf(group.key)
    if (domain !== undefined && !allows(domain)) return neighboursOf(group, [domain])
    if (domain === undefined && group.kind !== 'antiAffinity') {
      return { kind: 'labels', whose: 'pods', labels: [group.key], message: `it has no label ${group.key}, which its pods are counted by` }
    }
  }
  return undefined
}
