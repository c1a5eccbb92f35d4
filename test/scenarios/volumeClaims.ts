import { NOW } from '../builders/clock.ts'
import { nodeNameOf } from '../builders/nodeClaim.ts'
import type { Scenarios, VolumeClaimGiven, VolumeGiven } from './scenario.ts'

const FAST = { fast: {} } as const
const LOCAL = { local: { driver: 'kubernetes.io/no-provisioner' } } as const
const ON_N2 = `hostname=${nodeNameOf('n2')}`

/** Whether a claim of a class without a provisioner can have the only volume, which is on node n2. */
function fits(
  name: string,
  asks: NonNullable<VolumeClaimGiven['asks']>,
  offers: Partial<NonNullable<VolumeGiven['offers']>>,
  isFitting: boolean,
): Scenarios {
  return {
    [name]: {
      given: {
        classes: LOCAL,
        nodes: { n1: {}, n2: {} },
        volumes: { v2: { onHost: true, needs: ON_N2, offers: { class: 'local', ...offers } } },
        volumeClaims: { data: { class: 'local', asks } },
        pods: { p: { mounts: 'data' } },
      },
      want: isFitting ? { claims: 0, on: { n2: 'p' } } : { claims: 0, unplaced: { p: 'POD.VOLUME' } },
    },
  }
}

