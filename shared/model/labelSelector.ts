import type { Labels } from './meta.ts'
import type { LabelSelector } from './pod.ts'
import type { RequirementSpec } from './requirement.ts'

/** True when the labels meet every part of the selector. An absent selector selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false
  for (const key in selector.matchLabels) if (labels[key] !== selector.matchLabels[key]) return false
  return selector.matchExpressions.every((expression) => meets(expression, labels[expression.key]))
}

function meets(expression: RequirementSpec, value: string | undefined): boolean {
  switch (expression.operator) {
    case 'In':
      return value !== undefined && expression.values.includes(value)
    case 'NotIn':
      return value === undefined || !expression.values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    // Not operators of a label selector; the API server refuses them.
    case 'Gt':
    case 'Lt':
    case 'Gte':
    case 'Lte':
      return false
  }
}
