import { ownValue } from '../../base/ownValue.ts'
import type { LeftOutSizes } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import type { RequirementSpec } from '../../model/requirement.ts'

/** The most sizes that one message names. */
const MOST_NAMED = 3

type Asked = Pick<RequirementSpec, 'key' | 'operator' | 'values'>

/** Says of the sizes that are asked for by name and that Joiner leaves out by which rule. Empty if none is. */
export function leftOutText(asked: readonly Asked[], leftOut: LeftOutSizes = NONE): string {
  const named = asked.flatMap(({ key, operator, values }) => (key === LABEL.instanceType && operator === 'In' ? values : []))
  const found = [...new Set(named)].flatMap((name) => {
    const why = leftOut.get(name)
    return why === undefined ? [] : [`${name}, since such sizes ${why}`]
  })
  if (found.length === 0) return ''
  const more = found.length > MOST_NAMED ? `; and ${found.length - MOST_NAMED} more of the sizes asked for` : ''
  return `; Joiner leaves out ${found.slice(0, MOST_NAMED).join('; ')}${more}`
}

const NONE: LeftOutSizes = new Map()

/** What the pod asks of the labels of its node. */
export function askedByPod({ nodeSelector, requiredNodeTerms = [] }: Pick<Pod, 'nodeSelector' | 'requiredNodeTerms'>): readonly Asked[] {
  const size = ownValue(nodeSelector, LABEL.instanceType)
  const selected = size === undefined ? [] : [{ key: LABEL.instanceType, operator: 'In', values: [size] } as const]
  return [...selected, ...requiredNodeTerms.flatMap(({ matchExpressions }) => matchExpressions)]
}
