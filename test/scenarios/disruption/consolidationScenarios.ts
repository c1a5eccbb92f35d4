import { vmSizeName } from '../../../shared/model/ids.ts'
import { durationMs } from '../../../shared/model/units.ts'
import { hence, MINUTE } from '../../builders/clock.ts'
import { growing, size, sold, withDisk } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

const BIG = { asks: { cpu: 3.5 } } as const
/** Pods that fill a node of four CPUs, four or three of them. No smaller node holds them. */
const QUARTER = { asks: { cpu: 0.9 } } as const
const THIRD = { asks: { cpu: 1.2 } } as const
const LIGHT = { asks: { cpu: 0.5, memory: 0.5 } } as const
const ON_EACH = { a: { on: 'n-1', ...BIG }, b: { on: 'n-2', ...BIG }, c: { on: 'n-3', ...BIG } } as const
const ON_4 = { labels: 'type=it-4', room: { cpu: 3.9, memory: 7, pods: 40 } } as const

/** Pool `apps` has two zones, and the other pool has three. The pods select pool `apps`. */
const TWO_POOLS = { apps: { labels: 'team=apps', needs: 'zone in z1 z2' }, other: {} } as const
const OF_APPS = { labels: 'app=p', asks: { cpu: 1.5 }, select: 'team=apps', spread: [{ over: 'zone', of: 'app=p' }] } as const

