import type { ReleaseLine } from './releaseLine.ts'

export const TERMINATE_FIRST: readonly ReleaseLine[] = [
  {
    line: 'TF-01',
    state: 'done',
    what: 'a static pool at its limit deletes first if the setting is on',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': [
        'TF-01 no room under the limit',
        'is never above its limit, never lacks more machines than its budget, and ends with new ones',
      ],
    },
  },
  {
    line: 'TF-02',
    state: 'done',
    what: 'below the limit the replacement comes first',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': ['TF-02 room for one'],
    },
  },
  {
    line: 'TF-03',
    state: 'done',
    what: 'the setting off: held, and told',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': ['TF-03 without the setting'],
    },
  },
  {
    line: 'TF-04',
    state: 'done',
    what: 'a pool that is not ready or being deleted holds',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': ['TF-04 a pool that is not ready', 'TF-04 a pool that is being deleted'],
    },
  },
  {
    line: 'TF-05',
    state: 'done',
    what: 'no slot is counted twice; a pool that shrinks is left alone',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': ['TF-05 a machine too many, which goes first'],
      'shared/engine/staticPools/staticDrift.test.ts': ['count what the same decision does besides'],
    },
  },
  {
    line: 'TF-06',
    state: 'differs',
    what: 'repair: one command with one candidate at a time',
    why: 'each decision begins as many repairs as budgets and the limit of repairs at a time allow',
    shown: {
      'shared/engine/repair/repair.test.ts': ['RP-24, TF-01: gives up the broken machine first'],
    },
  },
  {
    line: 'TF-07',
    state: 'differs',
    what: 'a full reservation without a fallback deletes first, with its blocking pods',
    why: 'no machine is bought in a capacity reservation of Azure, here and in the provider of AKS, so a node that goes gives no slot back; a node in a full reservation stays, and the reason is told',
    shown: {
      'test/scenarios/disruption/driftScenarios.ts': [
        'TF-07 one that has the last slot of a reservation stays, since no other node can come first',
        'TF-10 and is replaced where the reservation has another slot',
      ],
    },
  },
  {
    line: 'TF-08',
    state: 'differs',
    what: 'more pods than the slot holds: held',
    why: 'no machine is bought in a capacity reservation of Azure, here and in the provider of AKS, so a node that goes gives no slot back; a node in a full reservation stays, and the reason is told',
    shown: {
      'test/scenarios/disruption/driftScenarios.ts': [
        'TF-07 one that has the last slot of a reservation stays, since no other node can come first',
      ],
    },
  },
  {
    line: 'TF-09',
    state: 'differs',
    what: 'a reservation that is not available: held',
    why: 'no machine is bought in a capacity reservation of Azure, here and in the provider of AKS, so a node that goes gives no slot back; a node in a full reservation stays, and the reason is told',
    shown: {
      'test/scenarios/disruption/driftScenarios.ts': ['TF-09 and one whose reservation is not there'],
    },
  },
  {
    line: 'TF-10',
    state: 'done',
    what: 'a fallback, a free slot or another pool: replacement first',
    shown: {
      'test/scenarios/disruption/driftScenarios.ts': [
        'TF-10 and is replaced where the reservation has another slot',
        'TF-10 or where its pool may buy on demand',
      ],
      'test/scenarios/reserved.ts': ['C10 a reservation with nothing left is none', 'RV-05 the pool of the reservation has nothing left'],
    },
  },
  {
    line: 'TF-11',
    state: 'differs',
    what: 'static pools of reservations',
    why: 'no machine is bought in a capacity reservation of Azure, here and in the provider of AKS, so a node that goes gives no slot back; a node in a full reservation stays, and the reason is told',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': ['TF-11 nothing for sale in its place, as where its reservations are full'],
    },
  },
  {
    line: 'TF-12',
    state: 'done',
    what: 'the settings of drift and of repair are independent',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': ['TF-12 with the setting for repair alone'],
    },
  },
  {
    line: 'TF-13',
    state: 'differs',
    what: 'credit only for known reservations, for exactly as many slots',
    why: 'no machine is bought in a capacity reservation of Azure, here and in the provider of AKS, so a node that goes gives no slot back; a node in a full reservation stays, and the reason is told',
    shown: {
      'test/scenarios/reserved.ts': ['C8 never more than there is'],
    },
  },
]