/** Claims of one pod, claims that wait for a chosen node, and volumes that exist already and that a claim can have. */
export const VOLUME_CLAIMS: Scenarios = {
  'V32 a claim of one pod that a running pod has': {
    given: {
      nodes: { n1: {} },
      volumes: { v1: {} },
      volumeClaims: { data: { volume: 'v1', once: true } },
      pods: { old: { on: 'n1', mounts: 'data' }, new: { mounts: 'data' }, other: {} },
    },
    want: {
      claims: 0,
      on: { n1: 'other' },
      unplaced: { new: 'POD.VOLUME' },
      says: 'default/data is ReadWriteOncePod and is used by pod default/old',
    },
  },
  'V32.1 until the pod is gone, not only ending': {
    given: {
      nodes: { n1: {} },
      volumes: { v1: {} },
      volumeClaims: { data: { volume: 'v1', once: true } },
      pods: { old: { on: 'n1', mounts: 'data', over: { deletedAt: NOW } }, new: { mounts: 'data' } },
    },
    want: { claims: 0, unplaced: { new: 'POD.VOLUME' } },
    then: [{ gone: 'old', want: { claims: 0, on: { n1: 'new' } } }],
  },
  'V32.2 a pod that moves takes its own claim with it': {
    given: {
      nodes: { n1: { deleting: true } },
      volumes: { v1: {} },
      volumeClaims: { data: { volume: 'v1', once: true } },
      pods: { p: { on: 'n1', mounts: 'data' } },
    },
    want: { claims: [{ pods: 'p' }] },
  },
  'V33 of pods that wait for one such claim the oldest gets a machine': {
    given: {
      classes: FAST,
      volumeClaims: { data: { class: 'fast', once: true } },
      pods: { p: { count: 3, mounts: 'data' }, other: { asks: { cpu: 0.1 }, mounts: 'data' } },
    },
    want: { claims: [{ pods: 1 }], unplaced: { p: ['POD.VOLUME', 2], other: 'POD.VOLUME' } },
  },
  'V34 a claim whose node the scheduler has chosen waits for that node': {
    given: {
      classes: FAST,
      nodes: { n1: {}, n2: {} },
      volumeClaims: { data: { class: 'fast', selected: 'joiner-n2' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, on: { n2: 'p' } },
  },
  'V34.1 also while the node is full: no second machine is of use': {
    given: {
      classes: FAST,
      nodes: { n1: {}, n2: {} },
      volumeClaims: { data: { class: 'fast', selected: 'joiner-n2' } },
      pods: { full: { on: 'n2', asks: { cpu: 3.5 } }, p: { asks: { cpu: 1 }, mounts: 'data' } },
    },
    want: { claims: 0, on: { n1: '' }, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V34.2 a node that is gone counts no longer': {
    given: { classes: FAST, volumeClaims: { data: { class: 'fast', selected: 'joiner-n2' } }, pods: { p: { mounts: 'data' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'V34.3 nor does a node that is being deleted': {
    given: {
      classes: FAST,
      nodes: { n1: {}, n2: { deleting: true } },
      volumeClaims: { data: { class: 'fast', selected: 'joiner-n2' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'V34.4 a chosen node where the class makes no volumes': {
    given: {
      classes: { fast: { zones: ['z2'] } },
      nodes: { n1: { labels: 'zone=z2' }, n2: { labels: 'zone=z1' } },
      volumeClaims: { data: { class: 'fast', selected: 'joiner-n2' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, on: { n1: '', n2: '' }, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V35 a local volume that is free: its node, and no other, gets the pod': {
    given: {
      classes: LOCAL,
      nodes: { n1: {}, n2: {} },
      volumes: { v2: { onHost: true, needs: ON_N2, offers: { class: 'local' } } },
      volumeClaims: { data: { class: 'local' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, on: { n2: 'p' } },
  },
  'V35.1 also while the node is full: no new machine has the volume': {
    given: {
      classes: LOCAL,
      nodes: { n1: {}, n2: {} },
      volumes: { v2: { onHost: true, needs: ON_N2, offers: { class: 'local' } } },
      volumeClaims: { data: { class: 'local' } },
      pods: { full: { on: 'n2', asks: { cpu: 3.5 } }, p: { asks: { cpu: 1 }, mounts: 'data' } },
    },
    want: { claims: 0, on: { n1: '' }, unplaced: { p: 'SCHEDULING.VOLUME' } },
  },
  'V35.2 without a free volume no machine is of use': {
    given: {
      classes: LOCAL,
      nodes: { n1: {} },
      volumes: { taken: { onHost: true, needs: ON_N2 } },
      volumeClaims: { data: { class: 'local' } },
      pods: { p: { mounts: 'data' } },
    },
    want: {
      claims: 0,
      unplaced: { p: 'POD.VOLUME' },
      says: 'storageclass local makes no volumes, and no available persistentvolume of the class fits persistentvolumeclaim default/data: a new node would bring none; to do: make a persistentvolume of the class',
    },
  },
  'V35.3 volumes of several nodes': {
    given: {
      classes: LOCAL,
      nodes: { n1: {}, n2: {}, n3: {} },
      volumes: {
        v2: { onHost: true, needs: ON_N2, offers: { class: 'local' } },
        v3: { onHost: true, needs: `hostname=${nodeNameOf('n3')}`, offers: { class: 'local' } },
      },
      volumeClaims: { data: { class: 'local' } },
      pods: { full: { on: 'n2', asks: { cpu: 3.5 } }, p: { asks: { cpu: 1 }, mounts: 'data' } },
    },
    want: { claims: 0, on: { n3: 'p' } },
  },
  'V35.4 a volume of any node of a zone': {
    given: {
      classes: LOCAL,
      volumes: { v1: { driver: '', needs: 'zone=z2', offers: { class: 'local' } } },
      volumeClaims: { data: { class: 'local' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: [{ zone: 'z2' }] },
  },
  'V35.5 a volume of any node': {
    given: {
      classes: LOCAL,
      volumes: { v1: { driver: '', offers: { class: 'local' } } },
      volumeClaims: { data: { class: 'local' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: [{ pods: 'p' }] },
  },
  ...fits('V36 a volume that is too small', { storage: 10 }, { storage: 9 }, false),
  ...fits('V36.1 a volume that is large enough', { storage: 10 }, { storage: 10 }, true),
  ...fits('V36.2 a volume without an access mode of the claim', { modes: 'ReadWriteOnce ReadOnlyMany' }, { modes: 'ReadWriteOnce' }, false),
  ...fits('V36.3 a volume with more access modes', { modes: 'ReadWriteOnce' }, { modes: 'ReadWriteOnce ReadOnlyMany' }, true),
  ...fits('V36.4 a device where a file system is asked for', {}, { block: true }, false),
  ...fits('V36.5 a device', { block: true }, { block: true }, true),
  ...fits('V36.6 a volume that the selector of the claim leaves out', { selector: 'tier=fast' }, { labels: 'tier=slow' }, false),
  ...fits('V36.7 a volume that the selector of the claim selects', { selector: 'tier=fast' }, { labels: 'tier=fast' }, true),
  ...fits('V36.8 a volume that is reserved for another claim', {}, { claim: 'other' }, false),
  ...fits('V36.9 a volume that is reserved for an earlier claim of the name', {}, { claim: 'data', claimUid: 'earlier' }, false),
  ...fits('V36.10 a volume that is reserved for the claim, whatever it offers', { storage: 10 }, { claim: 'data' }, true),
  ...fits('V36.11 a volume of another class', {}, { class: 'other' }, false),
  'V36.12 of a reserved volume and a free one the reserved one counts': {
    given: {
      classes: LOCAL,
      nodes: { n1: {}, n2: {} },
      volumes: {
        free: { onHost: true, needs: `hostname=${nodeNameOf('n1')}`, offers: { class: 'local' } },
        own: { onHost: true, needs: ON_N2, offers: { class: 'local', claim: 'data' } },
      },
      volumeClaims: { data: { class: 'local' } },
      pods: { p: { mounts: 'data' } },
    },
    want: { claims: 0, on: { n2: 'p' } },
  },
}
