import { clusterOf, ownedPods, RULES, sizesAt } from '../../../test/properties/owners.ts'
import type { Workload } from '../workload.ts'

const PODS = 5_000
const SIZES = 15
const SEED = 31_676
const OWNERS = [1, 20, 100]

/** Names of the workloads for the rules of the Deployments. */
const NAMES: { readonly [rule: string]: string } = {
  'without rules': 'free',
  'spread over zones': 'spread',
  'some kept apart by host': 'apart',
  'a third spread over zones, some kept apart by host': 'mixed',
}
export const OWNED_RULES = Object.values(NAMES)

/** The same pods in more or fewer Deployments: the price should hardly depend on the number. */
export const OWNERS_OF_THE_SAME: readonly Workload[] = Object.entries(RULES).flatMap(([sentence, rule]) =>
  OWNERS.map((owners) => ({
    name: `owners-${NAMES[sentence] ?? sentence}-${owners}`,
    about: `${PODS} pods of ${SIZES} sizes in ${owners} Deployments, ${sentence}`,
    build: () => ({ loaded: clusterOf(sizesAt(1 / 500), ownedPods({ seed: SEED, count: PODS, sizes: SIZES, owners, rule })) }),
  })),
)
