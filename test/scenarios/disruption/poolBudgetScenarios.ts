/** Budgets of ten pools with three nodes each. */
import { durationMs } from '../../../shared/model/units.ts'
import { withStarts } from '../../../shared/wire/objects/schedule.ts'
import type { MoveScenario, MoveScenarios } from './moveScenario.ts'

type Given = MoveScenario['given']

const POOLS = Array.from({ length: 10 }, (_, at) => `p${at}`)
const NODES = POOLS.flatMap((pool) => [1, 2, 3].map((at) => `${pool}-${at}`))

function each<Value>(names: readonly string[], of: (name: string) => Value): { readonly [name: string]: Value } {
  return Object.fromEntries(names.map((name) => [name, of(name)]))
}

/** The names of the first so many nodes of each pool. */
function first(count: number): string {
  return NODES.filter((name) => Number(name.split('-')[1]) <= count).join(' ')
}

function tenPools(nodes: string, more: Given = {}): Given {
  return {
    pools: each(POOLS, () => ({})),
    policies: each(POOLS, () => ({ budgets: [{ nodes }] })),
    ...more,
    nodes: { ...each(POOLS, (pool) => ({ count: 3, pool })), ...more.nodes },
  }
}

/** A node that no claim made has room for all pods. */
const LIGHT: Given = {
  nodes: { own: { pool: null, room: { cpu: 64, memory: 64, pods: 100 } } },
  pods: each(NODES, (node) => ({ on: node, asks: { cpu: 0.1 } })),
}
/** No node has room for the pod of another. All nodes have drifted. */
const FULL: Given = { pods: each(NODES, (node) => ({ on: node, asks: { cpu: 3.5 } })), drifted: NODES.join(' ') }

/** A node with a pod beside two empty nodes. The budget of their pool lets one of them go now. */
function besideEmpty(cpu: number): Given {
  return {
    pools: { a: {}, b: {} },
    nodes: { a1: { pool: 'a' }, b1: { pool: 'b' }, b2: { pool: 'b' } },
    pods: { p: { on: 'a1', asks: { cpu } } },
    policies: { b: { budgets: [{ nodes: '1' }] } },
  }
}

/** Pools do not share budgets. */
export const POOL_BUDGETS: MoveScenarios = {
  'EM-05 CB-06 two empty nodes of three at 50 %, in each pool': { given: tenPools('50%'), want: { goes: { Empty: first(2) } } },
  'EM-06 CB-07 all empty nodes at 100 %': { given: tenPools('100%'), want: { goes: { Empty: first(3) } } },
  'CB-08 no empty node at 0 %': { given: tenPools('0%'), want: { goes: { Empty: '' } } },
  'CB-06 two nodes of three with pods at 50 %, in each pool': {
    given: tenPools('50%', LIGHT),
    want: { goes: { Underutilized: first(2) } },
  },
  'CB-07 all nodes with pods at 100 %': { given: tenPools('100%', LIGHT), want: { goes: { Underutilized: first(3) } } },
  'CB-08 no node with pods at 0 %': { given: tenPools('0%', LIGHT), want: { goes: { Underutilized: '' }, replacing: 0 } },
  'DD-04 one drifted node of each pool at 1': {
    given: tenPools('1', FULL),
    want: { deleting: 0, replacing: 10, replaced: each(first(1).split(' '), () => '*') },
  },
  'a budget whose schedule cannot be read': {
    given: {
      nodes: { n1: {} },
      policies: { default: { budgets: [withStarts({ nodes: '1', schedule: '99 25 * * *', duration: durationMs(1_800_000) })] } },
    },
    want: {
      goes: { Empty: '' },
      stays: { n1: 'DISRUPTION.BUDGET' },
      says: 'a budget of nodepool default with schedule 99 25 * * * cannot be read (schedule: Invalid value for minute: 99); all voluntary moves of the nodepool wait until spec.disruption.budgets is corrected',
    },
  },
  'a pod does not go to an empty node that goes next and costs as much': {
    given: besideEmpty(3.5),
    want: { goes: { Empty: 'b1' }, deleting: 1, replacing: 0, stays: { a1: 'DISRUPTION.NO_SAVING', b2: 'DISRUPTION.BUDGET' } },
  },
  'its node is replaced by a cheaper new one instead': {
    given: besideEmpty(0.5),
    want: { goes: { Empty: 'b1' }, deleting: 1, replaced: { a1: 'small' } },
  },
  'CB-04 CB-05 three of ten nodes with pods at 30 %': {
    given: {
      nodes: { n: { count: 10 }, own: { pool: null, room: { cpu: 64, memory: 64, pods: 100 } } },
      pods: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at + 1}`, { on: `n-${at + 1}`, asks: { cpu: 0.1 } }])),
      policies: { default: { budgets: [{ nodes: '30%' }] } },
    },
    want: { deleting: 3, replacing: 0 },
  },
}
