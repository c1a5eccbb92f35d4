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
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]))
  return { ...selector, matchExpressions: [...selector.matchExpressions, ...of(same, 'In'), ...of(different, 'NotIn')] }
}
