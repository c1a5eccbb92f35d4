import type { InstanceType } from '../../model/instanceType.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { RequirementSpec } from '../../model/requirement.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../model/requirements.ts'
import { admittedOfferings } from '../offering/admission.ts'

/** Why no size of the region will ever do for the pool, whatever can be bought now. Undefined if one would, or if the sizes are unknown. */
export function impossibleRequirements({ template }: NodePool, types: readonly InstanceType[]): string | undefined {
  const labels = requirementsFromLabels(template.labels)
  const isPossible = (requirements: Requirements): boolean => types.some((type) => admittedOfferings(requirements, type).length > 0)
  if (types.length === 0 || isPossible(intersectAll(requirementsFrom(template.requirements), labels))) return undefined
  const alone = template.requirements.filter((each) => !isPossible(requirementsFrom([each])))
  const blame = alone.length > 0 ? alone.map(inWords).join('; ') : `${template.requirements.map(inWords).join('; ')}, all together`
  return `none of the ${types.length} sizes of the region meets ${blame}; widen the requirements`
}

function inWords({ key, operator, values }: RequirementSpec): string {
  return [key, operator, ...(values.length === 0 ? [] : [`[${values.join(' ')}]`])].join(' ')
}
