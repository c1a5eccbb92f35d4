/** Which sizes and offerings requirements allow at all, whether or not these can be bought now. */
import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../model/labels.ts'
import { conflicts, overlapConflicts } from '../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../model/requirements.ts'
import { requirementMap } from './requirementMap.ts'

/** The offerings of the size that the requirements allow, even if they cannot be bought now. Empty if the requirements do not allow the size. */
export function admittedOfferings(requirements: Requirements, type: InstanceType): readonly Offering[] {
  if (overlapConflicts(requirementMap(fixedLabels(type)), requirements).length > 0) return []
  return type.offerings.filter((each) => admitsOffering(requirements, each))
}

/** Reports whether the requirements allow the offering. */
export function admitsOffering(requirements: Requirements, offering: Offering): boolean {
  return conflicts(requirements, requirementMap(offering.requirements), UNDEFINED_ALLOWED_LABELS).length === 0
}

/** The labels of a machine of this size, made by this offering. */
export function labelsOfMachine(type: InstanceType, offering: Offering): Requirements {
  return requirementMap([...fixedLabels(type), ...offering.requirements])
}

/** The labels that no offering has. Zone and capacity type of a size cover only what can be bought now, so its offerings count instead. */
function fixedLabels({ offerings, requirements }: InstanceType): readonly Requirement[] {
  const offered = new Set(offerings.flatMap((each) => each.requirements.map(({ key }) => key)))
  return requirements.filter(({ key }) => !offered.has(key))
}
