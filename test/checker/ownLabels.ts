import { ownValue } from '../../shared/base/values.ts'
import type { LabelSelector, Pod } from '../../shared/model/pod.ts'

/** The selector, narrowed to pods that have the same values as the pod for the keys in `same`, and other values for the keys in `different`. */
export function withOwnLabels(
  selector: LabelSelector | undefined,
  { labels }: Pod,
  same: readonly string[],
  different: readonly string[],
): LabelSelector | undefined {
  if (selector === undefined) return undefined
  const of = (keys: readonly string[], operator: 'In' | 'NotIn') =>
    keys.flatMap((key) => {
      const value = ownValue(labels, key)
      return value === undefined ? [] : [{ key, operator, values: [value] }]
    })
  return { ...selector, matchExpressions: [...selector.matchExpressions, ...of(same, 'In'), ...of(different, 'NotIn')] }
}
