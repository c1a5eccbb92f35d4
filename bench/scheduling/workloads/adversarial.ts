import { PLACELESS_WORLDS, WORLDS } from '../../../test/adversarial/worlds.ts'
import type { Workload } from '../workload.ts'

const PODS = 10_000
/** For the gate in `npm run check`, which counts and does not measure. */
const FEW_PODS = 500

/** Clusters made to keep the planner busy: of each thing as many as there are pods, or nearly so. */
export const ADVERSARIAL = worldsOf('adversarial', PODS)
export const SMALL_ADVERSARIAL = worldsOf('small', FEW_PODS)

function worldsOf(prefix: string, pods: number): readonly Workload[] {
  return WORLDS.map(({ name, about, build }) => ({
    name: `${prefix}-${name}`,
    about: `${pods} pods that wait: ${about}`,
    build: () => ({ loaded: build(pods) }),
  }))
}

/** Of their pods so many can go nowhere. */
export const PLACELESS: { readonly [workload: string]: number } = Object.fromEntries(
  [...PLACELESS_WORLDS].map((name) => [`adversarial-${name}`, PODS]),
)
