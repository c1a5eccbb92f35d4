import { DAEMON_SET } from '../builders/pod.ts'
import type { Scenarios } from './scenario.ts'

const TO_DB_HOST = 'app=db over hostname'
const TO_DB_ZONE = 'app=db over zone'
const SELF_HOST = 'app=p over hostname'
const SELF_ZONE = 'app=p over zone'

/** Pods with required or preferred affinity to other pods. */
export const AFFINITY: Scenarios = {
  'Y1 affinity without terms': {
    given: { pods: { p: { over: { podAffinity: { required: [], preferred: [] }, podAntiAffinity: { required: [], preferred: [] } } } } },
    want: { claims: 1 },
  },
  'Y2 to the host of a pod that waits as well': {
    given: { pods: { db: { asks: { cpu: 0.1 } }, p: { asks: { cpu: 0.5 }, near: TO_DB_HOST }, q: {} } },
    want: { together: ['db p'] },
  },
  'Y3 to the architecture, not the host': {
    given: { pods: { db: { select: 'arch=arm64', apart: 'app=p over hostname' }, p: { near: 'app=db over arch' } } },
    want: {
      claims: [
        { pods: 'db', types: 'arm' },
        { pods: 'p', types: 'arm' },
      ],
    },
  },
  'Y4 to its like, on one host': { given: { pods: { p: { count: 3, near: SELF_HOST } } }, want: { claims: [{ pods: 'p' }] } },
  'Y5 more of its like than a host takes': {
    given: { pods: { p: { count: 10, near: SELF_HOST } } },
    want: { claims: [{ pods: 5 }], unplaced: { p: ['SCHEDULING.AFFINITY', 5] } },
    then: [{ want: { claims: 0, unplaced: { p: 'SCHEDULING.AFFINITY' } } }],
  },
  'Y6 the first of its like is on a host that its needs leave out': {
    given: {
      nodes: { n1: { labels: 'zone=z1' } },
      pods: { first: { on: 'n1', labels: 'app=p', near: SELF_HOST }, p: { count: 10, needs: 'zone in z2 z3', near: SELF_HOST } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.AFFINITY' } },
  },
  'Y7 to its like, in one zone': { given: { pods: { p: { count: 3, near: SELF_ZONE } } }, want: { claims: 1, skew: { 'zone p': [3] } } },
  'Y8 to its like, in a zone it needs': {
    given: { pods: { p: { count: 3, needs: 'zone=z3', near: SELF_ZONE } } },
    want: { claims: [{ pods: 'p', zone: 'z3' }] },
  },
  'Y9 to its like, with selectors that have no zone in common': {
    given: {
      pods: { a: { labels: 'app=p', select: 'zone=z1', near: SELF_ZONE }, b: { labels: 'app=p', select: 'zone=z2', near: SELF_ZONE } },
    },
    want: {
      claims: [
        { pods: 'a', zone: 'z1' },
        { pods: 'b', zone: 'z2' },
      ],
    },
  },
  'Y10 a wish to be with nobody that is there': {
    given: { pods: { p: { preferNear: 'app=none over hostname' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'Y21 a wish to be with its like gives way to a spread': {
    given: { pods: { p: { count: 3, preferNear: SELF_ZONE, spread: 'zone' } } },
    want: { skew: { 'zone p': [1, 1, 1] } },
  },
  'Y23 to nobody that is there': {
    given: { pods: { p: { near: 'app=none over hostname' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.AFFINITY' } },
  },
  'Y24 to the zone of a pod that may go to any': {
    given: { pods: { db: { asks: { cpu: 1 } }, p: { count: 10, near: TO_DB_ZONE } } },
    want: { skew: { 'zone p': [10] } },
    firstFit: { claims: [{ pods: 'db' }], unplaced: { p: 'SCHEDULING.AFFINITY' } },
    then: [{ want: { skew: { 'zone p': [10] } } }],
  },
  'Y25 to the zone of a pod that is held to one': {
    given: { pods: { db: { asks: { cpu: 1 }, select: 'zone=z2' }, p: { count: 10, near: TO_DB_ZONE } } },
    want: { skew: { 'zone p': [10] }, every: { zone: 'z2' } },
  },
  'Y26 a chain, whoever comes first': {
    given: {
      pods: {
        ui: { asks: { cpu: 0.4 }, near: 'app=cache over hostname' },
        cache: { asks: { cpu: 0.3 }, near: 'app=web over hostname' },
        web: { asks: { cpu: 0.2 }, near: TO_DB_HOST },
        db: { asks: { cpu: 0.1 } },
      },
    },
    want: { claims: [{ pods: 'ui cache web db' }] },
  },
  'Y26.1 the chain the other way round': {
    given: {
      pods: {
        db: { asks: { cpu: 0.4 } },
        web: { asks: { cpu: 0.3 }, near: TO_DB_HOST },
        cache: { asks: { cpu: 0.2 }, near: 'app=web over hostname' },
        ui: { asks: { cpu: 0.1 }, near: 'app=cache over hostname' },
      },
    },
    want: { claims: [{ pods: 'ui cache web db' }] },
  },
  'Y27 a chain whose first link is missing': {
    given: { pods: { web: { near: TO_DB_HOST }, cache: { near: 'app=web over hostname' }, ui: { near: 'app=cache over hostname' } } },
    want: { claims: 0, unplaced: { web: 'SCHEDULING.AFFINITY', cache: 'SCHEDULING.AFFINITY', ui: 'SCHEDULING.AFFINITY' } },
  },
  'Y28 to a pod of another namespace that is not named': {
    given: { pods: { db: { namespace: 'other' }, p: { near: TO_DB_HOST } } },
    want: { claims: [{ pods: 'other/db' }], unplaced: { p: 'SCHEDULING.AFFINITY' } },
  },
  'Y29 to a pod of a namespace that is named': {
    given: { pods: { db: { namespace: 'other' }, p: { near: [{ term: TO_DB_HOST, namespaces: ['other'] }] } } },
    want: { claims: [{ pods: 'other/db p' }] },
  },
  'Y30 to a pod of any namespace': {
    given: {
      namespaces: { default: '', other: '' },
      pods: { db: { namespace: 'other' }, p: { near: [{ term: TO_DB_HOST, namespaceSelector: '' }] } },
    },
    want: { claims: [{ pods: 'other/db p' }] },
  },
  'Y30.1 to a pod of namespaces that a selector leaves out': {
    given: {
      namespaces: { default: '', other: 'team=b' },
      pods: { db: { namespace: 'other' }, p: { near: [{ term: TO_DB_HOST, namespaceSelector: 'team=a' }] } },
    },
    want: { claims: [{ pods: 'other/db' }], unplaced: { p: 'SCHEDULING.AFFINITY' } },
  },
  'Y31 to a pod that runs': {
    given: { nodes: { n1: { labels: 'zone=z2' } }, pods: { db: { on: 'n1' }, p: { count: 10, near: TO_DB_ZONE } } },
    want: { on: { n1: 4 }, every: { zone: 'z2' } },
  },
  'Y32 a wish for a zone with somebody in it': {
    given: { nodes: { n1: { labels: 'zone=z2', room: { pods: 1 } } }, pods: { db: { on: 'n1' }, p: { preferNear: TO_DB_ZONE } } },
    want: { claims: [{ zone: 'z2' }] },
  },
  'Y41 to two kinds of pods that no single pod is of: the scheduler counts a pod that all its terms mean': {
    given: { pods: { a: {}, b: {}, p: { near: 'app=a over zone; app=b over zone' } } },
    want: { unplaced: { p: 'SCHEDULING.AFFINITY' } },
  },
  'Y41.1 to its like and to others that run: it is not the first of a series that begins anywhere': {
    given: { nodes: { n1: {} }, pods: { a: { on: 'n1' }, p: { near: 'app=p over zone; app=a over zone' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.AFFINITY' } },
  },
  'Y41.2 two terms that both mean it: the first of its series begins, the others follow': {
    given: { pods: { p: { count: 3, labels: 'app=p tier=x', near: 'app=p over zone; tier=x over hostname' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'Y41.3 two terms that one pod meets': {
    given: {
      nodes: { n1: { labels: 'zone=z2', room: { pods: 1 } } },
      pods: { a: { on: 'n1', labels: 'app=a tier=x' }, p: { near: 'app=a over zone; tier=x over zone' } },
    },
    want: { claims: [{ pods: 'p', zone: 'z2' }] },
  },
  'Y40 a pod that goes with its node is no company': {
    given: {
      nodes: { n1: { deleting: true } },
      pods: { d: { labels: 'app=db', on: 'n1', owner: DAEMON_SET }, p: { near: 'app=db over zone' } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.AFFINITY' } },
  },
}
