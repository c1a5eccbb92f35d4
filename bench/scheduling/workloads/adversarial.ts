import { PLACELESS_WORLDS, WORLDS } from '../../../test/adversarial/worlds.ts'
import type { Workload } from '../workload.ts'

const PODS = 10_000
/** Number of pods for the gate in `npm run check`, which counts and does not measure. */
const FEW_PODS = 500

/** Clusters that keep the planner busy: they have as many objects of each kind as there are pods, or nearly as many. */
export const ADVERSARIAL = worldsOf('adversarial', PODS)
export const SMALL_ADVERSARIAL = worldsOf('small', FEW_PODS)

function worldsOf(prefix: string, pods: number): readonly Workload[] {
  return WORLDS.map(({ name, about, build }) => ({
    name: `${prefix}-${name}`,
    about: `${pods} pods that wait: ${about}`,
    build: () => ({ loaded: build(pods) }),
  }))
}

/** Number of pods that fit nowhere, by workload. */
export const UNSCHEDULABLE_COUNTS: { readonly [workload: string]: number } = Object.fromEntries(
  [...PLACELESS_WORLDS].map((name) => [`adversarial-${name}`, PODS]),
)
