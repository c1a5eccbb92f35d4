/** Pods that find places only if kube-scheduler binds them as planned. The scheduler takes pods in any order, and prefers the emptiest node. */

import { growing } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

/** Room for the large pod is on n2 alone. The small pod fits on n2 and on n3, and n2 is emptier. */
const GIVEN = { types: growing(4), nodes: { n1: {}, n2: {}, n3: {} }, kept: { q: 'true', r: 'true' } } as const
/** Of the largest size. */
const ON_4 = { labels: 'type=it-4', room: { cpu: 3.9, memory: 7, pods: 40 } } as const
const OTHERS = { q: { on: 'n2', asks: { cpu: 1.5, memory: 0.5 } }, r: { on: 'n3', asks: { cpu: 2.6, memory: 0.5 } } } as const
const LARGE = { on: 'n1', asks: { cpu: 2, memory: 0.5 } } as const
const SMALL = { on: 'n1', asks: { cpu: 1, memory: 0.5 } } as const

export const BINDING: MoveScenarios = {
  'a node stays if a small pod may take the room that is left for a large pod': {
    given: { ...GIVEN, pods: { ...OTHERS, large: LARGE, small: SMALL } },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NO_ROOM' }, says: 'not in every order' },
  },
  'a drifted node then gives its pods to a new node': {
    given: { ...GIVEN, pods: { ...OTHERS, large: LARGE, small: SMALL }, drifted: 'n1' },
    want: { deleting: 0, replaced: { n1: '*' } },
  },
  'a node goes if the large pod has the room to itself': {
    given: { ...GIVEN, pods: { ...OTHERS, large: LARGE } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'a node goes if its pods may change places': {
    given: { ...GIVEN, pods: { ...OTHERS, one: SMALL, two: SMALL, three: SMALL } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'a node goes if the pod with the higher priority, which is bound first, is the large pod': {
    given: { ...GIVEN, pods: { ...OTHERS, large: { ...LARGE, over: { priority: 10 } }, small: SMALL } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'a node is replaced if only the large pod needs a new node, and that costs less than one for both': {
    given: {
      ...GIVEN,
      nodes: { ...GIVEN.nodes, n1: ON_4 },
      pods: { ...OTHERS, large: LARGE, small: SMALL },
    },
    want: { deleting: 0, replaced: { n1: 'it-3' } },
  },
}