/** Nodes that are deleted because their pods fit on other nodes. */
export const DELETE: MoveScenarios = {
  'SD8 pods of two zones are put together though another pool has a further zone': {
    given: {
      pools: TWO_POOLS,
      nodes: {
        n1: { pool: 'apps', labels: 'team=apps zone=z1' },
        n2: { pool: 'apps', labels: 'team=apps zone=z1' },
        n3: { pool: 'apps', labels: 'team=apps zone=z2' },
        n4: { pool: 'apps', labels: 'team=apps zone=z2' },
      },
      pods: { a: { ...OF_APPS, on: 'n1' }, b: { ...OF_APPS, on: 'n2' }, c: { ...OF_APPS, on: 'n3' }, d: { ...OF_APPS, on: 'n4' } },
    },
    want: { deleting: 2, replacing: 0 },
  },
  'a node is not replaced by one of a demoted size, though that would cost less than a quarter': {
    given: {
      types: [size('dear', { price: 10, spotPrice: null }), size('cheap', { price: 0.2, spotPrice: null })],
      demoted: [{ size: vmSizeName('cheap'), because: 'notBooted', until: hence(MINUTE) }],
      nodes: { n1: { labels: 'type=dear' } },
      pods: { p: { on: 'n1' } },
    },
    want: { stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'a node of a demoted size counts at its real price': {
    given: {
      types: [size('cheap', { price: 0.2, spotPrice: null }), size('other', { price: 0.5, spotPrice: null })],
      demoted: [{ size: vmSizeName('cheap'), because: 'notBooted', until: hence(MINUTE) }],
      nodes: { n1: { labels: 'type=cheap' } },
      pods: { p: { on: 'n1' } },
    },
    want: { stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'CD-01 pods that fit elsewhere let their node go': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1' }, q: { on: 'n2', ...BIG, asks: { cpu: 2.5 } } } },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'CD-02 a node with recent churn stays, and the quiet one goes': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { n1: { pool: 'a' }, n2: { pool: 'b' }, n3: { pool: 'b' } },
      pods: { p: { on: 'n1' }, q: { on: 'n2' }, r: { on: 'n3', asks: { cpu: 2.5 } } },
      policies: { a: { consolidateAfter: durationMs(3_600_000) } },
      kept: { r: 'true' },
    },
    want: { stays: { n1: 'DISRUPTION.QUIET' }, goes: { Underutilized: 'n2' }, replacing: 0 },
  },
  'CD-04 a node that no claim made takes pods': {
    given: { nodes: { own: { pool: null }, n1: {} }, pods: { p: { on: 'n1' } } },
    want: { goes: { Underutilized: 'n1' } },
  },
  'CD-05 a budget of pods holds one, and the other goes': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, budgets: { g: { of: 'app=p' } } },
    want: { goes: { Underutilized: 'n2' }, stays: { n1: 'DISRUPTION.PDB' } },
  },
  'a budget of one node for this reason lets one go of two that could': {
    given: {
      nodes: { n1: {}, n2: {}, n3: {} },
      pods: { p: { on: 'n1', asks: { cpu: 0.5 } }, q: { on: 'n2', asks: { cpu: 0.6 } }, r: { on: 'n3', asks: { cpu: 2.2 } } },
      policies: { default: { budgets: [{ nodes: '1', reasons: ['Underutilized'] }] } },
    },
    want: { deleting: 1, replacing: 0 },
  },
  'F26 a node goes while a pod waits for the node that the pod was nominated to': {
    given: {
      nodes: { n1: {}, n2: {}, n3: { stage: 'registered' } },
      pods: { p: { on: 'n1', asks: { cpu: 1 } }, q: { on: 'n2', asks: { cpu: 2.5 } }, w: BIG },
      promised: { w: 'n3' },
    },
    want: { goes: { Underutilized: 'n1' } },
  },
  'a node stays where kube-scheduler is about to bind a pod, and its room is not promised to pods of another': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', asks: { cpu: 0.2 } }, q: { on: 'n2', asks: { cpu: 2 } }, w: { asks: { cpu: 3 }, nominated: 'n1' } },
    },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NOMINATED', n2: 'DISRUPTION.NO_SAVING' } },
  },
  'F26 no node with pods goes in the decision that finds a place for a pod': {
    given: {
      nodes: { n1: {}, n2: {}, n3: { stage: 'registered' } },
      pods: { p: { on: 'n1', asks: { cpu: 1 } }, q: { on: 'n2', asks: { cpu: 2.5 } }, w: BIG },
    },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.PENDING' } },
  },
  'F5 an idle node goes, and a full one stays, though a cheaper one would do for it': {
    given: {
      types: [size('it-4', { cpus: 4, price: 0.4 }), size('cheaper', { cpus: 4, price: 0.3 })],
      nodes: { idle: { ...ON_4 }, full: { ...ON_4 }, other: { ...ON_4 } },
      pods: { p: { on: 'idle', asks: { cpu: 0.2 } }, q: { count: 4, on: 'full', ...QUARTER }, r: { on: 'other', asks: { cpu: 2 } } },
      policies: { default: { budgets: [{ nodes: '1' }] } },
    },
    want: { goes: { Underutilized: 'idle' }, replacing: 0, stays: { full: 'DISRUPTION.BUDGET' } },
  },
  'SV-10 a claim that is not launched stops no move of another pool': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { stuck: { pool: 'a', stage: 'created' }, n1: { pool: 'b' }, n2: { pool: 'b' } },
      pods: { w: { select: 'karpenter.sh/nodepool=a', ...BIG }, p: { on: 'n1' }, q: { on: 'n2', asks: { cpu: 2.5 } } },
      promised: { w: 'stuck' },
    },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'CD-13 pods without an owner let it go': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1', owner: null }, q: { on: 'n2', ...BIG, asks: { cpu: 2.5 } } } },
    want: { goes: { Underutilized: 'n1' } },
  },
  'DS-01 a node that is not initialized takes pods of nodes that are being deleted, which stops no move of others': {
    given: {
      nodes: { old: { deleting: true }, coming: { stage: 'registered' }, n1: {}, n2: {} },
      pods: { d: { on: 'old', ...BIG }, p: { on: 'n1', asks: { cpu: 1 } }, q: { on: 'n2', asks: { cpu: 2.5 } } },
      promised: { d: 'coming' },
    },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'CD-14 a node that is not initialized takes none': {
    given: { nodes: { n1: {}, n2: { stage: 'registered' } }, pods: { p: { on: 'n1', asks: { cpu: 3, memory: 3 } } } },
    want: { deleting: 0 },
  },
  'CD-15 a node that waits to be quiet takes none': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { n1: { pool: 'a' }, n2: { pool: 'b' } },
      pods: { p: { on: 'n1', asks: { cpu: 3, memory: 3 } } },
      policies: { b: { consolidateAfter: durationMs(3_600_000) } },
    },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'CD-16 a node that never consolidates takes pods': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { n1: { pool: 'a' }, n2: { pool: 'b' } },
      pods: { p: { on: 'n1', asks: { cpu: 3, memory: 3 } } },
      policies: { b: { consolidateAfter: 'Never' } },
    },
    want: { goes: { Underutilized: 'n1' }, stays: { n2: 'DISRUPTION.POLICY' } },
  },
  'CD-19 a pod that never finds a place stops nobody': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1' }, q: { on: 'n2', asks: { cpu: 2.5 } }, w: { asks: { cpu: 900 } } } },
    want: { goes: { Underutilized: 'n1' } },
  },
  'CD-20 a pod that would have to wait keeps its node': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1', ...BIG }, q: { on: 'n2', ...BIG } } },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.NO_SAVING', n2: 'DISRUPTION.NO_SAVING' } },
  },
  'CD-22 a pod that gladly goes costs nothing, and its node goes first': {
    given: {
      nodes: { n1: {}, n2: {}, n3: {} },
      pods: { p: { on: 'n1' }, q: { on: 'n2' }, r: { on: 'n3', asks: { cpu: 2.9 } } },
      deletionCosts: { q: '-2147483648' },
      kept: { r: 'true' },
      policies: { default: { budgets: [{ nodes: '1' }] } },
    },
    want: { goes: { Underutilized: 'n2' } },
  },
  'TP-02 a pod that keeps to itself keeps its node where others are everywhere else': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: {
        p: { on: 'n1', labels: 'app=x', asks: { cpu: 3, memory: 3 }, apart: 'app=x over hostname' },
        q: { on: 'n2', labels: 'app=x' },
      },
    },
    want: { stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'TP-03 a spread over zones holds without the node, and while it still stands': {
    given: {
      nodes: { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' }, n3: { labels: 'zone=z3' } },
      pods: {
        a: { on: 'n1', labels: 'app=x', spread: [{ over: 'zone', of: 'app=x' }], asks: { cpu: 1.9, memory: 2 } },
        b: { on: 'n2', labels: 'app=x', spread: [{ over: 'zone', of: 'app=x' }], asks: { cpu: 1.9, memory: 2 } },
        c: { on: 'n3', labels: 'app=x', spread: [{ over: 'zone', of: 'app=x' }], asks: { cpu: 1.9, memory: 2 } },
      },
    },
    want: { deleting: 0 },
  },
  'a pod with a resource claim keeps its node, whatever room there is': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', over: { resourceClaims: ['gpu'] } }, q: { on: 'n2', asks: { cpu: 0.5 } } },
      kept: { q: 'true' },
    },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'WV-01 no move relies on a node that goes as well': {
    given: {
      types: growing(8),
      nodes: { n: { ...ON_4, count: 4 } },
      pods: { a: { on: 'n-1', ...QUARTER }, b: { on: 'n-2', ...QUARTER }, c: { on: 'n-3', ...QUARTER }, d: { on: 'n-4', ...QUARTER } },
    },
    want: { deleting: 3 },
  },
  'WV-02 pods of one budget go from one node at a time': {
    given: {
      types: growing(8),
      nodes: { n: { ...ON_4, count: 3 } },
      pods: {
        a: { on: 'n-1', labels: 'app=x', ...THIRD },
        b: { on: 'n-2', labels: 'app=x', ...THIRD },
        c: { on: 'n-3', ...THIRD },
      },
      budgets: { g: { of: 'app=x', disruptionsAllowed: 1 } },
    },
    want: { deleting: 1, says: 'used up by moves of the same decision' },
  },
  'pods that a cheaper node will hold in the end move there at once': {
    given: { nodes: { n: { count: 4 } }, pods: { a: { on: 'n-1' }, b: { on: 'n-2' }, c: { on: 'n-3' }, d: { on: 'n-4' } } },
    want: { deleting: 0, replacing: 1 },
  },
  'WV-03 the budget of the pool counts moves of all kinds': {
    given: {
      nodes: { n: { count: 4 } },
      pods: { a: { on: 'n-1' }, b: { on: 'n-2' } },
      policies: { default: { budgets: [{ nodes: '2' }] } },
    },
    want: { goes: { Empty: 'n-3 n-4', Underutilized: '' }, stays: { 'n-1': 'DISRUPTION.BUDGET' } },
  },
  'PL-01 under WhenEmpty a node with pods stays': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1' } }, policies: { default: { consolidationPolicy: 'WhenEmpty' } } },
    want: { goes: { Empty: 'n2' }, stays: { n1: 'DISRUPTION.POLICY' } },
  },
}

