/** Consolidation beside rules of other kinds: protection, quiet, preferences, reservations, minValues and zones. */

import { durationMs } from '../../../shared/model/units.ts'
import { ago, MINUTE } from '../../builders/clock.ts'
import { growing, size, sold } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

const LIGHT = { asks: { cpu: 0.5, memory: 0.5 } } as const
const TWO = { n1: {}, n2: {} } as const
/** A pod that would fit beside the other one. */
const BESIDE = { p: { on: 'n1' }, q: { on: 'n2', asks: { cpu: 2.5 } } } as const
const SOFT = 'soft:PreferNoSchedule'
const BEGAN = { startedAt: ago(5 * MINUTE) } as const
const ON_8 = { labels: 'type=it-8', room: { cpu: 7.9, memory: 15, pods: 80 } } as const

export const PROTECTED: MoveScenarios = {
  'CD-07 a node with a pod that must not be disrupted stays, and the other goes': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, kept: { p: 'true' } },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' }, goes: { Underutilized: 'n2' } },
  },
  'CD-10 a pod keeps its node as long as its annotation says': {
    given: { nodes: TWO, pods: { ...BESIDE, p: { on: 'n1', over: BEGAN } }, kept: { p: '6m', q: 'true' } },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' } },
  },
  'CD-11 and no longer': {
    given: { nodes: TWO, pods: { ...BESIDE, p: { on: 'n1', over: BEGAN } }, kept: { p: '5m', q: 'true' } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'CD-12 an annotation that nobody can read keeps nothing': {
    given: { nodes: TWO, pods: BESIDE, kept: { p: 'soon', q: 'true' } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'LT-01 of two nodes at one price the budget lets one go: the one with fewer pods': {
    given: {
      nodes: { n1: {}, n2: {}, n3: {} },
      pods: { p: { on: 'n1', count: 3, asks: { cpu: 0.2 } }, q: { on: 'n2', asks: { cpu: 0.6 } }, r: { on: 'n3', asks: { cpu: 3 } } },
      kept: { r: 'true' },
      policies: { default: { budgets: [{ nodes: '1' }] } },
    },
    want: { goes: { Underutilized: 'n2' }, deleting: 1, replacing: 0, stays: { n1: 'DISRUPTION.BUDGET' } },
  },
}

export const FURTHER: MoveScenarios = {
  'CD-03 a pool without sizes beside it keeps no node': {
    given: { types: { default: growing(4), none: [] }, pools: { default: {}, other: { class: 'none' } }, nodes: TWO, pods: BESIDE },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'CD-17 a quiet node gets a new cheaper one, though its pool has nodes wait to be quiet': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', ...LIGHT } },
      policies: { default: { consolidateAfter: durationMs(30_000) } },
    },
    want: { replaced: { n1: 'small' }, deleting: 0 },
  },
  'CD-18 pods go to a node that is initialized rather than to one that is not': {
    given: { nodes: { a0: { stage: 'registered' }, n1: {}, n2: {} }, pods: BESIDE, kept: { q: 'true' } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'CD-18 and to none where the only other one is not initialized': {
    given: { nodes: { a0: { stage: 'registered' }, n1: {} }, pods: { p: { on: 'n1' } } },
    want: { deleting: 0 },
  },
  'CD-21 a pool with an invalid requirement keeps no node of another': {
    given: { pools: { default: {}, other: { needs: 'no/such/key in a' } }, nodes: TWO, pods: BESIDE },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'CR-08 two nodes stay that go for a cheaper size alone, where minValues asks for more sizes': {
    given: {
      types: [
        size('cheap', { offerings: [sold(0.3, 'z1')] }),
        size('old', { offerings: [sold(0.5, 'z1')] }),
        size('dear', { offerings: [sold(0.8, 'z1')] }),
      ],
      pools: { default: { needs: 'type exists min 3' } },
      nodes: { n: { count: 2, labels: 'type=old', room: { cpu: 2, memory: 2 } } },
      pods: { a: { on: 'n-1', asks: { cpu: 1.5 } }, b: { on: 'n-2', asks: { cpu: 1.5 } } },
    },
    want: { deleting: 0, replacing: 0, stays: { 'n-1': 'DISRUPTION.NO_SAVING', 'n-2': 'DISRUPTION.NO_SAVING' } },
  },
  'CR-08 and go where it asks for none': {
    given: {
      types: [
        size('cheap', { offerings: [sold(0.3, 'z1')] }),
        size('old', { offerings: [sold(0.5, 'z1')] }),
        size('dear', { offerings: [sold(0.8, 'z1')] }),
      ],
      nodes: { n: { count: 2, labels: 'type=old', room: { cpu: 2, memory: 2 } } },
      pods: { a: { on: 'n-1', asks: { cpu: 1.5 } }, b: { on: 'n-2', asks: { cpu: 1.5 } } },
    },
    want: { deleting: 0, replaced: { 'n-1 n-2': 'cheap' } },
  },
  'TP-01 a spread over zones has its node replaced in its own zone': { given: spreadWith('z1'), want: { replaced: { n1: 'new' } } },
  'TP-01 and not at all where something cheaper is in another zone alone': {
    given: spreadWith('z2'),
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'RC-01 a reserved node gets a cheaper reserved one': { given: reservedFrom('reserved'), want: { replaced: { n1: 'new' }, saves: 0.3 } },
  'RC-02 so does a node that was bought on demand': { given: reservedFrom('on-demand'), want: { replaced: { n1: 'new' }, saves: 0.3 } },
  'RC-02 so does a spot node': { given: reservedFrom('spot'), want: { replaced: { n1: 'new' }, saves: 0.3 } },
  'PF-01 a pod goes to a node that it does not prefer where preferences do not count': {
    given: { ...preferring(), settings: { preferencePolicy: 'Ignore' } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'PF-02 or gets a new node that it does not prefer': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', ...LIGHT, prefers: 'type=default' } },
      settings: { preferencePolicy: 'Ignore' },
    },
    want: { replaced: { n1: 'small' }, deleting: 0 },
  },
  'fewer cheaper sizes than minValues asks keep a node, also where new nodes may have fewer': {
    given: {
      types: growing(8),
      pools: { default: { needs: 'type exists min 8' } },
      nodes: { n1: ON_8 },
      pods: { p: { on: 'n1', ...LIGHT } },
      settings: { minValuesPolicy: 'BestEffort' },
    },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NO_SAVING' }, says: 'minValues' },
  },
  'a pool that can make no node, for too few sizes for its minValues, keeps no pod from a node with a soft taint': {
    given: {
      pools: { default: { taints: SOFT }, other: { needs: 'type exists min 11' } },
      nodes: { n1: { taints: SOFT }, n2: { taints: SOFT } },
      pods: BESIDE,
    },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'a pool that can make a node without a soft taint keeps the pod from a node with one': {
    given: {
      pools: { default: { taints: SOFT }, other: {} },
      nodes: { n1: { taints: SOFT }, n2: { taints: SOFT } },
      pods: BESIDE,
    },
    want: { goes: {}, deleting: 0 },
  },
  'BF-04 a node without pods goes once a buffer asks for none': {
    given: { nodes: { n1: {} }, templates: { t: { asks: { cpu: 0.5 } } }, buffers: { b: { template: 't', replicas: 0 } } },
    want: { goes: { Empty: 'n1' }, replacing: 0 },
  },
}

/** A node in each zone with a pod of one spread. Something cheaper than the first node is sold in one zone. */
function spreadWith(zone: string): MoveScenarios[string]['given'] {
  const pod = { labels: 'app=x', spread: [{ over: 'zone', of: 'app=x' }], asks: { cpu: 1.5, memory: 1.5 } }
  return {
    types: [size('old', { offerings: ['z1', 'z2', 'z3'].map((each) => sold(1, each)) }), size('new', { offerings: [sold(0.4, zone)] })],
    nodes: { n1: { labels: 'type=old zone=z1' }, n2: { labels: 'type=old zone=z2' }, n3: { labels: 'type=old zone=z3' } },
    pods: { a: { on: 'n1', ...pod }, b: { on: 'n2', ...pod }, c: { on: 'n3', ...pod } },
    kept: { n2: 'true', n3: 'true' },
  }
}

function reservedFrom(kind: 'reserved' | 'on-demand' | 'spot'): MoveScenarios[string]['given'] {
  const reservation = kind === 'reserved' ? { id: 'old', remaining: 0 } : undefined
  return {
    types: [
      size('old', { offerings: [sold(0.5, `z1 ${kind}`, reservation, false)] }),
      size('new', { offerings: [sold(0.2, 'z1 reserved', { id: 'new', remaining: 1 })] }),
    ],
    nodes: { n1: { labels: `type=old capacity=${kind}${kind === 'reserved' ? ' reservation=old' : ''}` } },
    pods: { p: { on: 'n1', ...LIGHT } },
  }
}

/** A pod that prefers nodes of its pool, and a node of another pool with room for it. */
function preferring(): MoveScenarios[string]['given'] {
  return {
    pools: { a: { labels: 'team=a' }, b: { labels: 'team=b' } },
    nodes: { n1: { pool: 'a', labels: 'team=a' }, n2: { pool: 'b', labels: 'team=b' } },
    pods: { p: { on: 'n1', ...LIGHT, prefers: 'team=a' }, q: { on: 'n2', asks: { cpu: 2.5 } } },
    kept: { q: 'true' },
  }
}
