import { ownValue } from '../base/values.ts'
import type { Labels } from './labels.ts'
import type { LabelSelector } from './pod.ts'
import type { RequirementSpec } from './requirements.ts'

/** Reports whether the labels meet every part of the selector. An undefined selector selects nothing, an empty selector selects everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false
  for (const key in selector.matchLabels) if (ownValue(labels, key) !== ownValue(selector.matchLabels, key)) return false
  return selector.matchExpressions.every((expression) => meets(expression, ownValue(labels, expression.key)))
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
    // Not operators of a label selector: the API server refuses them.
    case 'Gt':
    case 'Lt':
    case 'Gte':
    case 'Lte':
      return false
  }
}

/** Returns the selected pods in words: `pods app=db, tier in (a b)`. */
export function describeSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'no pods, since it has no selector'
  const labels = Object.entries(selector.matchLabels).map(([key, value]) => `${key}=${value}`)
  const parts = [...labels, ...selector.matchExpressions.map(describeExpression)].sort()
  return parts.length === 0 ? 'all pods' : `pods ${parts.join(', ')}`
}

function describeExpression({ key, operator, values }: RequirementSpec): string {
  switch (operator) {
    case 'Exists':
      return `with label ${key}`
    case 'DoesNotExist':
      return `without label ${key}`
    case 'In':
      return `${key} in (${values.join(' ')})`
    case 'NotIn':
      return `${key} not in (${values.join(' ')})`
    case 'Gt':
    case 'Lt':
    case 'Gte':
    case 'Lte':
      return `${key} ${operator} ${values.join(' ')}`
  }
}
