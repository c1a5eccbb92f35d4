/** Why machines that are there or on their way do not take a pod. */
import { byText } from '../../../base/order.ts'
import { describeRequirements } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { formatTaint, untolerated } from '../../../model/taint.ts'
import type { Axes } from '../amounts.ts'
import { neighboursOf } from '../answer/neighbourVerdicts.ts'
import { shortOf } from '../answer/roomVerdicts.ts'
import type { Verdict } from '../answer/verdict.ts'
import { amountsOn } from '../hosts/mounts.ts'
import { quarrelsThere, type Target } from '../hosts/target.ts'
import type { Plan } from '../plan.ts'
import { portsClash } from '../pods/hostPorts.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { allowances } from '../topology/rules.ts'
import type { MachineRefusals } from './explanation.ts'
import { detailOf } from './sameReason.ts'

/** Those that refuse for the same reason together; the reason that most machines have first. */
export function machineRefusals({ targets }: Plan, podClass: PodClass, variant: Variant, axes: Axes): readonly MachineRefusals[] {
  const refusals = targets.map((target) => ({ name: target.label, verdict: machineVerdict(target, podClass, variant, axes) }))
  const groups = [...Map.groupBy(refusals, ({ verdict }) => detailOf(verdict)).values()]
  return groups
    .flatMap((group) => {
      const [closest] = [...group].sort((one, other) => gap(one.verdict) - gap(other.verdict) || byText(one.name, other.name))
      return closest === undefined ? [] : [{ machines: group.length, closest: closest.name, verdict: closest.verdict }]
    })
    .sort((one, other) => other.machines - one.machines || byText(one.closest, other.closest))
}

function machineVerdict(target: Target, podClass: PodClass, variant: Variant, axes: Axes): Verdict {
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
  const had = least.map(([key]) => `${key}=${target.domainsOf(key).join('|')}`)
  const message = `asked ${describeRequirements(new Map(least))}, it has ${had.join(', ')}`
  return { kind: 'labels', whose: 'pods', labels: least.map(([key]) => key), message }
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

function gap(verdict: Verdict): number {
  return 'shortBy' in verdict ? verdict.shortBy : 0
}
