import { NOW } from '../../builders/clock.ts'
import { DAEMON_SET, NODE_OWNER, STATEFUL_SET } from '../../builders/pod.ts'
import { growing } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

const TWO = { n1: {}, n2: {} } as const
const GUARD = { guard: { of: 'app=p' } } as const
const TRUE = 'true'

/** Which nodes may be disrupted at all. */
export const CANDIDATES: MoveScenarios = {
  'CA-01 CA-08 a pod that must not be disrupted keeps its node from drift': {
    given: { nodes: TWO, pods: { p: { on: 'n1' } }, drifted: 'n1', kept: { p: TRUE } },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' }, says: 'default/p' },
  },
  'CA-01 CA-17 and from consolidation': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, kept: { p: TRUE } },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' }, goes: { Underutilized: 'n2' } },
  },
  'CA-02 so does a static pod': {
    given: { nodes: TWO, pods: { p: { on: 'n1', owner: NODE_OWNER } }, kept: { p: TRUE } },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' } },
  },
  'CA-03 so does a daemon': {
    given: { nodes: TWO, pods: { p: { on: 'n1', owner: DAEMON_SET } }, kept: { p: TRUE } },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' } },
  },
  'CA-04 with a grace period it does not keep its node from drift': {
    given: { nodes: TWO, pods: { p: { on: 'n1' } }, drifted: 'n1', kept: { p: TRUE }, graced: 'n1' },
    want: { goes: { Drifted: 'n1' } },
  },
  'CA-05 nor does a budget of pods': {
    given: { nodes: TWO, pods: { p: { on: 'n1' } }, budgets: GUARD, drifted: 'n1', graced: 'n1' },
    want: { replaced: { n1: '*' } },
  },
  'CA-06 with a grace period it keeps its node from consolidation all the same': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, kept: { p: TRUE }, graced: 'n1' },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' }, goes: { Underutilized: 'n2' } },
  },
  'CA-07 so does a budget of pods': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, budgets: GUARD, graced: 'n1' },
    want: { stays: { n1: 'DISRUPTION.PDB' }, goes: { Underutilized: 'n2' } },
  },
  'CA-09 a budget of pods keeps a node from drift': {
    given: { nodes: TWO, pods: { p: { on: 'n1' } }, budgets: GUARD, drifted: 'n1' },
    want: { stays: { n1: 'DISRUPTION.PDB' }, says: 'default/guard' },
  },
  'CA-10 a pod that is ending keeps nothing': {
    given: { nodes: TWO, pods: { p: { on: 'n1', over: { deletedAt: NOW } } }, kept: { p: TRUE } },
    want: { goes: { Empty: 'n1 n2' } },
  },
  'CA-11 a pod that has ended keeps nothing': {
    given: { nodes: TWO, pods: { p: { on: 'n1', over: { phase: 'Succeeded' } } }, kept: { p: TRUE } },
    want: { goes: { Empty: 'n1 n2' } },
  },
  'CA-12 a node that must not be disrupted stays': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, kept: { n1: TRUE } },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' }, goes: { Underutilized: 'n2' } },
  },
  'CA-13 a pod with two budgets keeps its node, and both are named': {
    given: {
      nodes: TWO,
      pods: { p: { on: 'n1' }, q: { on: 'n2' } },
      budgets: { one: { of: 'app=p', disruptionsAllowed: 1 }, two: { of: 'app=p', disruptionsAllowed: 1 } },
    },
    want: { stays: { n1: 'DISRUPTION.PDB' }, says: 'default/one and default/two' },
  },
  'CA-14 a budget that can never let a pod go keeps its node, which the reason says': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, budgets: { guard: { of: 'app=p', maxUnavailable: '0' } } },
    want: { stays: { n1: 'DISRUPTION.PDB' }, goes: { Underutilized: 'n2' }, says: 'default/guard can never allow' },
  },
  'CA-15 a budget of a daemon keeps its node': {
    given: { nodes: TWO, pods: { p: { on: 'n1', owner: DAEMON_SET } }, budgets: GUARD },
    want: { stays: { n1: 'DISRUPTION.PDB' }, goes: { Empty: 'n2' } },
  },
  'PB-04 a budget that lets no pod be away keeps its node': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1' } }, budgets: { guard: { of: 'app=p', maxUnavailable: '0' } } },
    want: { stays: { n1: 'DISRUPTION.PDB' } },
  },
  'PB-04 so does one that lets no share be away': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1' } }, budgets: { guard: { of: 'app=p', maxUnavailable: '0%' } } },
    want: { stays: { n1: 'DISRUPTION.PDB' } },
  },
  'PB-04 so does one that wants all to stay': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1' } }, budgets: { guard: { of: 'app=p', minAvailable: '100%' } } },
    want: { stays: { n1: 'DISRUPTION.PDB' } },
  },
  'PB-04 so do two': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1' } },
      budgets: { one: { of: 'app=p', disruptionsAllowed: 1 }, two: { of: 'app=p', disruptionsAllowed: 1 } },
    },
    want: { stays: { n1: 'DISRUPTION.PDB' } },
  },
  'PB-05 so does the budget of one pod of many': {
    given: {
      nodes: TWO,
      pods: { p: { on: 'n1' }, q: { on: 'n1' }, r: { on: 'n1' }, other: { on: 'n2' } },
      budgets: { guard: { of: 'app=q', maxUnavailable: '0' } },
    },
    want: { stays: { n1: 'DISRUPTION.PDB' }, says: 'default/q' },
  },
  'CA-16 a budget of a static pod does not': {
    given: { nodes: TWO, pods: { p: { on: 'n1', owner: NODE_OWNER } }, budgets: GUARD },
    want: { goes: { Empty: 'n1 n2' } },
  },
  'CA-18 a budget of pods keeps a node from consolidation': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, budgets: GUARD },
    want: { stays: { n1: 'DISRUPTION.PDB' }, goes: { Underutilized: 'n2' } },
  },
  'CA-19 a budget of pods that have ended does not': {
    given: { nodes: TWO, pods: { p: { on: 'n1', over: { phase: 'Succeeded' } } }, budgets: GUARD },
    want: { goes: { Empty: 'n1 n2' } },
  },
  'CA-20 nor does a budget of pods that are ending': {
    given: { nodes: TWO, pods: { p: { on: 'n1', over: { deletedAt: NOW } } }, budgets: GUARD },
    want: { goes: { Empty: 'n1 n2' } },
  },
  'CA-21 a node that no claim made stays': {
    given: { nodes: { own: { pool: null }, n1: {} }, pods: { p: { on: 'n1' } } },
    want: { stays: { own: 'silent' }, goes: { Underutilized: 'n1' } },
  },
  'CA-22 a claim without a node stays': { given: { nodes: { n1: { stage: 'launched' } } }, want: { deleting: 0, stays: { n1: 'silent' } } },
  'CA-23 a node that a pod was promised to stays': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, w: {} }, promised: { w: 'n2' } },
    want: { stays: { n2: 'DISRUPTION.NOMINATED' } },
  },
  'CA-24 a node that is being deleted is not asked again': {
    given: { nodes: { n1: { deleting: true }, n2: {} }, pods: { p: { on: 'n2' } } },
    want: { deleting: 0, stays: { n1: 'silent' } },
  },
  'CA-26 a node that is not initialized stays': {
    given: { nodes: { n1: { stage: 'registered' } } },
    want: { deleting: 0, stays: { n1: 'silent' } },
  },
  'CA-27 a node without the label of its pool stays': {
    given: { nodes: { n1: { bare: 'karpenter.sh/nodepool' } } },
    want: { deleting: 0, stays: { n1: 'silent' } },
  },
  'CA-28 a node whose pool is not there stays': {
    given: { nodes: { n1: { pool: 'other' } } },
    want: { deleting: 0, stays: { n1: 'silent' } },
  },
  'CA-29 an empty node without a capacity type goes': { given: { nodes: { n1: { bare: 'capacity' } } }, want: { goes: { Empty: 'n1' } } },
  'CA-30 an empty node without a zone goes': { given: { nodes: { n1: { bare: 'zone' } } }, want: { goes: { Empty: 'n1' } } },
  'CA-31 an empty node without a size goes': { given: { nodes: { n1: { bare: 'type' } } }, want: { goes: { Empty: 'n1' } } },
  'CA-32 an empty node of a size that nobody knows goes': {
    given: { nodes: { n1: { labels: 'type=gone' } } },
    want: { goes: { Empty: 'n1' } },
  },
}

