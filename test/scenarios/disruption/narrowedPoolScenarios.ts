import type { MoveScenarios } from './moveScenario.ts'

/** The pool once had three zones. The nodes of its zones that stay have no room for a further pod. */
const POOL = { default: { needs: 'zone in z1 z2' } } as const
const NODES = { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' }, n3: { labels: 'zone=z3' } } as const
const GIVEN = { pools: POOL, nodes: NODES, drifted: 'n3' } as const
const SPREAD = { labels: 'app=p', asks: { cpu: 1.8 }, spread: [{ over: 'zone', of: 'app=p' }] } as const
const SERIES = { labels: 'app=p', asks: { cpu: 1 } } as const
const APART = { labels: 'app=p', asks: { cpu: 1 }, apart: 'app=p over zone' } as const
const TOGETHER = { ...SERIES, near: 'app=p over zone' } as const
const FULL = { a: { on: 'n1', asks: { cpu: 3.5 } }, b: { on: 'n2', asks: { cpu: 3.5 } } } as const
const REPLACED = { deleting: 0, replacing: 1, replaced: { n3: '*' } } as const
const IN_EACH_ZONE = {
  a: { ...SPREAD, count: 2, on: 'n1' },
  b: { ...SPREAD, count: 2, on: 'n2' },
  c: { ...SPREAD, count: 2, on: 'n3' },
} as const

/** Drifted nodes in a zone that their pool no longer has. */
export const NARROWED_POOL: MoveScenarios = {
  'a node is replaced though its pods are spread over zones: its zone is none once the node is gone': {
    given: { ...GIVEN, pods: IN_EACH_ZONE },
    want: REPLACED,
  },
  'and so it is where a budget lets all of these pods go at once': {
    given: { ...GIVEN, pods: IN_EACH_ZONE, budgets: { guard: { of: 'app=p', maxUnavailable: '2', disruptionsAllowed: 2 } } },
    want: REPLACED,
  },
  'but not where a budget holds the last of them until the first has a place': {
    given: { ...GIVEN, pods: IN_EACH_ZONE, budgets: { guard: { of: 'app=p', maxUnavailable: '1', disruptionsAllowed: 1 } } },
    want: { deleting: 0, replacing: 0, stays: { n3: 'DISRUPTION.NO_ROOM' }, says: 'default/guard' },
  },
  'it goes all the same once its termination grace period is over': {
    given: { ...GIVEN, pods: IN_EACH_ZONE, graced: 'n3', budgets: { guard: { of: 'app=p', maxUnavailable: '1', disruptionsAllowed: 1 } } },
    want: REPLACED,
  },
  'a zone with a further node of another pool still counts': {
    given: {
      ...GIVEN,
      pools: { ...POOL, other: { needs: 'zone in z3', limits: { nodes: 1 }, taints: 'other:NoSchedule' } },
      nodes: { ...NODES, n4: { labels: 'zone=z3', pool: 'other', taints: 'other:NoSchedule' } },
      pods: IN_EACH_ZONE,
      kept: { n4: 'true' },
    },
    want: { deleting: 0, replacing: 0, stays: { n3: 'DISRUPTION.NO_ROOM' } },
  },
  'a spread that is only preferred keeps no node': {
    given: { ...GIVEN, pods: { ...FULL, c: { ...SERIES, on: 'n3', spread: [{ over: 'zone', of: 'app=p', soft: true }] } } },
    want: REPLACED,
  },
  'pods that must be in different zones go to the zone that has none': {
    given: { ...GIVEN, pods: { ...FULL, p: { ...APART, on: 'n1', asks: { cpu: 0.3 } }, q: { ...APART, on: 'n3' } } },
    want: REPLACED,
  },
  'and have no place if every other zone has one': {
    given: {
      ...GIVEN,
      pods: { p: { ...APART, on: 'n1' }, q: { ...APART, on: 'n2' }, r: { ...APART, on: 'n3' } },
      kept: { n1: 'true', n2: 'true' },
    },
    want: { deleting: 0, replacing: 0, stays: { n3: 'DISRUPTION.NO_ROOM' }, says: 'default/r' },
  },
  'pods that must be in one zone go together': {
    given: { ...GIVEN, pods: { ...FULL, c: { ...TOGETHER, count: 2, on: 'n3' } } },
    want: REPLACED,
  },
  'but not where a budget holds one of them there': {
    given: {
      ...GIVEN,
      pods: { ...FULL, c: { ...TOGETHER, count: 2, on: 'n3' } },
      budgets: { guard: { of: 'app=p', maxUnavailable: '1', disruptionsAllowed: 1 } },
    },
    want: { deleting: 0, replacing: 0, stays: { n3: 'DISRUPTION.NO_ROOM' }, says: 'default/guard' },
  },
  'nor where another node of the zone has one of them': {
    given: {
      ...GIVEN,
      nodes: { ...NODES, n4: { labels: 'zone=z3' } },
      pods: { ...FULL, c: { ...TOGETHER, on: 'n3' }, d: { ...TOGETHER, on: 'n4', asks: { cpu: 3.5 } } },
    },
    want: { deleting: 0, replacing: 0, stays: { n3: 'DISRUPTION.NO_ROOM' }, says: 'default/c' },
  },
  'a pod leaves the zone that it prefers': {
    given: { ...GIVEN, pods: { ...FULL, c: { on: 'n3', asks: { cpu: 1 }, prefers: 'zone=z3' } } },
    want: REPLACED,
  },
  'a pod leaves the neighbours that it prefers': {
    given: {
      ...GIVEN,
      nodes: { ...NODES, n4: { labels: 'zone=z3' } },
      pods: { ...FULL, c: { ...SERIES, on: 'n3', preferNear: 'app=q over zone' }, d: { labels: 'app=q', on: 'n4', asks: { cpu: 3.5 } } },
    },
    want: REPLACED,
  },
  'a DaemonSet of the zone that was dropped keeps no node': {
    given: { ...GIVEN, daemons: { d: { asks: { cpu: 0.5 }, select: 'zone=z3' } }, pods: { ...FULL, c: { on: 'n3', asks: { cpu: 1 } } } },
    want: REPLACED,
  },
  'a pod stays whose volume is in the zone': {
    given: {
      ...GIVEN,
      volumes: { v1: { needs: 'zone=z3' } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { ...FULL, c: { on: 'n3', mounts: 'data', asks: { cpu: 1 } } },
    },
    want: { deleting: 0, replacing: 0, stays: { n3: 'DISRUPTION.NO_ROOM' }, says: 'default/c' },
  },
}
