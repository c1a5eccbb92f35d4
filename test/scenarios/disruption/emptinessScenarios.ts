import { ago, MINUTE, NOW } from '../../builders/clock.ts'
import { DAEMON_SET, STATEFUL_SET } from '../../builders/pod.ts'
import { growing } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

/** Empty nodes. */
export const EMPTINESS: MoveScenarios = {
  'EM-02 CB-02 all of them go at once': { given: { nodes: { n: { count: 10 } } }, want: { deleting: 10 } },
  'EM-03 CB-03 none where the budget says none': {
    given: { nodes: { n: { count: 10 } }, policies: { default: { budgets: [{ nodes: '0%' }] } } },
    want: { deleting: 0 },
  },
  'EM-04 CB-01 three of ten at 30 %': {
    given: { nodes: { n: { count: 10 } }, policies: { default: { budgets: [{ nodes: '30%' }] } } },
    want: { deleting: 3 },
  },
  'EM-08 DD-20 an empty one that drifted goes as empty': { given: { nodes: { n1: {} }, drifted: 'n1' }, want: { goes: { Empty: 'n1' } } },
  'EM-12 a node annotated with false goes': { given: { nodes: { n1: {} }, kept: { n1: 'false' } }, want: { goes: { Empty: 'n1' } } },
  'a pod that waits for an empty node keeps it': {
    given: { nodes: { n1: {} }, pods: { w: { asks: { cpu: 3.5 } } } },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.NOMINATED' } },
  },
  'a pod that kube-scheduler is about to bind to an empty node keeps it': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { asks: { cpu: 1 }, nominated: 'n2' } } },
    want: { goes: { Empty: 'n1' }, stays: { n2: 'DISRUPTION.NOMINATED' } },
  },
  'a pod that was nominated to it too long ago does not keep it': {
    given: {
      nodes: { n1: {} },
      pods: { p: { select: 'type=small', nominated: 'n1', over: { nominatedAt: ago(10 * MINUTE), unschedulableSince: ago(MINUTE) } } },
    },
    want: { goes: { Empty: 'n1' } },
  },
  'EM-14 two of them go in one decision': { given: { nodes: { n1: {}, n2: {} } }, want: { goes: { Empty: 'n1 n2' } } },
  'EM-15 a large pod that waits for a node with a small one keeps it, though a cheaper node would do for the small one': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', asks: { cpu: 0.3, memory: 0.3 } }, w: { asks: { cpu: 3.5 } } } },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NOMINATED' } },
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
  'BF-01 a node whose room a buffer keeps stays': {
    given: { nodes: { n1: {} }, templates: { t: { asks: { cpu: 1 } } }, buffers: { b: { template: 't', replicas: 1 } } },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.NOMINATED' } },
  },
  'EB-03 others go': {
    given: { nodes: { n1: {}, n2: {} }, templates: { t: { asks: { cpu: 1 } } }, buffers: { b: { template: 't', replicas: 1 } } },
    want: { goes: { Empty: 'n2' }, stays: { n1: 'DISRUPTION.NOMINATED' } },
  },
  'EB-04 a node with a pod beside the room of a buffer is not empty': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', asks: { cpu: 1 } } },
      templates: { t: { asks: { cpu: 1 } } },
      buffers: { b: { template: 't', replicas: 1 } },
      policies: { default: { consolidationPolicy: 'WhenEmpty' } },
    },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.POLICY' } },
  },
  'EB-05 each node where a buffer has room stays': {
    given: { nodes: { n: { count: 3 } }, templates: { t: { asks: { cpu: 3 } } }, buffers: { b: { template: 't', replicas: 2 } } },
    want: { goes: { Empty: 'n-3' }, stays: { 'n-1': 'DISRUPTION.NOMINATED', 'n-2': 'DISRUPTION.NOMINATED' } },
  },
  'EB-06 a buffer of no pods keeps no node': {
    given: { nodes: { n1: {} }, templates: { t: { asks: { cpu: 1 } } }, buffers: { b: { template: 't', replicas: 0 } } },
    want: { goes: { Empty: 'n1' } },
  },
  'SV-13 pods that gladly go still need a place': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', asks: { cpu: 3.5 } } }, deletionCosts: { p: '-2147483648' } },
    want: { goes: { Empty: '', Underutilized: '' }, stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
}
