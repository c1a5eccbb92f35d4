/** Which labels keep all sizes of a pool from serving, and what there is instead. */
import { byText } from '../../../base/order.ts'
import { describeRequirement, overlapConflicts } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Lacking } from './verdict.ts'

/** Of `requirements`, which no size meets: those that no size meets alone; or else all that some size does not meet, without values. */
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
