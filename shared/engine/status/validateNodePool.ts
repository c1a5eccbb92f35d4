import { isLabelValue, isQualifiedName, isRestricted, LABEL } from '../../model/labels.ts'
import { restrictedText } from '../../model/nearestLabel.ts'
import { negativeAmounts } from '../../model/negativeAmounts.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { normaliseKey } from '../../model/requirements.ts'
import { validateRequirement } from '../../model/requirementValidation.ts'
import { formatTaint, isSameTaint, type Taint } from '../../model/taint.ts'

/** The rules that the pool's template breaks, in words. It finds what the validation of the API server cannot. */
export function validateNodePool({ template, limits, unreadableLimits = [] }: NodePool): readonly string[] {
  return [
    ...unreadableLimits.map((each) => `${each}; write a quantity such as 100, 500m or 10Gi`),
    ...negativeAmounts(limits, 'spec.limits'),
    ...Object.entries(template.labels).flatMap(([key, value]) => labelProblems(key, value)),
    ...taintProblems([...template.taints, ...template.startupTaints]),
    ...template.requirements.flatMap((each) => validateRequirement(each).map(({ message }) => message)),
    ...template.requirements
      .filter((each) => normaliseKey(each.key) === LABEL.nodePool)
      .map((each) => `requirement on ${each.key}: the label is set by its nodepool; remove the requirement`),
  ]
}

function labelProblems(key: string, value: string): readonly string[] {
  const says = (rule: string): string => `label ${JSON.stringify(key)}: ${rule}`
  return [
    ...(key === LABEL.nodePool ? [says('it is set by the nodepool; remove it')] : []),
    ...(isQualifiedName(key) ? [] : [says('the key is not a qualified name; write name or domain/name')]),
    ...(isLabelValue(value) ? [] : [says(`value ${JSON.stringify(value)} is not a label value`)]),
    ...(isRestricted(key) ? [says(restrictedText(key))] : []),
  ]
}

function taintProblems(taints: readonly Taint[]): readonly string[] {
  return taints.flatMap((taint, index) => {
    const says = (rule: string): string => `taint ${formatTaint(taint)}: ${rule}`
    const isRepeated = taints.slice(0, index).some((earlier) => isSameTaint(earlier, taint))
    return [
      ...(isQualifiedName(taint.key) ? [] : [says('the key is not a qualified name; write name or domain/name')]),
      ...(isLabelValue(taint.value ?? '') ? [] : [says('the value is not a label value')]),
      ...(isRepeated ? [says('key and effect are there twice in taints and startupTaints; keep one')] : []),
    ]
  })
}
