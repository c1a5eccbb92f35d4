import { byText } from '../../base/lists.ts'
import { ownValue } from '../../base/values.ts'
import type { InstanceType, LeftOutSizes } from '../../model/instanceType.ts'
import { existingValuesText, labelValuesText } from '../../model/inWords.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { Pod } from '../../model/pod.ts'
import {
  intersectAll,
  type RequirementSpec,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../model/requirements.ts'
import { admittedOfferings } from './usableOfferings.ts'

/** Why no size of the region will ever do for the pool, whatever can be bought now. Undefined if one would, or if the sizes are unknown. */
export function impossibleRequirements({ template }: NodePool, types: readonly InstanceType[]): string | undefined {
  const labels = requirementsFromLabels(template.labels)
  const isPossible = (requirements: Requirements) => (type: InstanceType) => admittedOfferings(requirements, type).length > 0
  if (types.length === 0 || types.some(isPossible(intersectAll(requirementsFrom(template.requirements), labels)))) return undefined
  const alone = template.requirements.filter((each) => !types.some(isPossible(requirementsFrom([each]))))
  const none = `none of the ${types.length} sizes of the region meets`
  if (alone.length > 0) {
    const said = alone.map((each) => `${inWords(each)} (${existing(each.key, types)})`)
    return `${none} ${said.join('; ')}`
  }
  const others = (left: RequirementSpec): readonly InstanceType[] =>
    types.filter(isPossible(intersectAll(requirementsFrom(template.requirements.filter((each) => each !== left)), labels)))
  const ways = template.requirements.flatMap((each) => {
    const left = others(each)
    const values = labelValues(left, each.key)
    return values.length === 0 ? [] : [`sizes that meet the others have ${each.key} ${labelValuesText(each.key, values, MOST_VALUES)}`]
  })
  return [`${none} ${template.requirements.map(inWords).join('; ')}, all together`, ...ways.slice(0, MOST_WAYS)].join('; ')
}

/** The most requirements of which the values are named that would do. */
const MOST_WAYS = 2
const MOST_VALUES = 12

function existing(label: string, types: readonly InstanceType[]): string {
  const values = labelValues(types, label)
  return values.length === 0 ? 'no size has this label' : existingValuesText(label, values)
}

/** The values of the label that the sizes or their offerings have, numbers by size. */
export function labelValues(types: readonly InstanceType[], label: string): readonly string[] {
  const all = types.flatMap(({ requirements, offerings }) => [...requirements, ...offerings.flatMap((each) => each.requirements)])
  const values = new Set(all.flatMap(({ key, complement, values }) => (key === label && !complement ? values : [])))
  return [...values].sort((one, other) => Number(one) - Number(other) || byText(one, other))
}

function inWords({ key, operator, values }: RequirementSpec): string {
  return [key, operator, ...(values.length === 0 ? [] : [`[${values.join(' ')}]`])].join(' ')
}

/** The most sizes that one message names. */
const MOST_NAMED = 3

type Asked = Pick<RequirementSpec, 'key' | 'operator' | 'values'>

/** Says of the sizes that are asked for by name and that Joiner leaves out by which rule. Empty if none is. */
export function leftOutText(asked: readonly Asked[], leftOut: LeftOutSizes = NOTHING_LEFT_OUT): string {
  const named = asked.flatMap(({ key, operator, values }) => (key === LABEL.instanceType && operator === 'In' ? values : []))
  const found = [...new Set(named)].flatMap((name) => {
    const why = leftOut.get(name)
    return why === undefined ? [] : [`${name}, since such sizes ${why}`]
  })
  if (found.length === 0) return ''
  const more = found.length > MOST_NAMED ? `; and ${found.length - MOST_NAMED} more of the sizes asked for` : ''
  return `; Joiner leaves out ${found.slice(0, MOST_NAMED).join('; ')}${more}`
}

const NOTHING_LEFT_OUT: LeftOutSizes = new Map()

/** What the pod asks of the labels of its node. */
export function askedByPod({ nodeSelector, requiredNodeTerms = [] }: Pick<Pod, 'nodeSelector' | 'requiredNodeTerms'>): readonly Asked[] {
  const size = ownValue(nodeSelector, LABEL.instanceType)
  const selected = size === undefined ? [] : [{ key: LABEL.instanceType, operator: 'In', values: [size] } as const]
  return [...selected, ...requiredNodeTerms.flatMap(({ matchExpressions }) => matchExpressions)]
}
