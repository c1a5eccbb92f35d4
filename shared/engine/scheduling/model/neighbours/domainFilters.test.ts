import { describe, expect, it } from 'vitest'
import { pod } from '../../../../../test/builders/pod.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { TopologySpreadConstraint } from '../../../../model/pod.ts'
import { createTopologyGroups, type TopologyGroup } from '../topology/topologyGroup.ts'
import { isWithinSkew } from './domainFilters.ts'

const ZONES = ['zone-1', 'zone-2', 'zone-3']
const UP_TO_3 = [0, 1, 2, 3]
const ALL_COUNTS = UP_TO_3.flatMap((one) => UP_TO_3.flatMap((two) => UP_TO_3.map((three) => [one, two, three])))

/** A zone spread that selects so many pods in each zone. */
function spreadWith(counts: readonly number[], maxSkew: number): TopologyGroup {
  const constraint: TopologySpreadConstraint = {
    maxSkew,
    topologyKey: LABEL.zone,
    whenUnsatisfiable: 'DoNotSchedule',
    selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    matchLabelKeys: [],
  }
  const group = createTopologyGroups([]).ofSpread(constraint, pod({}), { required: [new Map()], tolerations: [] })
  for (const [at, zone] of ZONES.entries()) {
    group.known.add(zone)
    group.selected.set(zone, counts[at] ?? 0)
  }
  return group
}

/** As kube-scheduler computes it before a pod is bound: matchNum + selfMatchNum - minMatchNum <= maxSkew. */
function isBound(counts: readonly number[], at: number, selfMatchNum: number, maxSkew: number): boolean {
  return (counts[at] ?? 0) + selfMatchNum - Math.min(...counts) <= maxSkew
}

describe.each([
  { about: 'selects', selfMatchNum: 1 },
  { about: 'does not select', selfMatchNum: 0 },
])('a pod whose spread $about the pod', ({ selfMatchNum }) => {
  it.each([1, 2])('is within a skew of %s in a finished plan exactly where kube-scheduler would bind the pod last', (maxSkew) => {
    const differing = ALL_COUNTS.flatMap((counts) =>
      ZONES.filter((zone, at) => {
        const after = counts.map((count, each) => (each === at ? count + selfMatchNum : count))
        return isWithinSkew(spreadWith(after, maxSkew), zone) !== isBound(counts, at, selfMatchNum, maxSkew)
      }).map((zone) => `${counts.join(' ')}: ${zone}`),
    )
    expect(differing).toEqual([])
  })
})
