import type { Scenarios } from './scenario.ts'

const FROM_T_ZONE = 'app=t over zone'
const FROM_P_ZONE = 'app=p over zone'
const BIG = { asks: { cpu: 1.5 } } as const
const MID = { asks: { cpu: 1 } } as const
const IN_EACH_ZONE = { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' }, n3: { labels: 'zone=z3' } } as const

/** Pods with required or preferred anti-affinity, and the inverse anti-affinity of other pods. */
export const ANTI_AFFINITY: Scenarios = {
  'Y11 a wish to be apart that cannot be met': { given: { pods: { p: { count: 4, preferApart: FROM_P_ZONE } } }, want: {} },
  'Y12 a host each': {
    given: { pods: { p: { count: 4, apart: 'app=p over hostname' } } },
    want: { claims: 4, skew: { 'hostname p': [1, 1, 1, 1] } },
    then: [
      { given: { pods: { q: { labels: 'app=p', apart: 'app=p over hostname' } } }, want: { claims: 1, fullest: { 'hostname p': 1 } } },
    ],
  },
  'Y12.1 one app that another keeps away from': {
    given: { pods: { t: MID, p: { apart: 'app=t over hostname' } } },
    want: { claims: [{ pods: 't' }, { pods: 'p' }] },
  },
  'Y13 every zone is taken by pods of the same batch': {
    given: {
      pods: {
        a: { ...MID, labels: 'app=t', select: 'zone=z1' },
        b: { ...MID, labels: 'app=t', select: 'zone=z2' },
        c: { ...MID, labels: 'app=t', select: 'zone=z3' },
        p: { apart: FROM_T_ZONE },
      },
    },
    want: { claims: 3, unplaced: { p: 'SCHEDULING.ANTI_AFFINITY' } },
  },
  'Y14 the one that keeps away comes first and is held to a zone': {
    given: { pods: { p: { ...BIG, select: 'zone=z1', apart: FROM_T_ZONE }, t: { count: 3 } } },
    want: { claims: [{ pods: 'p', zone: 'z1' }, { pods: 't' }] },
    firstFit: {
      claims: [
        { pods: 'p', zone: 'z1' },
        { pods: 't', zone: 'z2 z3' },
      ],
    },
  },
  'Y15 another architecture': {
    given: { pods: { t: { ...MID, select: 'arch=amd64' }, p: { apart: 'app=t over arch' } } },
    want: {
      claims: [
        { pods: 't', type: 'small' },
        { pods: 'p', types: 'arm' },
      ],
    },
  },
  'Y16 the wish of one binds no other': {
    given: { pods: { p: { ...MID, preferApart: 'app=t over hostname' }, t: {} } },
    want: { claims: [{ pods: 'p t' }] },
  },
  'Y17 one in each zone keeps away from those that come after': {
    given: {
      pods: {
        a: { ...BIG, labels: 'app=p', select: 'zone=z1', apart: FROM_T_ZONE },
        b: { ...BIG, labels: 'app=p', select: 'zone=z2', apart: FROM_T_ZONE },
        c: { ...BIG, labels: 'app=p', select: 'zone=z3', apart: FROM_T_ZONE },
        t: {},
      },
    },
    want: { claims: 3, unplaced: { t: 'SCHEDULING.ANTI_AFFINITY' } },
  },
  'Y18 one that keeps away and may go to any zone': {
    given: { pods: { p: { ...BIG, apart: FROM_T_ZONE }, t: {} } },
    want: { claims: 2 },
    firstFit: { claims: [{ pods: 'p' }], unplaced: { t: 'SCHEDULING.ANTI_AFFINITY' } },
    then: [{ want: {}, firstFit: { claims: [{ pods: 't' }] } }],
  },
  'Y19 pods that run in each zone keep others away': {
    given: {
      nodes: IN_EACH_ZONE,
      pods: { a: { on: 'n1', apart: FROM_T_ZONE }, b: { on: 'n2', apart: FROM_T_ZONE }, c: { on: 'n3', apart: FROM_T_ZONE }, t: {} },
    },
    want: { claims: 0, unplaced: { t: 'SCHEDULING.ANTI_AFFINITY' } },
  },
  'Y19.1 they keep nobody of another namespace away': {
    given: {
      nodes: IN_EACH_ZONE,
      pods: {
        a: { on: 'n1', apart: FROM_T_ZONE },
        b: { on: 'n2', apart: FROM_T_ZONE },
        c: { on: 'n3', apart: FROM_T_ZONE },
        t: { namespace: 'other' },
      },
    },
    want: { claims: 0, nodes: 1 },
  },
  'Y20 their wish keeps nobody away': {
    given: {
      nodes: IN_EACH_ZONE,
      pods: {
        a: { on: 'n1', preferApart: FROM_T_ZONE },
        b: { on: 'n2', preferApart: FROM_T_ZONE },
        c: { on: 'n3', preferApart: FROM_T_ZONE },
        t: {},
      },
    },
    want: { claims: 0, nodes: 1 },
  },
  'Y22 a zone each, for four': {
    given: { pods: { p: { count: 4, apart: FROM_P_ZONE } } },
    want: { skew: { 'zone p': [1, 1, 1] }, unplaced: { p: ['SCHEDULING.ANTI_AFFINITY', 1] } },
    firstFit: { skew: { 'zone p': [1] }, unplaced: { p: ['SCHEDULING.ANTI_AFFINITY', 3] } },
    then: [
      {
        want: { claims: 0, unplaced: { p: ['SCHEDULING.ANTI_AFFINITY', 1] } },
        firstFit: { claims: 1, skew: { 'zone p': [1, 1] }, unplaced: { p: ['SCHEDULING.ANTI_AFFINITY', 2] } },
      },
      {
        want: { claims: 0, unplaced: { p: ['SCHEDULING.ANTI_AFFINITY', 1] } },
        firstFit: { claims: 1, skew: { 'zone p': [1, 1, 1] }, unplaced: { p: ['SCHEDULING.ANTI_AFFINITY', 1] } },
      },
      { want: { claims: 0, skew: { 'zone p': [1, 1, 1] }, unplaced: { p: ['SCHEDULING.ANTI_AFFINITY', 1] } } },
    ],
  },
  'Y33 the only zone without them is used': {
    given: {
      nodes: { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' } },
      pods: { t1: { on: 'n1', labels: 'app=t' }, t2: { on: 'n2', labels: 'app=t' }, p: { apart: FROM_T_ZONE } },
    },
    want: { claims: [{ pods: 'p', zone: 'z3' }] },
  },
  'Y34 a wish to be apart that can be met': {
    given: {
      nodes: { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' } },
      pods: { t1: { on: 'n1', labels: 'app=t' }, t2: { on: 'n2', labels: 'app=t' }, p: { preferApart: FROM_T_ZONE } },
    },
    want: { claims: [{ pods: 'p', zone: 'z3' }] },
  },
  'Y35 pods that have ended keep nobody away': {
    given: { nodes: { n1: {} }, pods: { a: { on: 'n1', apart: 'app=t over hostname', over: { phase: 'Succeeded' } }, t: {} } },
    want: { claims: 0, on: { n1: 't' } },
  },
}
