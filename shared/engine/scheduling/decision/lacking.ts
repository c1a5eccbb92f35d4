/** Which taints and labels keep pods from machines. */
import { byText } from '../../../base/order.ts'
import { describeRequirement, overlapConflicts } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { formatTaint, type Taint, untolerated } from '../../../model/taint.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Constraint } from '../model/pods/constraint.ts'
import type { Lacking, Verdict } from './verdict.ts'

/** The taints that some of the pods do not tolerate. Undefined if each pod tolerates every taint. */
export function taintsVerdict(
  taints: readonly Taint[],
  pods: readonly Pick<Constraint, 'tolerations'>[],
): Extract<Verdict, { readonly kind: 'taints' }> | undefined {
  const refused = pods.flatMap(({ tolerations }) => untolerated(taints, tolerations))
  return refused.length === 0 ? undefined : { kind: 'taints', taints: [...new Set(refused.map(formatTaint))] }
}

/** What is missing of the alternative that lacks least. Empty if nothing is missing of one alternative, or if there are no alternatives. */
export function leastMissing<Missing>(
  alternatives: readonly Requirements[],
  missingOf: (wanted: Requirements) => readonly Missing[],
): readonly Missing[] {
  const [least = []] = alternatives.map(missingOf).sort((one, other) => one.length - other.length)
  return least
}

/**
 * The labels that keep all instance types from meeting the requirements, sorted by key. If no instance type meets some requirement, these
 * requirements alone, with the values that the instance types have. Otherwise every requirement that some instance type does not meet,
 * without values.
 */
export function labelsMissingIn(
  sizes: readonly Pick<InstanceTypeOption, 'requirements'>[],
  requirements: Requirements,
  wanted: Requirements,
): readonly Lacking[] {
  const missing = new Map<string, number>()
  for (const size of sizes) {
    for (const { key } of overlapConflicts(size.requirements, requirements)) missing.set(key, (missing.get(key) ?? 0) + 1)
  }
  const isNowhere = [...missing.values()].some((count) => count === sizes.length)
  return [...missing]
    .filter(([, count]) => !isNowhere || count === sizes.length)
    .sort(([one], [other]) => byText(one, other))
    .flatMap(([label]) => {
      const asked = wanted.get(label) ?? requirements.get(label)
      const there = isNowhere ? valuesOf(sizes, label) : []
      return asked === undefined ? [] : [{ label, asked: describeRequirement(asked), there }]
    })
}

function valuesOf(sizes: readonly Pick<InstanceTypeOption, 'requirements'>[], label: string): readonly string[] {
  const values = new Set(sizes.flatMap(({ requirements }) => requirements.get(label)?.values ?? []))
  return [...values].sort((one, other) => Number(one) - Number(other) || byText(one, other))
}
