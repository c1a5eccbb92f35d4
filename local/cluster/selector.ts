import { ownValue } from '../../shared/base/values.ts'
import type { Node, NodeSelectorTerm, PodSpec } from './client/objects.ts'

type Labels = { readonly [key: string]: string }
type Expression = { readonly key: string; readonly operator: string; readonly values?: readonly string[] }

/** A label selector as workloads carry it. */
export type LabelSelector = { readonly matchLabels?: Labels; readonly matchExpressions?: readonly Expression[] }

/** Reports whether the selector selects the labels. An undefined selector selects nothing, an empty selector everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false
  const own = labels ?? {}
  const pairs = Object.entries(selector.matchLabels ?? {})
  return (
    pairs.every(([key, value]) => ownValue(own, key) === value) &&
    (selector.matchExpressions ?? []).every((expression) => meets(expression, own))
  )
}

/** Reports whether the node meets the pod's node selector and its required node affinity, as the scheduler reads them. */
export function selectsNode(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => ownValue(labels, key) === value)) return false
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required.nodeSelectorTerms.some((term) => meetsTerm(term, node))
}

/** Reports whether all expressions of the term hold. A term without expressions selects no node. */
export function meetsTerm(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? []
  const fields = term.matchFields ?? []
  if (expressions.length + fields.length === 0) return false
  const labels = node.metadata.labels ?? {}
  return (
    expressions.every((expression) => meets(expression, labels)) &&
    fields.every((field) => field.key === 'metadata.name' && meets(field, { 'metadata.name': node.metadata.name }))
  )
}

function meets(expression: Expression, labels: Labels): boolean {
  const value = ownValue(labels, expression.key)
  const values = expression.values ?? []
  switch (expression.operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
    case 'Lt':
      return value !== undefined && isBeyond(expression.operator, value, values[0] ?? '')
    default:
      // An unknown operator selects nothing.
      return false
  }
}

function isBeyond(operator: 'Gt' | 'Lt', value: string, bound: string): boolean {
  const integer = /^[+-]?[0-9]+$/
  if (!integer.test(value) || !integer.test(bound)) return false
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound)
}
