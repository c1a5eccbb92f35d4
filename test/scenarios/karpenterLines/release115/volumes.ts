import type { ReleaseLine } from './releaseLine.ts'

export const VOLUMES: readonly ReleaseLine[] = [
  {
    line: 'VL-01',
    state: 'done',
    what: 'enough nodes for all volumes at once',
    shown: {
      'test/scenarios/volumes.ts': ['V26 a new machine takes as many disks as its size holds'],
    },
  },
  {
    line: 'VL-02',
    state: 'done',
    what: 'the limit of the type holds until the CSINode has the driver',
    shown: {
      'test/scenarios/volumes.ts': [
        'VL-02 a node whose driver has not come',
        'V31 a machine that comes up takes as many disks as its size holds',
        'V40.1 what its driver says comes before its size',
      ],
    },
  },
  {
    line: 'VL-03',
    state: 'done',
    what: 'pods with several volumes, shared claims, free drivers, no type that fits',
    shown: {
      'test/scenarios/volumes.ts': [
        'V2 one claim of a hundred pods is one disk',
        'V3 a volume without a driver is none',
        'V27 a pod with more disks than any size holds',
      ],
    },
  },
  {
    line: 'VL-04',
    state: 'differs',
    what: 'several drivers',
    why: 'Azure states the limit of one driver for a size, that of managed disks; on a node each driver that states a limit counts',
    shown: {
      'test/scenarios/volumes.ts': [
        'V1 a node takes as many disks as its driver says',
        'V40 what other drivers say is not about its disks',
      ],
    },
  },
  {
    line: 'MI-01',
    state: 'done',
    what: 'a volume narrows zones below minValues: not scheduled',
    shown: {
      'test/scenarios/minValues.ts': ['Z22.1 the only pool', 'Z22 a disk leaves one zone'],
    },
  },
  {
    line: 'MI-02',
    state: 'done',
    what: 'BestEffort: relaxed, with the annotation',
    shown: {
      'test/scenarios/minValues.ts': ['Z22.2 as well as can be', 'Z21.2 as well as can be'],
    },
  },
  {
    line: 'MI-03',
    state: 'done',
    what: 'the same by a spread or an affinity',
    shown: {
      'test/scenarios/minValues.ts': [
        'Z23 a spread holds each machine to one zone',
        'Z23.1 the only pool',
        'Z24 anti-affinity over zones does so as well',
      ],
    },
  },
  {
    line: 'RV-01',
    state: 'done',
    what: 'a full reservation without a fallback: no claim, never on demand',
    shown: {
      'test/scenarios/reserved.ts': ['RV-01 a reservation with nothing left, and nothing else will do'],
    },
  },
  {
    line: 'RV-02',
    state: 'done',
    what: 'with capacity the reservation is preferred',
    shown: {
      'shared/engine/offering/usableOfferings.test.ts': ['RV-02 a reservation with capacity comes first'],
      'test/scenarios/reserved.ts': ['C9 what is reserved comes first though it may be larger'],
    },
  },
  {
    line: 'RV-03',
    state: 'done',
    what: 'unavailable though with capacity: left out',
    shown: {
      'shared/engine/offering/usableOfferings.test.ts': ['RV-03 a reservation that is not there is left out'],
    },
  },
  {
    line: 'RV-04',
    state: 'done',
    what: 'full with a fallback: at once',
    shown: {
      'test/scenarios/reserved.ts': ['C10 a reservation with nothing left is none'],
    },
  },
  {
    line: 'RV-05',
    state: 'done',
    what: 'the pool of less weight serves',
    shown: {
      'test/scenarios/reserved.ts': ['RV-05 the pool of the reservation has nothing left'],
    },
  },
  {
    line: 'RV-06',
    state: 'differs',
    what: 'a slot given back is usable; the pod beyond it fails',
    why: 'no machine is bought in a capacity reservation of Azure, here and in the provider of AKS, so no node that goes gives a slot back',
    shown: {
      'test/scenarios/reserved.ts': ['C8 never more than there is'],
    },
  },
  {
    line: 'RV-07',
    state: 'done',
    what: 'price order, savings and capacity types leave full reservations out',
    shown: {
      'shared/engine/offering/usableOfferings.test.ts': ['RV-07 a reservation with nothing left is left out'],
    },
  },
  {
    line: 'RV-08',
    state: 'done',
    what: 'the resources of an offering replace those of the type',
    shown: { 'shared/engine/offering/shortSizes.test.ts': ['RV-08 the amounts of an offering take the place of those of its size'] },
  },
]
