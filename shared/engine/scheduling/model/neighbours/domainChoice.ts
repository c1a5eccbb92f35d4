/** Which of several domains a pod goes to, where rules leave more than one. */
import { inOrder } from '../../../../base/order.ts'
import type { PodClass } from '../pods/podClass.ts'
import { countOf, type TopologyGroup } from '../topology/topologyGroup.ts'
import { avoidedBy } from './domainFilters.ts'

export type DomainChoice = {
  /** Zero for spread pods: they go where the fewest pods are, at any price. */
  readonly price: number
  readonly count: number
  /** The number of ways in which the labels after this one can still be chosen. */
  readonly ways: number
  /** The price, for spread pods as well. */
  readonly anyPrice: number
}

/**
 * Cheapest first, then the fewest pods, then the fewest ways left, then the cheapest of equal domains of a spread. Karpenter goes by the name of the domain
 * where this order goes by price.
 */
export const byDomainChoice = inOrder<DomainChoice>(
  (first, second) => first.price - second.price,
  (first, second) => first.count - second.count,
  (first, second) => first.ways - second.ways,
  (first, second) => first.anyPrice - second.anyPrice,
)

/**
 * The number of pods of the ruling group in the domain. Without a ruling group, the domain that most rules avoid already comes first: pods that keep
 * others away do least harm there.
 */
export function crowdOf(ruling: TopologyGroup | undefined, podClass: PodClass, key: string, domain: string): number {
  return ruling === undefined ? -avoidedBy(podClass, key, domain) : countOf(ruling.selected, domain)
}
