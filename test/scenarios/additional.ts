import { hence, MINUTE } from '../builders/clock.ts'
import type { Scenarios } from './scenario.ts'

const X_ZONE = [{ over: 'zone', of: 'app=x' }] as const

/** Special cases that a simple engine gets wrong. */
export const ADDITIONAL: Scenarios = {
  'AD1 a pod that waits and goes': { given: { pods: { p: { over: { deletedAt: hence(MINUTE) } } } }, want: { claims: 0, nodes: 0 } },
  'AD1.1 a pod behind a gate': { given: { pods: { p: { over: { schedulingGates: ['wait'] } } } }, want: { claims: 0, nodes: 0 } },
  'AD2 two workloads with one selector and different node selectors count different nodes': {
    given: {
      pools: { default: { needs: 'team in a b' } },
      nodes: { n1: { labels: 'zone=z1 team=a', room: { pods: 3 } } },
      pods: {
        old: { count: 3, on: 'n1', labels: 'app=x', select: 'team=a' },
        a: { count: 2, labels: 'app=x', select: 'team=a', spread: X_ZONE },
        b: { count: 3, labels: 'app=x', select: 'team=b', spread: X_ZONE },
      },
    },
    want: { skew: { 'zone x': [2, 2, 4] } },
  },
  'AD3 a least number of domains binds only those that ask for it': {
    given: {
      pools: { default: { needs: 'zone in z1 z2' } },
      pods: {
        p: { count: 4, asks: { cpu: 1 }, labels: 'app=x', spread: [{ over: 'zone', of: 'app=x', minDomains: 3 }] },
        q: { count: 4, labels: 'app=x', spread: X_ZONE },
      },
    },
    want: { skew: { 'zone x': [3, 3] }, unplaced: { p: ['SCHEDULING.SPREAD', 2] } },
  },
  'AD5 a value that a pool rules out is no domain': {
    given: { pools: { a: { needs: 'tier notin x' }, b: { needs: 'tier in m n' } }, pods: { p: { count: 4, spread: 'tier' } } },
    want: { skew: { 'tier p': [2, 2] } },
  },
  'AD6 two spreads over zones that must agree': {
    given: {
      pools: { default: { needs: 'zone in z1 z2' } },
      nodes: { n1: { labels: 'zone=z1', room: { pods: 1 } } },
      pods: { q: { on: 'n1' }, p: { spread: [{ over: 'zone' }, { over: 'zone', of: 'app=q' }] } },
    },
    want: { claims: [{ pods: 'p' }] },
    firstFit: { someUnplaced: true },
  },
  'AD7 more of its like than one node takes, all in one zone': {
    given: { pods: { p: { count: 12, near: 'app=p over zone' } } },
    want: { skew: { 'zone p': [12] } },
  },
  'AD10 a decision that may try nothing says so of every pod': {
    given: { settings: { maxSteps: 0 }, pods: { p: { count: 3 } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.DEADLINE' } },
  },
  'AD16 a pod whose volume cannot be found waits, others do not': {
    given: { volumeClaims: { data: { volume: 'none' } }, nodes: { n1: {} }, pods: { p: { mounts: 'data' }, q: {} } },
    want: { claims: 0, on: { n1: 'q' }, unplaced: { p: 'POD.VOLUME' } },
  },
  'AD18 claims that are not launched after a restart': {
    given: { nodes: { n1: { stage: 'created', needs: 'type=small' } }, pods: { p: { asks: { cpu: 1 } } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'AD19 a spread that a soft taint’s toleration does not start afresh': {
    given: {
      pools: { default: { taints: 'soft:PreferNoSchedule', needs: 'zone in z1 z2' } },
      pods: {
        p: { count: 4, spread: [{ over: 'zone' }] },
        q: { count: 4, labels: 'app=p', tolerates: 'soft', spread: [{ over: 'zone', of: 'app=p' }] },
      },
    },
    want: { skew: { 'zone p': [4, 4] } },
  },
}
