import { NOW } from '../../builders/clock.ts'
import { DAEMON_SET, NODE_OWNER } from '../../builders/pod.ts'
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
  'CA-06 CD-08 with a grace period it keeps its node from consolidation all the same': {
    given: { nodes: TWO, pods: { p: { on: 'n1' }, q: { on: 'n2' } }, kept: { p: TRUE }, graced: 'n1' },
    want: { stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' }, goes: { Underutilized: 'n2' } },
  },
  'CA-07 CD-09 so does a budget of pods': {
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
  'CA-12 CD-06 a node that must not be disrupted stays': {
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
