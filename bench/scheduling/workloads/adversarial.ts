import { WORLDS } from '../../../test/adversarial/worlds.ts'
import type { Workload } from '../workload.ts'

const PODS = 10_000

/** Clusters made to keep the planner busy: of each thing as many as there are pods, or nearly so. */
export const ADVERSARIAL: readonly Workload[] = WORLDS.map(({ name, about, build }) => ({
  name: `adversarial-${name}`,
  about: `${PODS} pods that wait: ${about}`,
  build: () => ({ loaded: build(PODS) }),
}))
