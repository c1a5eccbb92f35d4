/** The order in which Karpenter looks at pods: by size, then by age. */
import { byText } from '../../../../base/order.ts'
import type { Pod } from '../../../../model/pod.ts'
import { amountOf } from '../../../../model/resources.ts'

/** More CPU first, then more memory. */
export function bySize({ requests: first }: Pick<Pod, 'requests'>, { requests: second }: Pick<Pod, 'requests'>): number {
  return amountOf(second, 'cpu') - amountOf(first, 'cpu') || amountOf(second, 'memory') - amountOf(first, 'memory')
}

/** Older pods first, then by uid. */
export function byAge(first: Pick<Pod, 'createdAt' | 'uid'>, second: Pick<Pod, 'createdAt' | 'uid'>): number {
  return first.createdAt - second.createdAt || byText(first.uid, second.uid)
}
