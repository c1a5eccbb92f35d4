/** Whether any machine could have the labels that a term asks for. A pod may prefer labels that no machine has. */
import { UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import type { NodeSelectorTerm } from '../../../../model/pod.ts'
import { normaliseKey, type Requirement } from '../../../../model/requirements.ts'
import type { Template } from '../catalog/template.ts'
import type { ExistingNode } from './existingNode.ts'

/** Returns a function that is false if certainly no machine meets the term: no existing one, and none that a pool could make. */
export function couldMeetAmong(
  templates: readonly Pick<Template, 'requirements'>[],
  existingNodes: readonly Pick<ExistingNode, 'stage' | 'domainsOf'>[],
): (term: NodeSelectorTerm) => boolean {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  // The labels that a claim leaves open are known only once it is a machine.
  const isOpen = existingNodes.some(({ stage }) => stage === 2)
  function valuesOf(key: string): ReadonlySet<string> | undefined {
    if (isOpen || UNDEFINED_ALLOWED_LABELS.has(key)) return undefined
    if (known.has(key)) return known.get(key)
    const own = templates.flatMap(({ requirements }) => requirements.get(key) ?? [])
    const there = existingNodes.flatMap(({ domainsOf }) => domainsOf(key))
    const values = own.some(isAnyValue) ? undefined : new Set([...own.flatMap((each) => each.values), ...there])
    known.set(key, values)
    return values
  }
  return ({ matchExpressions }) =>
    matchExpressions.every(({ key, operator, values }) => {
      const possible = operator === 'In' ? valuesOf(normaliseKey(key)) : undefined
      return possible === undefined || values.some((value) => possible.has(value))
    })
}

function isAnyValue({ complement, values }: Requirement): boolean {
  return complement || values.length === 0
}