/** Nodes that are replaced by something cheaper. */
export const REPLACE: MoveScenarios = {
  'CR-01 a light pod on a dear node gets a cheaper one': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { replaced: { n1: 'small' }, deleting: 0, saves: 0.4 },
  },
  'CR-16 a zone whose price is above what the node costs keeps it': {
    given: {
      types: [
        size('old', { offerings: [sold(0.5, 'z1')] }),
        size('new', { offerings: [sold(0.2, 'z1 spot'), sold(1, 'z2 spot'), sold(1, 'z1')] }),
      ],
      nodes: { n1: { labels: 'type=old' } },
      pods: { p: { on: 'n1' } },
    },
    want: { replacing: 0 },
  },
  'CR-17 nothing dearer comes': {
    given: {
      types: [size('old', { offerings: [sold(0.5, 'z1', undefined, false)] }), size('new', { offerings: [sold(0.6, 'z1')] })],
      nodes: { n1: { labels: 'type=old' } },
      pods: { p: { on: 'n1' } },
    },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.NO_SAVING' }, says: '$0.50/h' },
  },
  'PB-01 a cheaper VM that pays for a managed disk does not come': {
    given: {
      types: [size('old', { offerings: [sold(0.04, 'z1')] }), size('new', { offerings: [withDisk(sold(0.0154, 'z1'), 0.027)] })],
      nodes: { n1: { labels: 'type=old' } },
      pods: { p: { on: 'n1' } },
    },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'PB-02 a dearer VM whose disk is its own comes for a VM with a managed disk, if both together cost more': {
    given: {
      types: [size('old', { offerings: [withDisk(sold(0.0154, 'z1'), 0.027)] }), size('new', { offerings: [sold(0.03, 'z1')] })],
      nodes: { n1: { labels: 'type=old' } },
      pods: { p: { on: 'n1' } },
    },
    want: { replaced: { n1: 'new' }, saves: 0.0124 },
  },
  'PB-03 three VMs with a disk each become one dearer VM with one disk': {
    given: {
      types: [
        size('old', { offerings: [withDisk(sold(0.1, 'z1'), 0.027)] }),
        size('new', { cpus: 12, memoryGib: 12, pods: 20, offerings: [withDisk(sold(0.33, 'z1'), 0.027)] }),
      ],
      nodes: { n: { count: 3, labels: 'type=old' } },
      pods: ON_EACH,
    },
    want: { replaced: { 'n-1 n-2 n-3': 'new' }, replacing: 1, saves: 0.024 },
  },
  'CE-05 a node with a pod and without a capacity type stays': {
    given: { nodes: { n1: { bare: 'capacity' } }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.NO_PRICE' } },
  },
  'CE-06 so does one without a zone': {
    given: { nodes: { n1: { bare: 'zone' } }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.NO_PRICE' } },
  },
  'CE-04 CR-18 a node of a size that nobody knows stays': {
    given: { nodes: { n1: { labels: 'type=gone' } }, pods: { p: { on: 'n1' } } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.NO_PRICE' } },
  },
  'CR-19 (F37) in a full pool what goes is room for what comes': {
    given: { pools: { default: { limits: { cpu: 4 } } }, nodes: { n1: { reports: {} } }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { replaced: { n1: 'small' } },
  },
  'CR-20 its new place keeps its zone where its pods say so': {
    given: { types: growing(8), nodes: { n1: ON_4 }, pods: { p: { on: 'n1', asks: { cpu: 0.5 }, select: 'zone=z1' } } },
    want: { replaced: { n1: '*' } },
  },
  'MN-07 nothing together that costs as much': {
    given: {
      types: [
        size('old', { offerings: [sold(0.5, 'z1')] }),
        size('new', { cpus: 12, memoryGib: 12, pods: 20, offerings: [sold(1.5, 'z1')] }),
      ],
      nodes: { n: { count: 3, labels: 'type=old' } },
      pods: {
        a: { on: 'n-1', asks: { cpu: 3, memory: 3 } },
        b: { on: 'n-2', asks: { cpu: 3, memory: 3 } },
        c: { on: 'n-3', asks: { cpu: 3, memory: 3 } },
      },
    },
    want: { deleting: 0, replacing: 0, stays: { 'n-1': 'DISRUPTION.NO_SAVING' } },
  },
  'MN-08 nor more than the budget lets go': {
    given: {
      types: [
        size('old', { offerings: [sold(0.5, 'z1')] }),
        size('new', { cpus: 12, memoryGib: 12, pods: 20, offerings: [sold(0.9, 'z1')] }),
      ],
      nodes: { n: { count: 3, labels: 'type=old' } },
      pods: {
        a: { on: 'n-1', asks: { cpu: 3, memory: 3 } },
        b: { on: 'n-2', asks: { cpu: 3, memory: 3 } },
        c: { on: 'n-3', asks: { cpu: 3, memory: 3 } },
      },
      policies: { default: { budgets: [{ nodes: '2' }] } },
    },
    want: { replaced: { 'n-1 n-2': 'new' } },
  },
  'PZ-02 a node stays whose room is needed by pods of a node that is being deleted': {
    given: { nodes: { n1: { deleting: true }, n2: {} }, pods: { p: { on: 'n1' } } },
    want: { deleting: 0, stays: { n2: 'DISRUPTION.NOMINATED' } },
  },
  'ST-01 a node of a static pool stays': {
    given: { pools: { default: { replicas: 1 } }, nodes: { n1: {} }, pods: { p: { on: 'n1', ...LIGHT } } },
    want: { deleting: 0, replacing: 0, stays: { n1: 'silent' } },
  },
}