/** Empty nodes. */
export const EMPTINESS: MoveScenarios = {
  'EM-02 all of them go at once': { given: { nodes: { n: { count: 10 } } }, want: { deleting: 10 } },
  'EM-03 none where the budget says none': {
    given: { nodes: { n: { count: 10 } }, policies: { default: { budgets: [{ nodes: '0%' }] } } },
    want: { deleting: 0 },
  },
  'EM-04 three of ten at 30 %': {
    given: { nodes: { n: { count: 10 } }, policies: { default: { budgets: [{ nodes: '30%' }] } } },
    want: { deleting: 3 },
  },
  'EM-05 two of three at 50 %, in each pool': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { a: { count: 3, pool: 'a' }, b: { count: 3, pool: 'b' } },
      policies: { a: { budgets: [{ nodes: '50%' }] }, b: { budgets: [{ nodes: '50%' }] } },
    },
    want: { deleting: 4 },
  },
  'EM-08 an empty one that drifted goes as empty': { given: { nodes: { n1: {} }, drifted: 'n1' }, want: { goes: { Empty: 'n1' } } },
  'EM-12 a node annotated with false goes': { given: { nodes: { n1: {} }, kept: { n1: 'false' } }, want: { goes: { Empty: 'n1' } } },
  'EM-15 a pod that waits for an empty node keeps it': {
    given: { nodes: { n1: {} }, pods: { w: { asks: { cpu: 3.5 } } } },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.NOMINATED' } },
  },
  'EM-16 daemons do not keep it': {
    given: { nodes: { n1: {} }, pods: { d: { on: 'n1', owner: DAEMON_SET } } },
    want: { goes: { Empty: 'n1' } },
  },
  'EM-17 pods of a Deployment that are ending do not keep it': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', over: { deletedAt: NOW } } } },
    want: { goes: { Empty: 'n1' } },
  },
  'EM-18 a pod of a StatefulSet that is ending comes back, and keeps it': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', owner: STATEFUL_SET, over: { deletedAt: NOW } } } },
    want: { goes: { Empty: '' } },
  },
  'EM-21 (F26) a decision that makes a node takes empty ones away all the same': {
    given: {
      types: growing(8),
      pools: { default: {}, other: { taints: 'team=a' } },
      nodes: { n1: { pool: 'other', taints: 'team=a', labels: 'type=it-4' } },
      pods: { w: { asks: { cpu: 2 } } },
    },
    want: { goes: { Empty: 'n1' } },
  },
  'BF-02 a node with a pod beside the room of a buffer is replaced by a cheaper one with room for both': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', asks: { cpu: 0.5, memory: 0.5 } } },
      templates: { t: { asks: { cpu: 0.5, memory: 0.5 } } },
      buffers: { b: { template: 't', replicas: 1 } },
    },
    want: { replaced: { n1: 'small' } },
  },
  'BF-02 it stays where a cheaper one has room for the pod alone': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', asks: { cpu: 0.5, memory: 0.5 } } },
      templates: { t: { asks: { cpu: 3 } } },
      buffers: { b: { template: 't', replicas: 1 } },
    },
    want: { replacing: 0, deleting: 0, stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'BF-02 it goes where other nodes have room for both': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', asks: { cpu: 0.5 } }, q: { on: 'n2', asks: { cpu: 2 } } },
      templates: { t: { asks: { cpu: 0.5 } } },
      buffers: { b: { template: 't', replicas: 1 } },
    },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'BF-02 room of a buffer on a third node prevents no move of the others': {
    given: {
      nodes: { n1: {}, n2: {}, n3: {} },
      pods: { p: { on: 'n1', asks: { cpu: 0.5 } }, q: { on: 'n2', asks: { cpu: 2.5 } } },
      templates: { t: { asks: { cpu: 3.8 } } },
      buffers: { b: { template: 't', replicas: 1 } },
    },
    want: { goes: { Underutilized: 'n1' }, replacing: 0, stays: { n3: 'DISRUPTION.NOMINATED' } },
  },
  'BF-03 a node where a buffer alone has room stays, though a cheaper one would do': {
    given: { nodes: { n1: {} }, templates: { t: { asks: { cpu: 0.5 } } }, buffers: { b: { template: 't', replicas: 1 } } },
    want: { replacing: 0, deleting: 0, stays: { n1: 'DISRUPTION.NOMINATED' } },
  },
  'EB-01 a node whose room a buffer keeps stays': {
    given: { nodes: { n1: {} }, templates: { t: { asks: { cpu: 1 } } }, buffers: { b: { template: 't', replicas: 1 } } },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.NOMINATED' } },
  },
  'EB-03 others go': {
    given: { nodes: { n1: {}, n2: {} }, templates: { t: { asks: { cpu: 1 } } }, buffers: { b: { template: 't', replicas: 1 } } },
    want: { deleting: 1 },
  },
}
