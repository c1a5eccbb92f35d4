/** Moves of nodes that were bought on demand, and of spot nodes. */
import type { CapacityType } from '../../../shared/model/instanceType.ts'
import { growing, size, sold } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

const LIGHT = { asks: { cpu: 0.5 } } as const
const UNREADY = { isUnready: true } as const
/** Pods that fill a node of four CPUs: three of them need a node of twelve. */
const FULL = { asks: { cpu: 3, memory: 3 } } as const
const ON_THREE = { a: { on: 'n-1', ...FULL }, b: { on: 'n-2', ...FULL }, c: { on: 'n-3', ...FULL } } as const

/** Twenty sizes of rising price, spot and on demand in one zone. */
const SPOT = growing(20).map((type, index) => ({
  ...type,
  offerings: [sold(0.1 * (index + 1), 'z1 spot'), sold(0.3 * (index + 1), 'z1')],
}))

function spotOf(cpus: number) {
  return { labels: `type=it-${cpus} capacity=spot`, room: { cpu: cpus - 0.1, memory: 2 * cpus - 1, pods: 10 * cpus } }
}

function sizesTo(count: number): string {
  return Array.from({ length: count }, (_, index) => `it-${index + 1}`).join(' ')
}

function replacing(kind: CapacityType): MoveScenarios {
  const dear = { ...spotOf(20), labels: `type=it-20 capacity=${kind}` }
  const alone = { types: SPOT, nodes: { n1: dear }, pods: { p: { on: 'n1', ...LIGHT } } }
  /** The first node is full, so that the pod of the second has no place there. */
  const two = { types: SPOT, nodes: { n1: dear, n2: dear }, pods: { p: { on: 'n1', asks: { cpu: 19.8 } }, q: { on: 'n2', ...LIGHT } } }
  return {
    [`CR-01 a light pod on one dear ${kind} node gets a cheaper one`]: { given: alone, want: { replaced: { n1: '*' }, deleting: 0 } },
    [`CR-09 fewer cheaper sizes than minValues asks keep one ${kind} node`]: {
      given: { ...alone, pools: { default: { needs: `type exists min 20, capacity in ${kind}` } } },
      want: { replacing: 0, stays: { n1: 'DISRUPTION.NO_SAVING' }, says: 'minValues' },
    },
    [`CR-10 one ${kind} node is replaced beside a pool that has no sizes`]: {
      given: { ...alone, types: { default: SPOT, none: [] }, pools: { default: {}, other: { class: 'none' } } },
      want: { replaced: { n1: '*' } },
    },
    [`CR-11 a budget of pods keeps one ${kind} node, the other is replaced`]: {
      given: { ...two, budgets: { g: { of: 'app=p' } } },
      want: { replaced: { n2: '*' }, stays: { n1: 'DISRUPTION.PDB' } },
    },
    [`CR-12 a budget that lets unhealthy pods go keeps no ${kind} node of theirs`]: {
      given: {
        ...alone,
        pods: { p: { on: 'n1', ...LIGHT, over: UNREADY } },
        budgets: { g: { of: 'app=p', unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      },
      want: { replaced: { n1: '*' } },
    },
    [`CR-13 a budget of another namespace keeps no ${kind} node`]: {
      given: { ...alone, pods: { p: { on: 'n1', ...LIGHT, namespace: 'other' } }, budgets: { g: { of: 'app=p' } } },
      want: { replaced: { n1: '*' } },
    },
    [`CR-14 one ${kind} node that must not be disrupted stays, the other is replaced`]: {
      given: { ...two, kept: { n1: 'true' } },
      want: { replaced: { n2: '*' }, stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' } },
    },
    [`CR-15 one ${kind} node with a pod that must not be disrupted stays, the other is replaced`]: {
      given: { ...two, kept: { p: 'true' } },
      want: { replaced: { n2: '*' }, stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' } },
    },
  }
}

function together(kind: CapacityType): MoveScenarios {
  const old = size('old', { offerings: [sold(0.5, `z1 ${kind}`)] })
  const labels = `type=old capacity=${kind}`
  return {
    [`MN-01 three ${kind} nodes get one cheaper node together`]: {
      given: {
        types: [old, size('new', { cpus: 12, memoryGib: 12, pods: 20, offerings: [sold(0.9, `z1 ${kind}`)] })],
        nodes: { n: { count: 3, labels } },
        pods: ON_THREE,
      },
      want: { replaced: { 'n-1 n-2 n-3': 'new' }, replacing: 1, deleting: 0, saves: 0.6 },
    },
    [`MN-03 two ${kind} nodes of one size do not become one of that size: the one with fewer pods goes`]: {
      given: {
        types: [old],
        nodes: { n: { count: 2, labels } },
        pods: { a: { on: 'n-1', count: 2, ...LIGHT }, b: { on: 'n-2', ...LIGHT } },
      },
      want: { goes: { Underutilized: 'n-2' }, deleting: 1, replacing: 0 },
    },
    [`MN-05 three ${kind} nodes that never got pods go in one decision`]: {
      given: { types: [old], nodes: { n: { count: 3, labels } } },
      want: { goes: { Empty: 'n-1 n-2 n-3' }, replacing: 0 },
    },
  }
}

export const SPOT_AND_ON_DEMAND: MoveScenarios = {
  ...replacing('spot'),
  ...replacing('on-demand'),
  ...together('spot'),
  ...together('on-demand'),
  'CR-02 a spot node with fewer than fifteen cheaper sizes stays': {
    given: { types: SPOT, nodes: { n1: spotOf(8) }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { stays: { n1: 'DISRUPTION.SPOT' }, says: '7 cheaper spot instance types' },
  },
  'CR-04 a spot node of the fifteen cheapest sizes stays': {
    given: { types: SPOT, nodes: { n1: spotOf(15) }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.SPOT' }, says: '14 cheaper spot instance types' },
  },
  'CR-05 a spot node with fifteen cheaper sizes gets one of the fifteen cheapest, whatever their order in the catalog': {
    given: { types: SPOT.toReversed(), nodes: { n1: spotOf(20) }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { replaced: { n1: sizesTo(15) } },
  },
  'CR-06 of seventeen where minValues asks for as many': {
    given: {
      types: SPOT,
      pools: { default: { needs: 'type exists min 17' } },
      nodes: { n1: spotOf(20) },
      pods: { p: { on: 'n1', ...LIGHT } },
    },
    want: { replaced: { n1: sizesTo(17) } },
  },
  'CR-07 of fifteen where minValues asks for fewer': {
    given: {
      types: SPOT,
      pools: { default: { needs: 'type exists min 5' } },
      nodes: { n1: spotOf(20) },
      pods: { p: { on: 'n1', ...LIGHT } },
    },
    want: { replaced: { n1: sizesTo(15) } },
  },
  'MN-02 spot nodes and others get one cheaper node together': {
    given: {
      types: [
        size('old', { offerings: [sold(0.5, 'z1 spot'), sold(0.6, 'z1')] }),
        size('new', { cpus: 12, memoryGib: 12, pods: 20, offerings: [sold(0.9, 'z1')] }),
      ],
      nodes: {
        'n-1': { labels: 'type=old capacity=spot' },
        'n-2': { labels: 'type=old' },
        'n-3': { labels: 'type=old capacity=spot' },
      },
      pods: ON_THREE,
    },
    want: { replaced: { 'n-1 n-2 n-3': 'new' }, replacing: 1, deleting: 0, saves: 0.7 },
  },
}
