import { nodeNameOf } from '../builders/nodeClaim.ts'
import { size, sold } from './fixtureTypes.ts'
import { DISK } from './givenStorage.ts'
import type { NodeGiven, Scenario, Scenarios } from './scenario.ts'

const ONE_DISK = { n1: { attach: { [DISK]: 1 } } } as const
const FAST = { fast: {} } as const
const REFUSED = { claims: 0, unplaced: { p: 'POD.VOLUME' } } as const
const TWELVE = Array.from({ length: 12 }, (_, index) => index + 1)
const APART = 'app=p over zone'
const DISK_ZONE = 'topology.disk.csi.azure.com/zone'

/** Two pods with a disk each, and a node with room for both whose size holds one disk. */
function ofOneDisk(attach: NonNullable<NodeGiven['attach']>, claims: number): Scenario {
  return {
    given: {
      types: [{ ...size('default', {}), maxDataDisks: 1 }],
      classes: FAST,
      nodes: { n1: { attach } },
      pods: { p: { count: 2, ephemeral: { vol: 'fast' } } },
    },
    want: { claims, on: { n1: 2 - claims } },
  }
}

/** Volumes: where they can be attached, how many, and in which states they keep a pod pending. */
export const VOLUMES: Scenarios = {
  'V1 a node takes as many disks as its driver says': {
    given: {
      nodes: { n1: { attach: { [DISK]: 10 }, room: { pods: 20 } } },
      classes: FAST,
      volumeClaims: Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`d${index + 1}`, { class: 'fast' }])),
      pods: Object.fromEntries(
        Array.from({ length: 6 }, (_, index) => [`p${index + 1}`, { mounts: `d${2 * index + 1} d${2 * index + 2}` }]),
      ),
    },
    want: { claims: [{ pods: 1 }], on: { n1: 5 } },
  },
  'V2 one claim of a hundred pods is one disk': {
    given: {
      nodes: { n1: { attach: { [DISK]: 1 }, room: { pods: 110 } } },
      classes: FAST,
      volumeClaims: { shared: { class: 'fast' } },
      pods: { p: { count: 100, mounts: 'shared' } },
    },
    want: { claims: 0, on: { n1: 100 } },
  },
  'V3 a volume without a driver is none': {
    given: {
      nodes: ONE_DISK,
      volumes: { v1: {}, nfs: { driver: '' } },
      volumeClaims: { one: { volume: 'v1' }, other: { volume: 'nfs' } },
      pods: { old: { on: 'n1', mounts: 'one' }, p: { mounts: 'other' } },
    },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'V3.1 a claim that is not there is attached to no node': {
    given: {
      nodes: ONE_DISK,
      volumes: { v1: {} },
      volumeClaims: { one: { volume: 'v1' } },
      pods: { old: { on: 'n1', mounts: 'gone' }, p: { mounts: 'one' } },
    },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'V3.2 a claim that is being deleted is attached as long as its pod runs': {
    given: {
      nodes: ONE_DISK,
      volumes: { v1: {}, v2: {} },
      volumeClaims: { one: { volume: 'v1' }, other: { volume: 'v2', deleting: true } },
      pods: { old: { on: 'n1', mounts: 'other' }, p: { mounts: 'one' } },
    },
    want: { claims: 1 },
  },
  'V4 volumes that two zones can reach, of pods that keep apart': {
    given: {
      volumes: { v1: { needs: ['zone=z1', 'zone=z2'] }, v2: { needs: ['zone=z1', 'zone=z2'] } },
      volumeClaims: { one: { volume: 'v1' }, other: { volume: 'v2' } },
      pods: { a: { labels: 'app=p', mounts: 'one', apart: APART }, b: { labels: 'app=p', mounts: 'other', apart: APART } },
    },
    want: { claims: [{ zone: 'z1' }, { zone: 'z2' }] },
  },
  'V5 a volume on a host that is gone, or in a zone: no new machine has the host’s name, some have the zone': {
    given: {
      volumes: { v1: { onHost: true, needs: ['hostname=h1', 'zone=z1'] } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: [{ zone: 'z1' }] },
  },
  'V5.1 a volume on a host that is there': {
    given: {
      nodes: { n1: {}, n2: {} },
      volumes: { v1: { onHost: true, needs: `hostname=${nodeNameOf('n2')}` } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, on: { n2: 'p' } },
  },
  'V5.2 a volume on a host that goes: its pod waits, others move': {
    given: {
      nodes: { n1: { deleting: true } },
      volumes: { v1: { onHost: true, needs: `hostname=${nodeNameOf('n1')}` } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { on: 'n1', mounts: 'data' }, q: { on: 'n1' } },
    },
    want: { claims: [{ pods: 'q' }], unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V6 a class of two zones, and pods that keep apart': {
    given: {
      classes: { fast: { zones: ['z1', 'z2'] } },
      volumeClaims: { one: { class: 'fast' }, other: { class: 'fast' } },
      pods: { a: { labels: 'app=p', mounts: 'one', apart: APART }, b: { labels: 'app=p', mounts: 'other', apart: APART } },
    },
    want: { claims: [{ zone: 'z1' }, { zone: 'z2' }] },
  },
  'V7 two volumes with one place in common': {
    given: {
      volumes: { v1: { needs: ['zone=z1', 'zone=z2'] }, v2: { needs: ['zone=z3', 'zone=z1, extra=optional'] } },
      volumeClaims: { one: { volume: 'v1' }, other: { volume: 'v2' } },
      pods: { p: { mounts: 'one other' } },
    },
    want: { claims: [{ zone: 'z1', labels: 'extra=optional' }] },
  },
  'V8 volumes made for the pod, of a named class': {
    given: { nodes: ONE_DISK, classes: FAST, pods: { p: { count: 2, ephemeral: { vol: 'fast' } } } },
    want: { claims: 1, on: { n1: 1 } },
  },
  'V8.1 volumes made for the pod, of the default class': {
    given: { nodes: ONE_DISK, classes: { fast: { isDefault: 1 } }, pods: { p: { count: 2, ephemeral: { vol: null } } } },
    want: { claims: 1, on: { n1: 1 } },
  },
  'V8.2 volumes made for the pod, of the newest default class': {
    given: {
      nodes: ONE_DISK,
      classes: { old: { isDefault: 1, driver: 'file.csi.azure.com' }, fast: { isDefault: 2 } },
      pods: { p: { count: 2, ephemeral: { vol: null } } },
    },
    want: { claims: 1, on: { n1: 1 } },
  },
  'V10 not bound, of a class that binds at once': {
    given: { classes: { fast: { immediate: true } }, volumeClaims: { data: { class: 'fast' } }, pods: { p: { mounts: 'data' } } },
    want: REFUSED,
  },
  'V11 a claim that goes': {
    given: { classes: FAST, volumeClaims: { data: { class: 'fast', deleting: true } }, pods: { p: { mounts: 'data' } } },
    want: REFUSED,
  },
  'V12 a volume that goes': {
    given: { volumes: { v1: { deleting: true } }, volumeClaims: { data: { volume: 'v1' } }, pods: { p: { mounts: 'data' } } },
    want: REFUSED,
  },
  'V13 a claim that lost its volume': {
    given: { volumeClaims: { data: { volume: 'v1', lost: true } }, pods: { p: { mounts: 'data' } } },
    want: REFUSED,
  },
  'V14 a claim whose binding was not finished': {
    given: { volumes: { v1: {} }, volumeClaims: { data: { volume: 'v1', unfinished: true } }, pods: { p: { mounts: 'data' } } },
    want: REFUSED,
  },
  'V14.1 a claim that is bound': {
    given: { volumes: { v1: {} }, volumeClaims: { data: { volume: 'v1' } }, pods: { p: { mounts: 'data' } } },
    want: { claims: 1 },
  },
  'V15 bound, of a class that is gone': {
    given: { volumes: { v1: {} }, volumeClaims: { data: { volume: 'v1', class: 'gone' } }, pods: { p: { mounts: 'data' } } },
    want: { claims: 1 },
  },
  'V15.1 bound, of no class': {
    given: { volumes: { v1: {} }, volumeClaims: { data: { volume: 'v1', class: '' } }, pods: { p: { mounts: 'data' } } },
    want: { claims: 1 },
  },
  'V15.2 not bound, of a class that is gone': {
    given: { volumeClaims: { data: { class: 'gone' } }, pods: { p: { mounts: 'data' } } },
    want: REFUSED,
  },
  'V15.3 not bound, of no class': { given: { volumeClaims: { data: { class: '' } }, pods: { p: { mounts: 'data' } } }, want: REFUSED },
  'V16 the built-in plugin is its driver': {
    given: {
      nodes: ONE_DISK,
      classes: { old: { driver: 'kubernetes.io/azure-disk' } },
      pods: { p: { count: 2, ephemeral: { vol: 'old' } } },
    },
    want: { claims: 1, on: { n1: 1 } },
  },
  'V17 a claim that is not there': { given: { pods: { p: { mounts: 'none' } } }, want: REFUSED },
  'V18 pods beside those that are refused': {
    given: {
      classes: FAST,
      volumeClaims: { classless: { class: 'gone' }, volumeless: { volume: 'none' }, good: { class: 'fast' } },
      pods: { a: { mounts: 'none' }, b: { mounts: 'classless' }, c: { mounts: 'volumeless' }, p: { mounts: 'good' } },
    },
    want: { claims: [{ pods: 'p' }], unplaced: { a: 'POD.VOLUME', b: 'POD.VOLUME', c: 'POD.VOLUME' } },
  },
  'V19 zones of the class and zones of the pod': {
    given: {
      classes: { fast: { zones: ['z1 z3'] } },
      volumeClaims: { data: { class: 'fast' } },
      pods: { p: { needs: 'zone in z2 z3', mounts: 'data' } },
    },
    want: { claims: [{ zone: 'z3' }] },
  },
  'V19.1 the same for a volume made for the pod': {
    given: { classes: { fast: { zones: ['z1 z3'] } }, pods: { p: { needs: 'zone in z2 z3', ephemeral: { vol: 'fast' } } } },
    want: { claims: [{ zone: 'z3' }] },
  },
  'V20 zones of the class that the pod does not want': {
    given: {
      classes: { fast: { zones: ['z1'] } },
      volumeClaims: { data: { class: 'fast' } },
      pods: { p: { select: 'zone=z3', mounts: 'data' } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V21 a volume of one zone': {
    given: { volumes: { v1: { needs: 'zone=z3' } }, volumeClaims: { data: { volume: 'v1' } }, pods: { p: { mounts: 'data' } } },
    want: { claims: [{ zone: 'z3' }] },
  },
  'V22 a volume on a host, beside a zone': {
    given: {
      volumes: { v1: { onHost: true, needs: 'hostname=h1, zone=z3' } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V22.1 a volume of a driver that names a host': {
    given: { volumes: { v1: { needs: 'hostname=h1' } }, volumeClaims: { data: { volume: 'v1' } }, pods: { p: { mounts: 'data' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V23 a volume of a zone that the pod does not want': {
    given: {
      volumes: { v1: { needs: 'zone=z3' } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { needs: 'zone=z1', mounts: 'data' } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V24 alternatives and wishes give way, the volume does not': {
    given: {
      volumes: { v1: { needs: 'zone=z3' } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { needs: ['zone=z1', 'zone=z3'], prefers: 'zone=z1', mounts: 'data' } },
    },
    want: { claims: [{ zone: 'z3' }] },
  },
  'V25 a volume’s zone is no domain that the pod’s spread is held to': {
    given: {
      volumes: { v1: { needs: 'zone=z1' } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: {
        p: { count: 3, spread: [{ over: 'zone', minDomains: 3 }] },
        q: { labels: 'app=p', mounts: 'data', spread: [{ over: 'zone', of: 'app=p', minDomains: 3 }] },
      },
    },
    want: { skew: { 'zone p': [1, 1, 2] } },
  },
  'V26 a new machine takes as many disks as its size holds': {
    given: {
      types: [{ ...size('big', { cpus: 16, memoryGib: 64, pods: 20 }), maxDataDisks: 4 }],
      classes: FAST,
      pods: { p: { count: 6, ephemeral: { vol: 'fast' } } },
    },
    want: { claims: 2, fullest: { 'hostname p': 4 } },
  },
  'V27 a pod with more disks than any size holds': {
    given: {
      types: [{ ...size('big', {}), maxDataDisks: 1 }],
      classes: FAST,
      volumeClaims: { one: { class: 'fast' }, two: { class: 'fast' } },
      pods: { p: { mounts: 'one two' } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V28 volumes of two zones in one pod': {
    given: {
      volumes: { v1: { needs: 'zone=z1' }, v2: { needs: 'zone=z2' } },
      volumeClaims: { one: { volume: 'v1' }, two: { volume: 'v2' } },
      pods: { p: { mounts: 'one two' } },
    },
    want: { claims: 0, unplaced: { p: 'POD.VOLUME' }, says: 'default/two can be used only in topology.kubernetes.io/zone In [z2]' },
  },
  'V28.1 twelve volumes of two zones each, and of two zones in turn': {
    given: {
      volumes: Object.fromEntries(
        TWELVE.map((each) => [`v${each}`, { needs: each % 2 === 0 ? ['zone=z1', 'zone=z2'] : ['zone=z3', 'zone=z4'] }]),
      ),
      volumeClaims: Object.fromEntries(TWELVE.map((each) => [`d${each}`, { volume: `v${each}` }])),
      pods: { p: { mounts: TWELVE.map((each) => `d${each}`).join(' ') } },
    },
    want: { claims: 0, unplaced: { p: 'POD.VOLUME' } },
  },
  'V28.2 twelve volumes that any of three zones can reach, and the pod wants the last': {
    given: {
      volumes: Object.fromEntries(TWELVE.map((each) => [`v${each}`, { needs: ['zone=z1', 'zone=z2', 'zone=z3'] }])),
      volumeClaims: Object.fromEntries(TWELVE.map((each) => [`d${each}`, { volume: `v${each}` }])),
      pods: { p: { select: 'zone=z3', mounts: TWELVE.map((each) => `d${each}`).join(' ') } },
    },
    want: { claims: [{ zone: 'z3' }] },
  },
  'V28.3 twelve volumes of which the last leaves one zone': {
    given: {
      volumes: Object.fromEntries(
        TWELVE.map((each) => [`v${each}`, { needs: each === 12 ? ['zone=z2'] : ['zone=z1', 'zone=z2', 'zone=z3'] }]),
      ),
      volumeClaims: Object.fromEntries(TWELVE.map((each) => [`d${each}`, { volume: `v${each}` }])),
      pods: { p: { mounts: TWELVE.map((each) => `d${each}`).join(' ') } },
    },
    want: { claims: [{ zone: 'z2' }] },
  },
  'V28.4 a disk that any zone can reach goes where spot is sold': {
    given: {
      types: [size('patchy', { offerings: [sold(0.5, 'z1'), sold(0.5, 'z2'), sold(0.1, 'z2 spot')] })],
      volumes: { v1: { needs: ['zone=z1', 'zone=z2'] } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { price: 0.1 },
    firstFit: {},
  },
  'V29 a volume whose claim is not there keeps a pod off nodes that are there, too': {
    given: { nodes: { n1: {} }, pods: { p: { mounts: 'none', spread: 'zone' } } },
    want: REFUSED,
  },
  'V30 a node in the volume’s zone is used': {
    given: {
      nodes: { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' } },
      volumes: { v1: { needs: 'zone=z2' } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, on: { n2: 'p' } },
  },
  // The terms that the driver writes: kubernetes-sigs/azuredisk-csi-driver#801, 2021-04-20. Its empty zone is read as zone 0.
  'V41 E2-14 a disk with redundant storage of zones follows its pod into the cheapest zone': {
    given: {
      types: [size('here', { offerings: [sold(0.5, 'z1'), sold(0.3, 'z2'), sold(0.4, '0')] })],
      volumes: { v1: { needs: ['z1', 'z2', 'z3', '0'].map((zone) => `${DISK_ZONE}=${zone}`) } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 1, price: 0.3 },
  },
  'V41.1 E2-14 a disk with redundant storage of zones, of a pod whose only machine has no zone': {
    given: {
      types: [size('here', { offerings: [sold(0.4, '0')] })],
      volumes: { v1: { needs: ['z1', 'z2', 'z3', '0'].map((zone) => `${DISK_ZONE}=${zone}`) } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: [{ zone: '0' }] },
  },
  'V42 E2-14 a disk without a zone goes to no machine in a zone, however cheap': {
    given: {
      types: [size('here', { offerings: [sold(0.1, 'z1'), sold(0.4, '0')] })],
      volumes: { v1: { needs: `${DISK_ZONE}=0` } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: [{ zone: '0' }] },
  },
  'V31 a machine that comes up takes as many disks as its size holds': {
    given: {
      types: [{ ...size('two', { cpus: 8, memoryGib: 32, pods: 20 }), maxDataDisks: 2 }],
      classes: FAST,
      pods: { p: { ephemeral: { vol: 'fast' } } },
    },
    want: { claims: 1 },
    then: [{ stage: 'launched', given: { pods: { q: { count: 2, ephemeral: { vol: 'fast' } } } }, want: { claims: 1 } }],
  },
  'VL-02 a node whose driver has not come takes as many disks as its size holds': ofOneDisk({}, 1),
  'V40 what other drivers say is not about its disks': ofOneDisk({ other: 9 }, 1),
  'V40.1 what its driver says comes before its size': ofOneDisk({ [DISK]: 9 }, 0),
  'V40.2 a driver that says no number takes any number of disks': ofOneDisk({ [DISK]: 'any' }, 0),
}
