import { vmSizeName } from '../../../shared/model/ids.ts'
import type { Offering } from '../../../shared/model/instanceType.ts'
import { durationMs } from '../../../shared/model/units.ts'
import { ago, HOUR, hence, MINUTE } from '../../builders/clock.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'
import { size, sold } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

const FULL = { asks: { cpu: 3.5 } } as const

/** Pool `apps` has two zones, and the other pool has three. The pods select pool `apps`. */
const TWO_POOLS = { apps: { labels: 'team=apps', needs: 'zone in z1 z2' }, other: {} } as const
const OF_APPS = { labels: 'app=p', asks: { cpu: 1.5 }, select: 'team=apps', spread: [{ over: 'zone', of: 'app=p' }] } as const

/** Nodes that no longer match their pool. */
export const DRIFT: MoveScenarios = {
  'a drifted node stays until the pod that was nominated for it is bound': {
    given: { nodes: { n1: {} }, drifted: 'n1', graced: 'n1', pods: { p: { nominated: 'n1' } } },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NOMINATED' } },
  },
  'a drifted node is replaced by one of its demoted size where others cost more than four times as much': {
    given: {
      types: [size('cheap', { price: 0.1, spotPrice: null }), size('huge', { cpus: 64, price: 30, spotPrice: null })],
      demoted: [{ size: vmSizeName('cheap'), because: 'notBooted', until: hence(MINUTE) }],
      nodes: { n1: { labels: 'type=cheap' } },
      drifted: 'n1',
      pods: { p: { on: 'n1' } },
    },
    want: { replaced: { n1: '*' }, saves: 0 },
  },
  'SD7 a drifted node is replaced though another pool has a further zone': {
    given: {
      pools: TWO_POOLS,
      nodes: { n1: { pool: 'apps', labels: 'team=apps zone=z1' }, n2: { pool: 'apps', labels: 'team=apps zone=z2' } },
      drifted: 'n1',
      pods: { a: { ...OF_APPS, count: 2, on: 'n1' }, b: { ...OF_APPS, count: 2, on: 'n2' } },
    },
    want: { replaced: { n1: '*' } },
  },
  'BU-06 a drifted node whose room a buffer keeps is replaced, so that the buffer never loses its room': {
    given: { nodes: { n1: {} }, drifted: 'n1', templates: { t: { asks: { cpu: 3 } } }, buffers: { b: { template: 't', replicas: 1 } } },
    want: { replaced: { n1: '*' }, deleting: 0 },
  },
  'BU-06 and so it is where nothing is consolidated': {
    given: {
      nodes: { n1: {} },
      drifted: 'n1',
      templates: { t: { asks: { cpu: 1 } } },
      buffers: { b: { template: 't', replicas: 1 } },
      policies: { default: { consolidateAfter: 'Never' } },
    },
    want: { replaced: { n1: '*' }, deleting: 0 },
  },
  'BU-06 one goes at once where the buffer has room on another node': {
    given: {
      nodes: { n1: {}, n2: {} },
      drifted: 'n1',
      pods: { q: { on: 'n2', asks: { cpu: 2.5 } } },
      templates: { t: { asks: { cpu: 1 } } },
      buffers: { b: { template: 't', replicas: 1 } },
      policies: { default: { consolidationPolicy: 'WhenEmpty' } },
    },
    want: { goes: { Drifted: 'n1' }, replacing: 0 },
  },
  'BU-06 of two the second is replaced where another node has room for one pod of the buffer': {
    given: {
      nodes: { n1: {}, n2: {}, n3: {} },
      drifted: 'n1 n2',
      pods: { q: { on: 'n3', asks: { cpu: 2.5 } } },
      templates: { t: { asks: { cpu: 1 }, labels: 'app=b', apart: 'app=b over hostname' } },
      buffers: { b: { template: 't', replicas: 2 } },
      policies: { default: { consolidationPolicy: 'WhenEmpty' } },
    },
    want: { goes: { Drifted: 'n1' }, replaced: { n2: '*' }, replacing: 1 },
  },
  'BU-06 one with pods beside that room is replaced by nodes with room for both': {
    given: {
      pools: { default: { needs: 'type in small' } },
      nodes: { n1: {} },
      drifted: 'n1',
      pods: { p: { on: 'n1', asks: { cpu: 1.2 } } },
      templates: { t: { asks: { cpu: 1.2 } } },
      buffers: { b: { template: 't', replicas: 1 } },
    },
    want: { replaced: { n1: 'small small' } },
  },
  'BU-06 one goes all the same where no other node can have the room': {
    given: {
      pools: { default: { needs: 'zone in z2' } },
      nodes: { n1: {} },
      drifted: 'n1',
      templates: { t: { asks: { cpu: 1 }, select: 'zone=z1' } },
      buffers: { b: { template: 't', replicas: 1 } },
    },
    want: { goes: { Drifted: 'n1' }, replacing: 0 },
  },
  'BU-06 and so does one with pods, once its pods have another place': {
    given: {
      pools: { default: { needs: 'zone in z2' } },
      nodes: { n1: {} },
      drifted: 'n1',
      pods: { p: { on: 'n1', asks: { cpu: 1 } } },
      templates: { t: { asks: { cpu: 1 }, select: 'zone=z1' } },
      buffers: { b: { template: 't', replicas: 1 } },
    },
    want: { replaced: { n1: '*' } },
  },
  'TF-07 one that has the last slot of a reservation stays, since no other node can come first': {
    given: inReservation(0),
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NO_ROOM' } },
  },
  'TF-09 and one whose reservation is not there': {
    given: inReservation(1, { isThere: false }),
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NO_ROOM' } },
  },
  'TF-10 and is replaced where the reservation has another slot': {
    given: inReservation(1),
    want: { replaced: { n1: '*' } },
  },
  'TF-10 or where its pool may buy on demand': {
    given: inReservation(0, { others: [sold(0.9, 'z1')] }),
    want: { replaced: { n1: '*' } },
  },
  'DD-02 three of ten at 30 %': {
    given: {
      nodes: { n: { count: 10 } },
      pods: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at + 1}`, { on: `n-${at + 1}`, ...FULL }])),
      drifted: Array.from({ length: 10 }, (_, at) => `n-${at + 1}`).join(' '),
      policies: { default: { budgets: [{ nodes: '30%' }] } },
    },
    want: { replacing: 3, replaced: { 'n-1': '*', 'n-2': '*', 'n-3': '*' } },
  },
  'DD-05 (F28) one whose pods have no other place stops none of the others': {
    given: {
      pools: { default: { needs: 'zone in z1' } },
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', select: 'zone=z9', ...FULL }, q: { on: 'n2', ...FULL } },
      drifted: 'n1 n2',
    },
    want: { stays: { n1: 'DISRUPTION.NO_ROOM' }, replaced: { n2: '*' }, says: 'default/p' },
  },
  'DD-05 one whose pods have no other place takes no room from the next': {
    given: {
      pools: { default: { needs: 'zone in z1' } },
      nodes: { n1: {}, n2: {}, n3: {} },
      pods: {
        p: { on: 'n1', asks: { cpu: 1.5 } },
        far: { on: 'n1', select: 'zone=z9', asks: { cpu: 1.5 } },
        q: { on: 'n2', asks: { cpu: 1.5 } },
        r: { on: 'n3', asks: { cpu: 2 } },
      },
      drifted: 'n1 n2',
      policies: { default: { consolidationPolicy: 'WhenEmpty' } },
    },
    want: { stays: { n1: 'DISRUPTION.NO_ROOM' }, goes: { Drifted: 'n2' }, replacing: 0 },
  },
  'F40 an image that comes at noon moves nothing before the window that admits it': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', ...FULL } },
      drifted: 'n1',
      policies: { default: { budgets: [{ nodes: '0', reasons: ['Drifted'], schedule: '@daily', duration: durationMs(HOUR) }] } },
    },
    want: { replacing: 0, deleting: 0, stays: { n1: 'DISRUPTION.WINDOW' } },
  },
  'DD-06 one that has not drifted is no matter of drift': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL } } },
    want: { replacing: 0 },
  },
  'DD-08 a node that must not be disrupted stays': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL } }, drifted: 'n1', kept: { n1: 'true' } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' } },
  },
  'DD-09 a node annotated with false goes': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL } }, drifted: 'n1', kept: { n1: 'false' } },
    want: { replaced: { n1: '*' } },
  },
  'DD-10 a pod that must not be disrupted keeps it': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL } }, drifted: 'n1', kept: { p: 'true' } },
    want: { replacing: 0, deleting: 0 },
  },
  'DD-11 with a grace period it goes, and none comes for a pod that must not be disrupted': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL } }, drifted: 'n1', kept: { p: 'true' }, graced: 'n1' },
    want: { goes: { Drifted: 'n1' }, replacing: 0 },
  },
  'DD-12 nor for a pod whose budget can never let it go': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', ...FULL } },
      budgets: { guard: { of: 'app=p', maxUnavailable: '0' } },
      drifted: 'n1',
      graced: 'n1',
    },
    want: { goes: { Drifted: 'n1' }, replacing: 0 },
  },
  'DD-13 a pod that must not be disrupted for a time keeps it for that time': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL, over: { startedAt: ago(MINUTE) } } }, drifted: 'n1', kept: { p: '2m' } },
    want: { replacing: 0, deleting: 0, stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' } },
  },
  'DD-13 and no longer': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL, over: { startedAt: ago(MINUTE) } } }, drifted: 'n1', kept: { p: '1m' } },
    want: { replaced: { n1: '*' } },
  },
  'DD-15 of two such pods the one that needs longer keeps it': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', over: { startedAt: ago(2 * MINUTE) } }, q: { on: 'n1', over: { startedAt: ago(2 * MINUTE) } } },
      drifted: 'n1',
      kept: { p: '1m', q: '3m' },
    },
    want: { replacing: 0, deleting: 0, stays: { n1: 'DISRUPTION.DO_NOT_DISRUPT' }, says: 'default/q' },
  },
  'DD-15 it goes once the time of both is over': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', over: { startedAt: ago(3 * MINUTE) } }, q: { on: 'n1', over: { startedAt: ago(3 * MINUTE) } } },
      drifted: 'n1',
      kept: { p: '1m', q: '3m' },
    },
    want: { replaced: { n1: '*' } },
  },
  'DD-14 an annotation that nobody can read keeps nothing': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL } }, drifted: 'n1', kept: { p: 'some' } },
    want: { replaced: { n1: '*' } },
  },
  'DD-16 a node whose pods fit nowhere else is replaced, whatever that costs': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...FULL } }, drifted: 'n1' },
    want: { replaced: { n1: 'arm default gpu-a gpu-b single' }, replacing: 1, deleting: 0, saves: 0 },
  },
  'DD-17 a node whose pods fit elsewhere goes': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1' }, q: { on: 'n2', asks: { cpu: 2.5 } } }, drifted: 'n1' },
    want: { goes: { Drifted: 'n1' }, replacing: 0 },
  },
  'DD-18 an empty one goes where nothing is consolidated': {
    given: { nodes: { n1: {} }, drifted: 'n1', policies: { default: { consolidateAfter: 'Never' } } },
    want: { goes: { Drifted: 'n1' } },
  },
  'DD-19 an empty one comes before one with pods': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', ...FULL } },
      drifted: 'n1 n2',
      policies: { default: { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] } },
    },
    want: { goes: { Drifted: 'n2' }, stays: { n1: 'DISRUPTION.BUDGET' } },
  },
  'E2E-06 nodes stay whose pods are unhealthy and held by a budget': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', labels: 'app=x', over: { isUnready: true } }, q: { on: 'n2', labels: 'app=x', over: { isUnready: true } } },
      budgets: { guard: { of: 'app=x', minAvailable: '1', currentHealthy: 0, desiredHealthy: 1, expectedPods: 2 } },
      drifted: 'n1 n2',
    },
    want: { replacing: 0, deleting: 0, stays: { n1: 'DISRUPTION.PDB', n2: 'DISRUPTION.PDB' } },
  },
  'a node stays whose pod has a volume on it, which no other node has': {
    given: {
      nodes: { n1: {} },
      volumes: { v1: { onHost: true, needs: `hostname=${nodeNameOf('n1')}` } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { on: 'n1', mounts: 'data' } },
      drifted: 'n1',
    },
    want: { replacing: 0, deleting: 0, stays: { n1: 'DISRUPTION.NO_ROOM' } },
  },
  'DD-22 pods that need three smaller nodes get three': {
    given: {
      pools: { default: { needs: 'type in small' } },
      nodes: { n1: {} },
      pods: { a: { on: 'n1', asks: { cpu: 1.2 } }, b: { on: 'n1', asks: { cpu: 1.2 } }, c: { on: 'n1', asks: { cpu: 1.2 } } },
      drifted: 'n1',
    },
    want: { replaced: { n1: 'small small small' }, replacing: 1 },
  },
  'the one that drifted first comes first': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', ...FULL }, q: { on: 'n2', ...FULL } },
      drifted: 'n2 n1',
      policies: { default: { budgets: [{ nodes: '1' }] } },
    },
    want: { replaced: { n2: '*' }, stays: { n1: 'DISRUPTION.BUDGET' } },
  },
  'DD-24 a node of a static pool does not go before another one is there': {
    given: { pools: { default: { replicas: 1 } }, nodes: { n1: {} }, drifted: 'n1' },
    want: { goes: { Drifted: '' }, replaced: { n1: '*' } },
  },
}

/** A drifted node in a reservation with slots left, in a cluster that lets nodes go first. */
function inReservation(
  remaining: number,
  { others = [], isThere = remaining > 0 }: { readonly others?: readonly Offering[]; readonly isThere?: boolean } = {},
): MoveScenarios[string]['given'] {
  return {
    types: [size('held', { offerings: [sold(0.5, 'z1 reserved', { id: 'r', remaining }, isThere), ...others] })],
    nodes: { n1: { labels: 'type=held capacity=reserved reservation=r' } },
    drifted: 'n1',
    pods: { p: { on: 'n1', ...FULL } },
    settings: { terminateFirst: ['Drifted', 'Unhealthy'] },
  }
}
