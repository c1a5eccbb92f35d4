import type { DefaultSpread } from '../../shared/model/clusterSnapshot.ts'
import { uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { PodOwner } from '../../shared/model/pod.ts'
import type { Scenarios } from './scenario.ts'

const BY_ZONE: DefaultSpread = {
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
}
const ZONES = { defaultSpread: [BY_ZONE] } as const
const HOSTS = { defaultSpread: [{ ...BY_ZONE, topologyKey: LABEL.hostname }] } as const
const THREE = { defaultSpread: [{ ...BY_ZONE, minDomains: 3 }] } as const
const WISHED = { defaultSpread: [{ ...BY_ZONE, whenUnsatisfiable: 'ScheduleAnyway' }] } as const
const WEB = ownedBy('ReplicaSet', 'web')
const SET = { web: { kind: 'ReplicaSet', selector: 'app=p' } } as const

/** Pods that run on one host. */
const TWO_OTHERS = { q1: { on: 'n1', labels: 'app=q', owner: null }, q2: { on: 'n1', labels: 'app=q', owner: null } } as const

/** The scheduler’s default constraints, for pods without their own. Services and the owner decide which pods they count. */
export const DEFAULT_SPREAD: Scenarios = {
  'X1 over zones, for pods of a ReplicaSet': {
    given: { settings: ZONES, workloads: SET, pods: { p: { count: 4, owner: WEB } } },
    want: { skew: { 'zone p': [1, 1, 2] } },
  },
  'X2 over hosts': {
    given: { settings: HOSTS, workloads: SET, pods: { p: { count: 3, owner: WEB } } },
    want: { skew: { 'hostname p': [1, 1, 1] } },
  },
  'X3 not for pods with a constraint of their own': {
    given: { settings: ZONES, workloads: SET, pods: { p: { count: 3, owner: WEB, spread: [{ over: 'hostname', skew: 5 }] } } },
    want: { claims: 1 },
  },
  'X4 with a least number of domains that is not there': {
    given: { settings: THREE, pools: { default: { needs: 'zone in z1 z2' } }, workloads: SET, pods: { p: { count: 3, owner: WEB } } },
    want: { skew: { 'zone p': [1, 1] }, unplaced: { p: ['SCHEDULING.SPREAD', 1] } },
  },
  'X5 with a least number of domains and one zone': {
    given: { settings: THREE, pools: { default: { needs: 'zone=z1' } }, workloads: SET, pods: { p: { count: 3, owner: WEB } } },
    want: { skew: { 'zone p': [1] }, unplaced: { p: ['SCHEDULING.SPREAD', 2] } },
  },
  'X6 as a wish that cannot be met': {
    given: {
      settings: { defaultSpread: [{ ...BY_ZONE, minDomains: 3, whenUnsatisfiable: 'ScheduleAnyway' }] },
      pools: { default: { needs: 'zone=z1' } },
      workloads: SET,
      pods: { p: { count: 3, owner: WEB } },
    },
    want: { skew: { 'zone p': [3] } },
  },
  'X6.1 as a wish that can be met': {
    given: { settings: WISHED, workloads: SET, pods: { p: { count: 3, owner: WEB } } },
    want: { skew: { 'zone p': [1, 1, 1] } },
  },
  'X7 none set': { given: { workloads: SET, pods: { p: { count: 3, owner: WEB } } }, want: { claims: 1 } },
  'X8 neither owner nor service': { given: { settings: ZONES, pods: { p: { count: 3, owner: null } } }, want: { claims: 1 } },
  'X9 two are in one zone already': {
    given: {
      settings: ZONES,
      pools: { default: { needs: 'zone in z1 z2' } },
      nodes: { n1: { labels: 'zone=z1' } },
      workloads: SET,
      pods: { old: { count: 2, on: 'n1', labels: 'app=p', owner: WEB }, p: { count: 2, owner: WEB } },
    },
    want: { skew: { 'zone p': [2, 2] } },
  },
  'X10 two workloads, each for itself': {
    given: {
      settings: ZONES,
      workloads: { ...SET, api: { kind: 'ReplicaSet', selector: 'app=q' } },
      pods: { p: { count: 3, owner: WEB }, q: { count: 3, owner: ownedBy('ReplicaSet', 'api') } },
    },
    want: { skew: { 'zone p': [1, 1, 1], 'zone q': [1, 1, 1] } },
  },
  'X11 two revisions of one app, each for itself': {
    given: {
      settings: HOSTS,
      workloads: { one: { kind: 'ReplicaSet', selector: 'app=p,rev=1' }, two: { kind: 'ReplicaSet', selector: 'app=p,rev=2' } },
      pods: {
        a: { count: 2, labels: 'app=p rev=1', owner: ownedBy('ReplicaSet', 'one') },
        b: { count: 2, labels: 'app=p rev=2', owner: ownedBy('ReplicaSet', 'two') },
      },
    },
    want: { claims: 2, skew: { 'hostname p': [2, 2] } },
  },
  'X12 pods of a job that a service selects': {
    given: { settings: ZONES, services: { s: 'app=p' }, pods: { p: { count: 4, owner: ownedBy('Job', 'j', 'batch/v1') } } },
    want: { skew: { 'zone p': [1, 1, 2] } },
  },
  'X13 the selector of the set counts, not the labels of the pods': {
    given: {
      settings: HOSTS,
      workloads: SET,
      pods: { a: { labels: 'app=p own=1', owner: WEB }, b: { labels: 'app=p own=2', owner: WEB } },
    },
    want: { claims: 2, skew: { 'hostname p': [1, 1] } },
  },
  'X13.1 a StatefulSet, whose pods have a label each': {
    given: {
      settings: HOSTS,
      workloads: { db: { kind: 'StatefulSet', selector: 'app=p' } },
      pods: {
        a: { labels: 'app=p index=0', owner: ownedBy('StatefulSet', 'db') },
        b: { labels: 'app=p index=1', owner: ownedBy('StatefulSet', 'db') },
      },
    },
    want: { claims: 2, skew: { 'hostname p': [1, 1] } },
  },
  'X13.2 expressions of the set': {
    given: {
      settings: HOSTS,
      workloads: { web: { kind: 'ReplicaSet', selector: 'app in p q' } },
      pods: { p: { owner: WEB }, q: { owner: WEB } },
    },
    want: { claims: 2 },
  },
  'X13.3 a ReplicationController': {
    given: {
      settings: HOSTS,
      workloads: { rc: { kind: 'ReplicationController', apiVersion: 'v1', selector: 'app=p' } },
      pods: { p: { count: 2, owner: ownedBy('ReplicationController', 'rc', 'v1') } },
    },
    want: { claims: 2 },
  },
  'X13.4 an owner of a kind that says nothing': {
    given: { settings: HOSTS, pods: { p: { count: 2, owner: ownedBy('Job', 'j', 'batch/v1') } } },
    want: { claims: 1 },
  },
  'X14 an owner that does not control the pods': {
    given: { settings: HOSTS, workloads: SET, pods: { p: { count: 2, owner: { ...WEB, controls: false } } } },
    want: { claims: 1 },
  },
  'X15 an owner that does not control some of its pods': {
    given: {
      settings: HOSTS,
      workloads: SET,
      pods: { p: { count: 2, labels: 'app=p', owner: WEB }, q: { count: 2, labels: 'app=p', owner: { ...WEB, controls: false } } },
    },
    want: { claims: 2 },
  },
  'X13.5 an owner that is not there': {
    given: { settings: HOSTS, pods: { p: { count: 2, owner: ownedBy('ReplicaSet', 'gone') } } },
    want: { claims: 1 },
  },
  'X13.6 two services are taken together': {
    given: {
      settings: HOSTS,
      nodes: { n1: {} },
      services: { one: 'app=p', two: 'tier=a' },
      pods: { b: { on: 'n1', labels: 'app=p tier=b', owner: null }, a: { count: 2, labels: 'app=p tier=a', owner: null } },
    },
    want: { claims: 1, on: { n1: 1 } },
  },
  'X13.7 a service that selects others': {
    given: { settings: HOSTS, services: { s: 'app=q' }, pods: { p: { count: 2, owner: null } } },
    want: { claims: 1 },
  },
  'X13.8 a service without selector': {
    given: { settings: HOSTS, services: { s: null }, pods: { p: { count: 2, owner: null } } },
    want: { claims: 1 },
  },
  'X13.9 a service of another namespace': {
    given: { settings: HOSTS, services: { s: 'app=p' }, pods: { p: { count: 2, namespace: 'other', owner: null } } },
    want: { claims: 1 },
  },
  'X13.10 a service and a set hold together': {
    given: {
      settings: HOSTS,
      services: { s: 'tier=a' },
      workloads: SET,
      pods: { p: { count: 2, labels: 'tier=a', owner: WEB } },
    },
    want: { claims: 2, skew: { 'hostname p': [1, 1] } },
  },
  'X13.11 a service and a ReplicationController that contradict each other: the controller counts': {
    given: {
      settings: HOSTS,
      nodes: { n1: {} },
      services: { s: 'app=p' },
      workloads: { rc: { kind: 'ReplicationController', apiVersion: 'v1', selector: 'app=q' } },
      pods: { ...TWO_OTHERS, p: { owner: ownedBy('ReplicationController', 'rc', 'v1') } },
    },
    want: { claims: 1 },
  },
  'X13.12 a service and a set that contradict each other select nothing': {
    given: {
      settings: HOSTS,
      nodes: { n1: {} },
      services: { s: 'app=p' },
      workloads: { web: { kind: 'ReplicaSet', selector: 'app=q' } },
      pods: { ...TWO_OTHERS, p: { owner: WEB } },
    },
    want: { claims: 0, on: { n1: 1 } },
  },
}

function ownedBy(kind: string, name: string, apiVersion = 'apps/v1'): PodOwner {
  return { apiVersion, kind, name, uid: uid(`uid-${name}`) }
}
