/** The verdict on a resource that no instance type has which the pod may use: a GPU, or another device. */

import { byText } from '../../../base/order.ts'
import { ownValue } from '../../../base/ownValue.ts'
import type { InstanceType } from '../../../model/instanceType.ts'
import { describeRequirement, overlapConflicts } from '../../../model/requirementConflict.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { requirementMap } from '../../offering/requirementMap.ts'
import type { InstanceTypeOption, Template } from '../model/catalog/template.ts'
import { leastMissing } from './lacking.ts'
import type { RoomVerdict } from './room.ts'
import type { Verdict } from './verdict.ts'

/** Undefined if some of the sizes has the resource that the verdict is about. `own`: the required labels of the pod. */
export function deviceVerdict(
  verdict: RoomVerdict,
  sizes: readonly InstanceTypeOption[],
  { template, own }: { readonly template: Template; readonly own: Requirements },
): Verdict | undefined {
  if (verdict.kind !== 'amount' || sizes.some(({ type }) => offers(type, verdict.resource))) return undefined
  const { resource, asked } = verdict
  const having = template.catalog.types.map(({ type }) => type).filter((type) => offers(type, resource))
  const leftOutBy = leastMissing(
    having.map((type) => requirementMap(type.requirements)),
    (type) => [
      ...overlapConflicts(type, own).map(({ incoming }) => ({ whose: 'pods' as const, asked: describeRequirement(incoming) })),
      ...overlapConflicts(type, template.requirements).map(({ incoming }) => ({
        whose: 'pool' as const,
        asked: describeRequirement(incoming),
      })),
    ],
  )
  const families = [...new Set(having.map(familyOf))].sort(byText)
  return { kind: 'device', resource, asked, instanceTypes: sizes.length, families, ...(leftOutBy.length === 0 ? {} : { leftOutBy }) }
}

function offers({ capacity, offerings }: InstanceType, resource: string): boolean {
  return [capacity, ...offerings.map((each) => each.capacity ?? {})].some((each) => (ownValue(each, resource) ?? 0) > 0)
}

/** The value of the label for the family, which a requirement names. Without the label: the name of the size. */
function familyOf({ name, requirements }: InstanceType): string {
  return requirements.find(({ key }) => key === FAMILY)?.values[0] ?? name
}

const FAMILY = 'karpenter.azure.com/sku-family'
